import type { Core } from "../../../core/core.ts";
import type { Operation } from "../../../core/http/route.ts";
import { WebResponse } from "../../../lib/response.ts";
import { HOST } from "../../../model/keys.ts";
import { type HostAnswerOf, invoke } from "../invoke.ts";
import { asQuery } from "../query.ts";
import { routes } from "../table.ts";

type Routes = typeof routes;

/** The name of a row's call, if it is in the group. */
type NameIn<G extends string, R> = R extends { readonly call?: infer C }
  ? C extends `${G}.${infer Name}`
    ? Name
    : never
  : never;
/** The calls of a group, each with what its row returns. */
type Group<G extends string> = {
  readonly [K in keyof Routes as NameIn<G, Routes[K]>]: (...args: unknown[]) => Promise<HostAnswerOf<Routes[K]>>;
};

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
  /**
   * The calls of a group, such as `forms`, as the rows name them. Their arguments are the parameters in the path, then the body
   * and the query where the row has them.
   */
  group<G extends string>(name: G): Group<G>;
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
  const row: HostCalls["row"] = async (name, input = {}) => {
    const result = await answer(name, input);
    // Some rows write their response as text while it is sent.
    return (result instanceof WebResponse ? await result.json() : result) as HostAnswerOf<Routes[typeof name]>;
  };
  return {
    row,
    group<G extends string>(group: G) {
      const calls = Object.entries<Operation>(routes).flatMap(([name, { call, path, body, bodyOptional, query }]) => {
        const [of, own] = call?.split(".") ?? [];
        if (of !== group || !own) return [];
        const named = Array.from(path.matchAll(/:(\w+)/g), ([, param]) => param);
        const made = (...args: unknown[]) => {
          const [first, second] = args.slice(named.length);
          return row(name as keyof Routes, {
            params: Object.fromEntries(named.map((param, at) => [param, args[at]])),
            body: body && (first ?? (bodyOptional ? {} : undefined)),
            query: query && ((body ? second : first) as object | undefined),
          });
        };
        return [[own, made]];
      });
      return Object.fromEntries(calls) as Group<G>;
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
