import { z } from "zod";
import type { Core } from "../../core/core.ts";
import type { Exchange, FormReach } from "../../core/http/route.ts";
import { hasRight, type MemberCall, type TeamReach } from "../../core/member-operation.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { reachForm } from "../../features/forms/access.ts";
import { assertMayCreate } from "../../features/forms/create.ts";
import { assertScopes } from "../../features/keys/auth.ts";
import { reachSubmissions } from "../../features/submissions/access.ts";
import { reachTeam } from "../../features/teams/access.ts";
import { facing } from "../../features/teams/face.ts";
import { parseInput } from "../../lib/input.ts";
import { WebResponse } from "../../lib/response.ts";
import { shapeOf } from "../../lib/shape-of.ts";
import type { AuditWay } from "../../model/audit.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller, InboxRight, Scope } from "../../model/keys.ts";
import type { Redaction } from "../../model/redaction.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { type Done, type Happened, keepRow } from "./audited.ts";

export type { Done };

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
  /** Keeps values from a person of the inbox; passed on to the handler. */
  readonly redaction?: Redaction | null;
  /** The way of the call, for the audit. The inbox keeps its entries itself. Default `api`. */
  readonly via?: AuditWay;
  /** Receives what a member operation has done, for the audit. */
  readonly done?: (entry: Done) => void;
}

type Schema = z.ZodType;

/** The common part of a row of the table and a member operation. */
export interface Invocable {
  readonly form?: FormReach | undefined;
  readonly team?: TeamReach | undefined;
  readonly scopes: readonly Scope[] | null;
  readonly right?: InboxRight | undefined;
  readonly admin?: true | undefined;
  readonly operator?: true | undefined;
  readonly creates?: boolean | undefined;
  readonly params?: Schema | undefined;
  readonly query?: Schema | undefined;
  readonly body?: Schema | undefined;
  readonly unopened?: boolean | undefined;
  readonly admit?: ((core: Core, form: never) => Promise<void>) | undefined;
  /** Left out by member operations, which answer only code of this package. */
  readonly response?: Schema | undefined;
  readonly host?: { readonly body?: Schema | undefined; readonly response?: Schema } | undefined;
  /** Set if the handler itself redacts its answer. */
  readonly redacts?: true | undefined;
  readonly handler: (call: never) => Promise<unknown>;
  readonly audit?:
    | {
        readonly action: string;
        readonly ids: (answer: never) => readonly string[];
        readonly of?: ((answer: never) => { readonly team_id: string; readonly form_id: string | null }) | undefined;
      }
    | undefined;
}

type Handled<R extends Invocable> = Exclude<Awaited<ReturnType<R["handler"]>>, Response>;

/** Result of a row over HTTP, or of a member operation. */
export type AnswerOf<R extends Invocable> = R extends { readonly response: infer S extends Schema }
  ? z.output<S>
  : Handled<R>;

/** Result of a row for the host in process. */
export type HostAnswerOf<R extends Invocable> = R extends {
  readonly host?: { readonly response?: infer S extends Schema };
}
  ? z.output<S>
  : AnswerOf<R>;

const NoQuery = z.strictObject({});

/**
 * Calls a row of the table, or a member operation, for a known caller: scope and right → access to form and team → query →
 * `admit` → body → handler → response. HTTP, the calls in process and the screens of the inbox all go through here, so they can't
 * differ. Returns the members in the row's schema, or a `Response` if the row makes one itself; a member operation's answer as it
 * is. Throws `ApiError`.
 *
 * @example
 * const form = await invoke(core, routes.retrieveForm, caller, { params: { form_id } });
 */
export async function invoke<R extends Invocable>(
  core: Core,
  row: R,
  caller: Caller,
  input: Input,
  context: CallContext = {},
): Promise<AnswerOf<R> | HostAnswerOf<R> | Response> {
  const { asHost = false, signal, ifMatch = null, headers = {}, http, redaction = null, via = "api" } = context;
  assertAllowed(row, caller);
  const form = await formOf(core, row, caller, input, asHost);
  const team = row.team ? await reachTeam(core, caller, String(input.params?.["team_id"])) : null;
  const params = row.params && parseInput(row.params, input.params ?? {});
  // A row without a schema takes no parameter at all: one that is ignored here would be refused by its neighbour.
  // Monitors and caches add parameters of their own to what is open to everybody.
  const isOpen = row.query === undefined && row.unopened === true;
  const query = isOpen ? {} : parseInput(row.query ?? NoQuery, input.query?.() ?? {});
  if (row.admit) await row.admit(core, form as never);
  const schema = (asHost && row.host?.body) || row.body;
  const call: Omit<MemberCall<unknown, Stored<FormRecord> | null, Stored<TeamRecord> | null>, "params" | "query"> & {
    readonly params: unknown;
    readonly query: unknown;
  } = {
    core: form ? await facing(core, form.value.team_id) : core,
    caller,
    form,
    form_id: row.form ? String(input.params?.["form_id"]) : "",
    team,
    redaction,
    params,
    query: row.query && query,
    body: schema && parseInput(schema, await input.body?.()),
    signal,
    ifMatch,
    headers,
    http,
  };
  const result = await row.handler(call as never);
  const team_id = team?.id ?? form?.value.team_id;
  const at =
    row.audit?.of?.(result as never) ?? (team_id === undefined ? null : { team_id, form_id: form?.id ?? null });
  if (row.audit && at) context.done?.({ action: row.audit.action, ...at, ids: row.audit.ids(result as never) });
  if (via !== "inbox" && via !== "link") {
    const of = form && { id: form.id, team_id: form.value.team_id };
    await keepRow(core, caller, via, row, of, {
      params: (call.params ?? input.params ?? {}) as Happened["params"],
      query: (call.query ?? {}) as Happened["query"],
      body: (call.body ?? {}) as Happened["body"],
      result,
    });
  }
  if (result instanceof WebResponse) return result;
  const response = (asHost && row.host?.response) || row.response;
  return (response ? shapeOf(response).parse(result) : result) as AnswerOf<R>;
}

/** Throws `insufficient_scope` and `form_access_restricted`. */
function assertAllowed({ scopes, right, admin, operator, creates, team }: Invocable, caller: Caller): void {
  if (scopes) assertScopes(caller, scopes);
  if (operator && !caller.operator) throw new ApiError("insufficient_scope");
  if ((right && !hasRight(caller, right)) || (admin && caller.scopes !== "all"))
    throw new ApiError("insufficient_scope");
  if (creates) assertMayCreate(caller);
  if (team === "whole" && caller.form_ids) throw new ApiError("form_access_restricted");
}

/** The form that the path names, found and open to the caller; null for a row without one. */
async function formOf(
  core: Core,
  row: Invocable,
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
