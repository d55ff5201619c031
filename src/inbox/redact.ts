import type { InboxUser } from "../api/inbox.ts";
import { ApiError } from "../errors.ts";
import type { HostSubmission, SubmissionField } from "../model/submissions.ts";
import { valuesOf } from "../model/values.ts";
import type { Settings, User } from "./options.ts";

/** Puts other values in the place of those that a host keeps from the people of its inbox. */
export interface Redactor {
  /** The fields as a person may see them. */
  fields(form_id: string, fields: readonly SubmissionField[]): SubmissionField[];
  /** A submission, or a list of them, as a person may see it; anything else is left alone. */
  answer<T>(answer: T): T;
  /** True for a field whose values are kept back. */
  keeps(key: string): boolean;
  /** Throws `invalid_parameter` where a filter looks into such a field: who may ask often enough would find out its value. */
  assertOpen(query: URLSearchParams): void;
}

/** A name with `*` for any characters. */
const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, "[^]*")}$`, "iu");

/** The redactor of a person; null where the host keeps nothing back. */
export function redactorOf({ redact }: Settings, user: User): Redactor | null {
  if (!redact) return null;
  const patterns = redact.fields.map(patternOf);
  const isKept = (key: string): boolean => patterns.some((pattern) => pattern.test(key));
  const fields = (form_id: string, all: readonly SubmissionField[]): SubmissionField[] =>
    all.map(({ key, value }) => ({
      key,
      value: isKept(key) ? String(redact.value({ user: { ...user } as InboxUser, form_id, key, value })) : value,
    }));
  const submission = (one: HostSubmission): HostSubmission => {
    const shown = { ...one, fields: fields(one.form_id, one.fields) };
    // Places in a text that is not shown would tell of it.
    const verdict = one.verdict.map(({ at, ...rest }) =>
      at ? { ...rest, at: at.filter(({ key }) => !isKept(key)) } : rest,
    );
    return { ...shown, verdict, values: valuesOf(shown) };
  };
  const isSubmission = (value: unknown): value is HostSubmission =>
    typeof value === "object" && value !== null && "fields" in value && "form_id" in value && "verdict" in value;
  return {
    fields,
    keeps: isKept,
    answer<T>(answer: T): T {
      if (isSubmission(answer)) return submission(answer) as T;
      const data: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, "data") : null;
      if (!Array.isArray(data) || !data.some(isSubmission)) return answer;
      return { ...answer, data: data.map((one) => (isSubmission(one) ? submission(one) : one)) };
    },
    assertOpen(query) {
      for (const [param] of query) {
        const [, name] = /^field\[(.*)\]\[\w+\]$/su.exec(param) ?? [];
        if (param !== "q" && (name === undefined || !isKept(name))) continue;
        const message = `\`${param}\` would look into a field that this inbox keeps back.`;
        throw new ApiError("invalid_parameter", { param, message });
      }
    },
  };
}
