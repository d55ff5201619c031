import type { z } from "zod";
import type { Stored } from "../../drivers/storage/types.ts";
import type { ErrorCode } from "../../errors.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller, Scope } from "../../model/keys.ts";
import type { Core } from "../core.ts";
import type { Share } from "../fairness/share.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Information about a request that only the host has. */
export interface HostInfo {
  /** The address of the connection, before any forwarding header is believed. */
  readonly ip?: string | null | undefined;
  /**
   * Keeps a serverless process alive until a promise is settled. Jobs caused by a request run inside it, unless `work` is
   * false.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => unknown) | undefined;
}

/** Arguments of every handler. */
export interface Exchange {
  readonly core: Core;
  readonly request: Request;
  readonly url: URL;
  readonly info: HostInfo;
  readonly requestId: string;
  /** Headers that the response gets in any case. */
  readonly extra: Record<string, string>;
  /** The request's part in what its team may take of the event loop's time. It leaves when the handler has answered. */
  readonly share: Share;
  /** Opens the drivers. Done before a handler runs, unless its row is `unopened`. */
  readonly ready: () => Promise<void>;
}

/** Arguments of a row's handler: the caller is known and allowed, the form is found, the input is checked. */
export interface Call<P, Q, B, F> {
  readonly core: Core;
  readonly caller: Caller;
  /** The form named in the path. The handler passes it on, so it is read and checked only once. */
  readonly form: F;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Stops a slow response when nobody waits for it any more. */
  readonly signal: AbortSignal | undefined;
  /** `If-Match` as it was sent; null without one. */
  readonly ifMatch: string | null;
  /** Headers of the response, set by the handler. */
  readonly headers: Record<string, string>;
  /** The request, where the call came over HTTP. */
  readonly http: Exchange | undefined;
}

type Schema = z.ZodType;
type Output<T> = T extends Schema ? z.output<T> : undefined;

/**
 * The form that a row's path names. `live`: it must exist. `kept`: what the row reaches outlives its form, so that the row works
 * for a deleted form too, in process alone, and then the form is null.
 */
export type FormReach = "live" | "kept";

export type FormOf<F extends FormReach | undefined> = F extends "kept"
  ? Stored<FormRecord> | null
  : F extends "live"
    ? Stored<FormRecord>
    : null;

/** A path with a form must say how the form is reached, and no other path may. */
type Reached<Path extends string> = Path extends `${string}/:form_id${string}`
  ? { readonly form: FormReach }
  : { readonly form?: never };

/** One operation of the management API. Authentication, validation, the envelope, OpenAPI, the client and the in-process API derive from it. */
export interface Route<
  M extends Method = Method,
  Path extends string = string,
  P extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
  B extends Schema | undefined = Schema | undefined,
  R extends Schema = Schema,
  HB extends Schema | undefined = Schema | undefined,
  HR extends Schema = Schema,
  F extends FormReach | undefined = FormReach | undefined,
  C extends string | undefined = string | undefined,
> {
  readonly method: M;
  readonly path: Path;
  /** Its call in process, such as `forms.get`; left out where it has none of its own. */
  readonly call?: C;
  /** How the form in the path is reached; left out where there is none. */
  readonly form?: F;
  readonly summary: string;
  readonly tag: string;
  /** Scopes that are all needed; `[]` = any credential; null = none at all. */
  readonly scopes: readonly Scope[] | null;
  /** Set if a credential restricted to forms is always refused. */
  readonly creates?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The parts of a multipart body, for the document; `read` makes `body` of them. */
  readonly multipart?: Schema;
  /** Set where a request without a body means an empty object. */
  readonly bodyOptional?: boolean;
  /** Refuses what no body could make right, before one byte of the body is read. */
  readonly admit?: (core: Core, form: FormOf<F>) => Promise<void>;
  /** Reads a body that is no JSON. */
  readonly read?: (request: Request) => Promise<unknown>;
  /** Set if it must respond even when the drivers can't be opened. */
  readonly unopened?: boolean;
  readonly response: R;
  /** Input and response for the host in process, if they differ from HTTP. */
  readonly host?: { readonly body?: HB; readonly response?: HR };
  /** Media types of the response other than JSON. */
  readonly otherTypes?: readonly string[];
  /** Default 200. */
  readonly status?: number;
  /** More statuses with a response in the shape of `response`. */
  readonly otherStatuses?: readonly number[];
  /** True if the response has an `ETag`. */
  readonly tagged?: boolean;
  /** True if the row respects `If-Match`. */
  readonly conditional?: boolean;
  /** Codes beyond those that scopes, params, query and body imply. */
  readonly errors: readonly ErrorCode[];
  /** A `Response` is sent as it is; anything else is parsed by the shape of `response`, so spreading a record leaks no secret. */
  readonly handler: (
    call: Call<Output<P>, Output<Q>, Output<B> | (HB extends Schema ? z.output<HB> : never), FormOf<F>>,
  ) => Promise<z.input<R> | z.input<HR> | Response>;
}

/** A row without its specific types, for code that treats all rows alike. */
export interface Operation extends Omit<Route, "admit" | "handler"> {
  readonly admit?: (core: Core, form: never) => Promise<void>;
  readonly handler: (call: never) => Promise<unknown>;
}

/** Types a row of the table. */
export function route<
  const M extends Method,
  const Path extends string,
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  R extends Schema = Schema,
  HB extends Schema | undefined = undefined,
  HR extends Schema = R,
  const F extends FormReach | undefined = undefined,
  const C extends string | undefined = undefined,
>(row: Route<M, Path, P, Q, B, R, HB, HR, F, C> & Reached<Path>): Route<M, Path, P, Q, B, R, HB, HR, F, C> {
  return row;
}

/** An address outside the management API with its own kind of response: the public endpoint, files, the legacy API. */
export interface RawRoute {
  readonly method: Method;
  readonly path: string;
  /** Set if the method only returns an explanation, so `Allow` does not list it. */
  readonly unlisted?: boolean;
  /** Set if it must respond even when the drivers can't be opened. */
  readonly unopened?: boolean;
  readonly handler: (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<Response>;
}

/** Writes the errors of a group of addresses. */
export type ErrorRenderer = (error: unknown, exchange: Exchange) => Response | Promise<Response>;
