import type { z } from "zod";
import type { Core } from "../core.ts";
import type { ErrorCode } from "../errors.ts";
import type { Caller, Scope } from "../keys/schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What only the host knows of a request. */
export interface HostInfo {
  /** The address of the connection, before any forwarding header is believed. */
  readonly ip?: string | null | undefined;
  /** Keeps a serverless process alive until a promise is settled. What a request made due is run in it, unless `work` is false. */
  readonly waitUntil?: ((promise: Promise<unknown>) => unknown) | undefined;
}

/** What every handler gets. */
export interface Exchange {
  readonly core: Core;
  readonly request: Request;
  readonly url: URL;
  readonly info: HostInfo;
  readonly requestId: string;
  /** Headers that the answer gets whatever it turns out to be. */
  readonly extra: Record<string, string>;
  /** Opens the drivers. Done before a handler runs, unless its row is `unopened`. */
  readonly ready: () => Promise<void>;
}

/** What a v1 handler gets: the caller is known and allowed, the input is checked. */
export interface Call<P, Q, B> extends Exchange {
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

type Schema = z.ZodType;
type Output<T> = T extends Schema ? z.output<T> : undefined;

/** One operation of the management API. Authentication, validation, the envelope, OpenAPI and the client derive from it. */
export interface Route<
  M extends Method = Method,
  Path extends string = string,
  P extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
  B extends Schema | undefined = Schema | undefined,
  R extends Schema = Schema,
> {
  readonly method: M;
  readonly path: Path;
  readonly summary: string;
  readonly tag: string;
  /** Scopes that are all needed; `[]` = any credential; null = none at all. */
  readonly scopes: readonly Scope[] | null;
  /** Set where a credential restricted to forms is refused whatever is sent. */
  readonly creates?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The parts of a multipart body, for the document; the handler reads them itself. */
  readonly multipart?: Schema;
  /** Set where the answer must come also while the drivers can't be opened. */
  readonly unopened?: boolean;
  readonly response: R;
  /** Media types beside JSON that the answer may have. */
  readonly otherTypes?: readonly string[];
  /** Default 200. */
  readonly status?: number;
  /** Statuses that answer in the shape of `response` too. */
  readonly otherStatuses?: readonly number[];
  /** Codes beyond those that scopes, params, query and body imply. */
  readonly errors: readonly ErrorCode[];
  /** A `Response` is sent as it is; anything else is parsed by `response`, so that no secret leaks by spreading a record. */
  readonly handler: (call: Call<Output<P>, Output<Q>, Output<B>>) => Promise<z.input<R> | Response>;
}

/** Types a row of the table. */
export function route<
  const M extends Method,
  const Path extends string,
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  R extends Schema = Schema,
>(row: Route<M, Path, P, Q, B, R>): Route<M, Path, P, Q, B, R> {
  return row;
}

/** An address outside the management API, which answers for itself: the public endpoint, files, the legacy API. */
export interface RawRoute {
  readonly method: Method;
  readonly path: string;
  /** Set where the method answers only to explain itself, so that `Allow` does not name it. */
  readonly unlisted?: boolean;
  /** Set where the answer must come also while the drivers can't be opened. */
  readonly unopened?: boolean;
  readonly handler: (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<Response>;
}

/** How a group of addresses writes its errors. */
export type ErrorRenderer = (error: unknown, exchange: Exchange) => Response | Promise<Response>;
