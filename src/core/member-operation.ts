import type { z } from "zod";
import type { Stored } from "../drivers/storage/types.ts";
import type { Caller, InboxRight, Scope } from "../model/keys.ts";
import type { Redaction } from "../model/redaction.ts";
import type { TeamRecord } from "../model/teams.ts";
import type { Call, FormOf, FormReach } from "./http/route.ts";

type Schema = z.ZodType;

/** Access to the team that a call names. `whole`: a caller restricted to forms is refused; `part`: such a caller is let in too. */
export type TeamReach = "whole" | "part";

type TeamOf<T extends TeamReach | undefined> = T extends TeamReach ? Stored<TeamRecord> : null;

/** Arguments of a member operation's handler: the person is known and allowed, the form and the team are found, the body is checked. */
export interface MemberCall<B, F, T> extends Call<undefined, undefined, B, F> {
  readonly team: T;
  /** The form that the call names, which a form of `kept` may have outlived; empty without one. */
  readonly form_id: string;
  /** Set if values are kept from the person. Only an operation that `redacts` has to use it. */
  readonly redaction: Redaction | null;
}

/**
 * Something that a person does at a screen and that has no address in the management API. It is called by `invoke` like a row of
 * the table, so a screen can't forget the rights, the team, the redaction or the audit.
 */
export interface MemberOperation<
  B extends Schema | undefined = Schema | undefined,
  R = unknown,
  F extends FormReach | undefined = FormReach | undefined,
  T extends TeamReach | undefined = TeamReach | undefined,
> {
  /** Access to the form that `params.form_id` names; left out where there is none. */
  readonly form?: F;
  /** Access to the team that `params.team_id` names; left out where there is none. */
  readonly team?: T;
  /** Scopes that are all needed; `[]` = any person. */
  readonly scopes: readonly Scope[];
  /** A right beyond the scopes. */
  readonly right?: InboxRight;
  /** Set if the operation is for those who may do everything. */
  readonly admin?: true;
  /** Set if the operation is for operators of the host, who see every team. */
  readonly operator?: true;
  readonly body?: B;
  /** Set if the handler itself applies `redaction`, for example to a stream. Every other answer is redacted on its way out. */
  readonly redacts?: true;
  /** Answers plain data with submissions anywhere in it, never a secret. */
  readonly handler: (call: MemberCall<B extends Schema ? z.output<B> : undefined, FormOf<F>, TeamOf<T>>) => Promise<R>;
  /** The entry of the audit; left out if the operation only reads. It needs `form` or `team`. */
  readonly audit?: Audited<R>;
}

/** An entry of the audit that is made once the handler has answered. */
interface Audited<R> {
  readonly action: string;
  /** The targets that the entry names. */
  readonly ids: (answer: R) => readonly string[];
  /** The team and form of the entry, where the call names neither. */
  readonly of?: (answer: R) => { readonly team_id: string; readonly form_id: string | null };
}

/** Types a member operation. In the literal, `audit` comes after `handler`, whose answer it gets. */
export function memberOperation<
  R,
  B extends Schema | undefined = undefined,
  const F extends FormReach | undefined = undefined,
  const T extends TeamReach | undefined = undefined,
>(operation: MemberOperation<B, R, F, T>): MemberOperation<B, R, F, T> {
  return operation;
}

/** True if a caller has a right beyond the scopes. */
export const hasRight = ({ scopes, rights }: Caller, right: InboxRight): boolean =>
  rights ? rights.includes(right) : scopes === "all";
