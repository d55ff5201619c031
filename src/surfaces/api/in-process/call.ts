import type { Core } from "../../../core/core.ts";
import type { Operation } from "../../../core/http/route.ts";
import type { Transaction } from "../../../drivers/storage/types.ts";
import { WebResponse } from "../../../lib/response.ts";
import { HOST } from "../../../model/keys.ts";
import { keepCall, type ProgramWay, teamOfForm } from "../audited.ts";
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

/** Something that the host has done, for the audit. */
export interface HostDone {
  readonly action: string;
  /** Default: the team of the form, and `default` without one. */
  readonly team_id?: string;
  readonly form_id?: string | null | undefined;
  readonly ids?: readonly string[];
  /** Set if it was done in a transaction of the host's. */
  readonly tx?: Transaction | undefined;
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
  /** Runs a call that has no row, and keeps what it has done. The drivers are open by then. */
  own<A extends unknown[], R>(
    call: (core: Core, ...args: A) => Promise<R>,
    done?: (answer: Awaited<R>, ...args: A) => HostDone | null,
  ): (...args: A) => Promise<R>;
  /** The same for a call that may find what it would make: `made` says that it did not, and only then an entry is kept. */
  ensuring<A extends unknown[], R>(
    call: (core: Core, made: () => void, ...args: A) => Promise<R>,
    done: (answer: Awaited<R>, ...args: A) => HostDone,
  ): (...args: A) => Promise<R>;
}

/** The way from calls in process to the rows of the table; every call opens the drivers first. */
export function hostCalls(core: Core, ready: () => Promise<void>, via: ProgramWay = "in_process"): HostCalls {
  const answer = async <K extends keyof Routes>(name: K, { params = {}, query = {}, body }: HostInput) => {
    await ready();
    const input = {
      params,
      query: () => asQuery(query),
      body: typeof body === "function" ? (body as () => unknown) : () => body,
    };
    return invoke(core, routes[name], HOST, input, { asHost: true, via });
  };
  const row: HostCalls["row"] = async (name, input = {}) => {
    const result = await answer(name, input);
    // Some rows write their response as text while it is sent.
    return (result instanceof WebResponse ? await result.json() : result) as HostAnswerOf<Routes[typeof name]>;
  };
  const kept = async ({ tx, form_id = null, team_id, ids = [], action }: HostDone): Promise<void> =>
    keepCall(core, HOST, via, { action, team_id: team_id ?? (await teamOfForm(core, form_id)), form_id, ids }, tx);
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
      (call, done) =>
      async (...args) => {
        await ready();
        const answer = await call(core, ...args);
        const entry = done?.(answer, ...args) ?? null;
        if (entry) await kept(entry);
        return answer;
      },
    ensuring:
      (call, done) =>
      async (...args) => {
        await ready();
        let isNew = false;
        const answer = await call(
          core,
          () => {
            isNew = true;
          },
          ...args,
        );
        if (isNew) await kept(done(answer, ...args));
        return answer;
      },
  };
}
