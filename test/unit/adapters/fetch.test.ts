import { serve } from "srvx";
import { conforms } from "../../_support/hosts.ts";

conforms("fetch, on a server of web standards (srvx)", async ({ backend }) => {
  const server = serve({ fetch: backend.fetch, port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
  await server.ready();
  return { url: (server.url ?? "").replace(/\/$/, ""), close: () => server.close(true) };
});
