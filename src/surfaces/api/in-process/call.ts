import type { Core } from "../../../core/core.ts";
import { WebResponse } from "../../../lib/response.ts";
import { HOST } from "../../../model/keys.ts";
import { type HostAnswerOf, invoke } from "../invoke.ts";
import { asQuery } from "../query.ts";
import { routes } from "../table.ts";

type Routes = typeof routes;

/** The input of a call in process: typed values, which the row's schemas check like the text of HTTP. */
interface HostInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object | undefined;
  /** A function is called once the form is reached. */
  readonly body?: unknown;
}

/** Calls rows of the table as the host, who may do everything. */
export interface HostCalls {
  /** The row's response to the host. */
  row<K extends keyof Routes>(name: K, input?: HostInput): Promise<HostAnswerOf<Routes[K]>>;
  /** The bytes of a row that returns a stream. */
  stream(name: "exportSubmissions", input: HostInput): Promise<ReadableStream<Uint8Array>>;
  /** Runs a call that has no row. The drivers are open by then. */
  own<A extends unknown[], R>(call: (core: Core, ...args: A) => Promise<R>): (...args: A) => Promise<R>;
}

/** The way from calls in process to the rows of the table; every call opens the drivers first. */
export function hostCalls(core: Core, ready: () => Promise<void>): HostCalls {
  const answer = async <K extends keyof Routes>(name: K, { params = {}, query = {}, body }: HostInput) => {
    await ready();
    const input = {
      params,
      query: () => asQuery(query),
      body: typeof body === "function" ? (body as () => unknown) : () => body,
    };
    return invoke(core, routes[name], HOST, input, { asHost: true });
  };
  return {
    async row(name, input = {}) {
      const result = await answer(name, input);
      // Some rows write their response as text while it is sent.
      return (result instanceof WebResponse ? await result.json() : result) as HostAnswerOf<Routes[typeof name]>;
    },
    stream: async (name, input) => ((await answer(name, input)) as Response).body as ReadableStream<Uint8Array>,
    own:
      (call) =>
      async (...args) => {
        await ready();
        return call(core, ...args);
      },
  };
}
