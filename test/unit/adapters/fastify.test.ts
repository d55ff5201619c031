import { formBackend } from "../../../adapters/fastify.ts";
import { COOKIES, conformsWith, OWN, pathOf } from "../../_support/hosts.ts";

interface App {
  register(plugin: unknown, options?: object): unknown;
  addHook(
    name: "onSend",
    hook: (request: unknown, reply: { header(name: string, value: string): void }) => Promise<void>,
  ): void;
  get(path: string, handler: () => Promise<string>): void;
  listen(options: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
}

await conformsWith<(options: object) => App>("fastify", "Fastify", async (fastify, { backend }) => {
  const app = fastify({ forceCloseConnections: true });
  // What sessions do: a header when the answer is about to leave.
  app.addHook("onSend", async (_request, reply) => {
    for (const cookie of COOKIES) reply.header("set-cookie", cookie);
  });
  app.get(OWN.ownPath, async () => "own");
  app.register(formBackend(backend), { prefix: pathOf(backend.baseUrl) || "/" });
  return { ...OWN, url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
});
