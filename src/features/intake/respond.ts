import type { ApiError, FieldError } from "../../errors.ts";
import { jsonResponse } from "../../lib/response.ts";
import { policyOf, unprotected } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { leaksValue } from "../../model/leaks.ts";
import { fieldMatcher } from "../../model/restriction.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { titleIn, toldIn } from "../../texts/locales/_told.ts";
import type { Words } from "../../texts/locales/_words.ts";
import type { Dialect, Problem } from "../dialects/_dialect.ts";
import { errorPage } from "../pages/error-page.ts";
import { type OwnLook, textsOf } from "../pages/form-pages.ts";
import { spoken } from "../pages/page.ts";

const MAX_URL = 2_000;

export interface Reply {
  readonly words: Words;
  readonly json: boolean;
  readonly form: FormRecord;
  readonly submission_id: string;
  readonly fields: readonly SubmissionField[];
  /** `_next`, where it is allowed. */
  readonly next: string | null;
  /** The address of the form's thank-you page for this post. */
  readonly thanks: () => string;
  /** The address where the sender can change the submission; null where there is none. */
  readonly edit_url: string | null;
  /** The service whose JSON the sender expects; null for ours. */
  readonly dialect: Dialect | null;
}

/** Response to an accepted post. */
export function success({
  words,
  json,
  form,
  submission_id,
  fields,
  next,
  thanks,
  edit_url,
  dialect,
}: Reply): Response {
  const { redirect } = form.after_submit;
  const target = redirect.success_url || next;
  // A URL is written into histories and logs.
  const open = unprotected(form.settings.fields, fields);
  const url =
    target && redirect.success_url && redirect.append_submission_to_url
      ? withFields(target, givenTo(form, open))
      : target;
  if (json) {
    const { headline, message } = textsOf(form, words);
    const theirs = dialect?.success?.({ message, fields: open, next: url || thanks() });
    if (theirs) return jsonResponse(theirs, 200, spoken(words));
    const answer = { code: 200, status: "success", title: headline, message, submission_id, redirect: url || null };
    return jsonResponse(edit_url === null ? answer : { ...answer, edit_url }, 200, spoken(words));
  }
  return seeOther(url || thanks());
}

/** Information about a refused post. */
export interface Refused {
  readonly words: Words;
  readonly json: boolean;
  readonly form: FormRecord | null;
  /** How its page looks without a form: that of the team, or of the backend. */
  readonly look: OwnLook;
  readonly requestId: string;
  readonly endpoint: string;
  readonly fields: readonly SubmissionField[];
  /** Fields that steer the post, for the page on which it can be corrected. */
  readonly steering: readonly SubmissionField[];
  /** File inputs and how many files came by each: no page can keep those, so they are to be chosen again. */
  readonly files: readonly { readonly key: string; readonly count: number }[];
  /** False where fields may be missing. */
  readonly whole: boolean;
  readonly page: string | null;
  /** URLs to which an accepted post may redirect, in addition to the endpoint. */
  readonly targets: readonly string[];
  readonly dialect: Dialect | null;
}

/** The response to a refused post. */
export function failure(error: ApiError, context: Refused): Response {
  const { words, json, form, requestId } = context;
  const { code, type, status, headers } = error;
  const { message, fields: faults } = toldIn(words, error);
  const title = titleIn(words, code);
  const theirs = json && context.dialect?.failure?.(problemOf(error, message, faults, context));
  if (theirs) return jsonResponse(theirs, status, { ...headers, ...spoken(words) });
  if (json) {
    // A page of another origin can't read the header.
    const again = headers["idempotency-key"];
    const body = {
      code: status,
      status: "error",
      title,
      message,
      errors: faults ?? {},
      error: {
        type,
        code,
        message,
        ...(error.param && { param: error.param }),
        ...(again && { idempotency_key: again }),
        request_id: requestId,
      },
    };
    return jsonResponse(body, status, { ...headers, ...spoken(words) });
  }
  const fail = form?.after_submit.redirect.fail_url;
  if (fail) {
    const url = new URL(fail);
    url.searchParams.set("error", code);
    return seeOther(url.href, headers);
  }
  const { endpoint, fields, files, whole, page, targets } = context;
  const isSent = (name: string): boolean => [...files, ...fields].some(({ key }) => key === name);
  // A fault of the whole form is in the message and belongs to no control.
  const { _form, ...named } = faults ?? {};
  const errors = !faults && error.param && isSent(error.param) ? { [error.param]: { message } } : named;
  const sentBefore = code === "idempotency_mismatch";
  // Without a key for a repeat nothing was stored for certain.
  const notTaken = code === "unavailable" && !headers["idempotency-key"];
  const said =
    code === "validation_failed" && Object.keys(errors).length > 0
      ? words.errors.validation_failed()
      : notTaken
        ? words.page.not_taken()
        : sentBefore
          ? words.errors.idempotency_mismatch()
          : message;
  // A steering field that says a private value again would not be kept either.
  const leaks = form && leaksValue(form.settings.fields, fields);
  return errorPage(
    words,
    form,
    context.look,
    { status, title, message: _form?.message ?? said, headers, errors },
    {
      endpoint,
      fields,
      files,
      // Under the old key, a changed post would be refused again and again.
      steering: context.steering.filter(
        ({ key, value }) => !(sentBefore && key === "_idempotency_key") && !leaks?.(value),
      ),
      showsAll: !whole || code === "empty_submission",
      incomplete: !whole,
      back: page,
      targets,
    },
  );
}

function problemOf(
  { code, status }: ApiError,
  message: string,
  faults: Readonly<Record<string, FieldError>> | undefined,
  { fields, files }: Refused,
): Problem {
  return {
    code,
    status,
    message,
    faults: Object.entries(faults ?? {}).map(([field, fault]) => ({ field, ...fault })),
    sent: new Set([...fields, ...files].map(({ key }) => key)),
  };
}

/** The fields for a success URL: not those that are kept from whoever set it. */
function givenTo(
  { redirect_restriction: restriction, settings }: FormRecord,
  fields: readonly SubmissionField[],
): readonly SubmissionField[] {
  if (!restriction) return fields;
  const { sees, without = [] } = restriction;
  const isWithheld = fieldMatcher(without);
  const isShown = (name: string): boolean => !sees || (policyOf(settings.fields, name)?.[sees] ?? "show") === "show";
  return fields.filter(({ key }) => isShown(key) && !isWithheld(key));
}

function withFields(target: string, fields: readonly SubmissionField[]): string {
  const url = new URL(target);
  for (const { key, value } of fields) {
    if (key.startsWith("_")) continue;
    const before = url.href;
    url.searchParams.append(key, value);
    if (url.href.length > MAX_URL) return before;
  }
  return url.href;
}

const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  // Headers are Latin-1, so other letters in an address are percent-encoded; otherwise the response would fail.
  new Response(null, {
    status: 303,
    headers: { location: new URL(location).href, "cache-control": "no-store", ...headers },
  });
