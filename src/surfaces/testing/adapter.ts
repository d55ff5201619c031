import { addressCases } from "./adapter/addresses.ts";
import { bodyCases } from "./adapter/bodies.ts";
import { connectionCases } from "./adapter/connections.ts";
import type { BackendUnderTest, HostOptions, RunningHost } from "./adapter/fixtures.ts";
import type { Suite } from "./suite.ts";

export type { BackendUnderTest, HostOptions, RunningHost };

/**
 * The conformance suite of an adapter, over real sockets. `create` returns a server that listens on 127.0.0.1 with the backend
 * mounted at the path of its `baseUrl`; each case closes its own. The heaviest case uploads 50 MB: give it 30 s.
 *
 * @example
 * for (const c of adapterSuite) {
 *   it(c.name, () => c.run(async ({ backend }) => {
 *     const server = createServer(formBackend(backend)).listen(0, "127.0.0.1");
 *     await once(server, "listening");
 *     const { port } = server.address();
 *     return { url: `http://127.0.0.1:${port}`, close: () => new Promise((done) => server.close(done)) };
 *   }), 30_000);
 * }
 */
export const adapterSuite: Suite<RunningHost, HostOptions> = [...addressCases, ...bodyCases, ...connectionCases];
