import { ApiError } from "../../errors.ts";
import { safeMessage } from "../../lib/message.ts";
import { leakFinder } from "../../model/leaks.ts";
import type { Redaction } from "../../model/redaction.ts";
import { fieldMatcher } from "../../model/restriction.ts";
import type { Source } from "../../model/source.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { valuesOf } from "../../model/values.ts";
import type { InboxUser } from "../api/inbox.ts";
import { type Core, perBackend } from "../api/kernel.ts";
import type { Settings } from "./options.ts";
import type { User } from "./options-people.ts";

/** Replaces the values that a host keeps from the people of its inbox. */
export interface Redactor extends Redaction {
  /** The answer of a call with every submission in it as a person may see it, stored or not; anything else is left alone. */
  answer<T>(answer: T): T;
  /** True for a field whose values are kept back. */
  keeps(key: string): boolean;
  /** Throws `invalid_parameter` where a filter looks into such a field: who may ask often enough would find out its value. */
  assertOpen(query: URLSearchParams): void;
}

/** Shown where the host's function has failed: never the value, and not its error's message, which may hold it. */
const WITHHELD = "…";

/** Faults that the log has named. */
const said = perBackend(() => new Set<string>());

/** What the host's function returns. One that throws, or returns no text, must not take the page down or show the value. */
function replaced(core: Core, key: string, ask: () => unknown): string {
  let fault: string;
  try {
    const text = ask();
    if (typeof text === "string") return text;
    fault = text instanceof Promise ? "returned a promise" : "did not return a text";
    if (text instanceof Promise) text.catch(() => {});
  } catch {
    fault = "threw an error";
  }
  if (!said(core).has(fault)) {
    said(core).add(fault);
    core.options.logger.error(
      `the function \`redact.value\` of the inbox ${fault} for the field ${safeMessage(key)}: its values are withheld`,
    );
  }
  return WITHHELD;
}

/** The redactor of a person; null where the host keeps nothing back. */
export function redactorOf(core: Core, { redact }: Settings, user: User): Redactor | null {
  if (!redact) return null;
  const isKept = fieldMatcher(redact.fields);
  const fields = (form_id: string, all: readonly SubmissionField[]): SubmissionField[] =>
    all.map(({ key, value }) => ({
      key,
      value: isKept(key)
        ? replaced(core, key, () => redact.value({ user: { ...user } as InboxUser, form_id, key, value }))
        : value,
    }));
  const openIn = <T extends { readonly key: string }>(all: readonly T[]): T[] => all.filter(({ key }) => !isKept(key));
  const withoutLeaks = (all: readonly SubmissionField[], text: string | null): string | null =>
    text !== null && leakFinder(all.filter(({ key }) => isKept(key)))?.(text) ? null : text;
  const withoutLeaking = (all: readonly SubmissionField[], source: Source): Source =>
    Object.fromEntries(Object.entries(source).filter(([, value]) => withoutLeaks(all, value) !== null));
  const record = (one: SubmissionRecord): SubmissionRecord => {
    const attachments = openIn(one.attachments);
    return {
      ...one,
      fields: fields(one.form_id, one.fields),
      attachments,
      attached: attachments.length > 0,
      referer: withoutLeaks(one.fields, one.referer),
      subject: withoutLeaks(one.fields, one.subject),
      reply_to: withoutLeaks(one.fields, one.reply_to),
      ...(one.revisions && {
        revisions: one.revisions.map((old) => ({ ...old, fields: fields(one.form_id, old.fields) })),
      }),
      ...(one.source && { source: one.source.filter(({ value }) => withoutLeaks(one.fields, value) !== null) }),
    };
  };
  const submission = (one: HostSubmission): HostSubmission => {
    const shown = {
      ...one,
      fields: fields(one.form_id, one.fields),
      attachments: openIn(one.attachments),
      files: openIn(one.files),
      referer: withoutLeaks(one.fields, one.referer),
      ...(one.revisions && {
        revisions: one.revisions.map((old) => ({ ...old, fields: fields(one.form_id, old.fields) })),
      }),
      ...(one.source && { source: withoutLeaking(one.fields, one.source) }),
    };
    // Places in a text that is not shown would tell of it.
    const verdict = one.verdict.map(({ at, ...rest }) =>
      at ? { ...rest, at: at.filter(({ key }) => !isKept(key)) } : rest,
    );
    return { ...shown, verdict, values: valuesOf(shown) };
  };
  const shown = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(shown);
    if ("fields" in value && "form_id" in value && "verdict" in value) {
      return "attached" in value ? record(value as SubmissionRecord) : submission(value as HostSubmission);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    // A Map or a stream could hold a submission unseen.
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError("a call answered more than plain data");
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)]));
  };
  return {
    fields,
    record,
    keeps: isKept,
    answer: <T>(answer: T): T => shown(answer) as T,
    assertOpen(query) {
      for (const [param] of query) {
        const [, name] = /^field\[(.*)\]\[\w+\]$/su.exec(param) ?? [];
        if (param !== "q" && param !== "words" && (name === undefined || !isKept(name))) continue;
        const message = `\`${param}\` would look into a field that this inbox keeps back.`;
        throw new ApiError("invalid_parameter", { param, message });
      }
    },
  };
}
