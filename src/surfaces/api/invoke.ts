import { z } from "zod";
import type { Core } from "../../core/core.ts";
import type { Call, Exchange, Operation } from "../../core/http/route.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { reachForm } from "../../features/forms/access.ts";
import { assertMayCreate } from "../../features/forms/create.ts";
import { assertScopes } from "../../features/keys/auth.ts";
import { reachSubmissions } from "../../features/submissions/access.ts";
import { parseInput } from "../../lib/input.ts";
import { WebResponse } from "../../lib/response.ts";
import { shapeOf } from "../../lib/shape-of.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";

/** Input of a caller. Query and body are read once the form is reached, so that a caller without access learns nothing of the input. */
export interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: () => unknown;
  /** May return a promise, for example of a body that is not read yet. */
  readonly body?: () => unknown;
}

/** The context of a call. */
export interface CallContext {
  /** Accepts and returns the members that only the host may use; `row.host` defines them. Default false. */
  readonly asHost?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly ifMatch?: string | null;
  /** Receives the headers that the row sets on its response, such as `etag`. */
  readonly headers?: Record<string, string>;
  readonly http?: Exchange;
}

/** Result of a row over HTTP. */
export type AnswerOf<R extends Operation> = z.output<R["response"]>;

/** Result of a row for the host in process. */
export type HostAnswerOf<R extends Operation> = R extends {
  readonly host?: { readonly response?: infer S extends z.ZodType };
}
  ? z.output<S>
  : AnswerOf<R>;

const NoQuery = z.strictObject({});

/**
 * Calls a row of the table for a known caller: scope → form access → query → `admit` → body → handler → response. HTTP and
 * the calls in process all go through here, so they can't differ. Returns the members in the row's schema, or a `Response` if the row makes one
 * itself. Throws `ApiError`.
 *
 * @example
 * const form = await invoke(core, routes.retrieveForm, caller, { params: { form_id } });
 */
export async function invoke<R extends Operation>(
  core: Core,
  row: R,
  caller: Caller,
  input: Input,
  context: CallContext = {},
): Promise<AnswerOf<R> | HostAnswerOf<R> | Response> {
  const { asHost = false, signal, ifMatch = null, headers = {}, http } = context;
  if (row.scopes) assertScopes(caller, row.scopes);
  if (row.creates) assertMayCreate(caller);
  const form = await formOf(core, row, caller, input, asHost);
  const params = row.params && parseInput(row.params, input.params ?? {});
  // A row without a schema takes no parameter at all: one that is ignored here would be refused by its neighbour.
  // Monitors and caches add parameters of their own to what is open to everybody.
  const isOpen = row.query === undefined && row.unopened === true;
  const query = isOpen ? {} : parseInput(row.query ?? NoQuery, input.query?.() ?? {});
  if (row.admit) await row.admit(core, form as never);
  const schema = (asHost && row.host?.body) || row.body;
  const call: Call<unknown, unknown, unknown, Stored<FormRecord> | null> = {
    core,
    caller,
    form,
    params,
    query: row.query && query,
    body: schema && parseInput(schema, await input.body?.()),
    signal,
    ifMatch,
    headers,
    http,
  };
  const result = await row.handler(call as never);
  if (result instanceof WebResponse) return result;
  return shapeOf((asHost && row.host?.response) || row.response).parse(result) as AnswerOf<R>;
}

/** The form that the path names, found and open to the caller; null for a row without one. */
async function formOf(
  core: Core,
  row: Operation,
  caller: Caller,
  { params = {} }: Input,
  asHost: boolean,
): Promise<Stored<FormRecord> | null> {
  if (!row.form) return null;
  const id = String(params["form_id"]);
  // The host can still read the submissions of a deleted form; for everyone else the form is gone.
  if (asHost && row.form === "kept") return reachSubmissions(core, caller, id);
  return reachForm(core, caller, id);
}
