import type { ApiError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { jsonResponse } from "../lib/response.ts";
import { errorPage, thankYouPage } from "../pages/form-pages.ts";
import type { SubmissionField } from "../submissions/schema.ts";

const MAX_URL = 2_000;

/** Whether a post is answered in JSON rather than with a page or a redirect. */
export function wantsJson(headers: Headers, mediaType: string): boolean {
  if (mediaType === "application/json" || headers.get("x-requested-with")?.toLowerCase() === "xmlhttprequest")
    return true;
  const accept = headers.get("accept") ?? "";
  const [json, page] = [preference(accept, "application/json"), preference(accept, "text/html")];
  // `application/json, */*`, as many clients write it, is meant to prefer what it names.
  return json.weight > page.weight || (json.weight > 0 && json.weight === page.weight && json.named && !page.named);
}

/** The weight that `Accept` gives to a type, by its most specific range, and whether that names it. */
function preference(accept: string, type: string): { weight: number; named: boolean } {
  const ranges = ["*/*", type.replace(/\/.*/, "/*"), type];
  let best = -1;
  let weight = 0;
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const specific = ranges.indexOf(name);
    if (specific <= best) continue;
    best = specific;
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weight = q === undefined ? 1 : Number(q) || 0;
  }
  return { weight, named: best === 2 };
}

export interface Reply {
  readonly json: boolean;
  readonly form: FormRecord;
  readonly submission_id: string;
  readonly fields: readonly SubmissionField[];
  /** `_next`, where it is allowed. */
  readonly next: string | null;
  readonly page: string | null;
}

/** The answer to a post that was accepted. */
export function success({ json, form, submission_id, fields, next, page }: Reply): Response {
  const { redirect, page: settings } = form.after_submit;
  const target = redirect.success_url || next;
  const url = target && redirect.success_url && redirect.append_submission_to_url ? withFields(target, fields) : target;
  if (json) {
    return jsonResponse({
      code: 200,
      status: "success",
      title: settings.headline,
      message: settings.message,
      submission_id,
      redirect: url || null,
    });
  }
  return url ? seeOther(url) : thankYouPage(form, page);
}

/** The answer to a post that was refused. */
export function failure(
  error: ApiError,
  context: {
    readonly json: boolean;
    readonly form: FormRecord | null;
    readonly requestId: string;
    readonly endpoint: string;
    readonly fields: readonly SubmissionField[];
    /** Fields that steer the post, for the page on which it can be corrected. */
    readonly hidden: readonly SubmissionField[];
    /** File inputs and how many files came by each: no page can keep those, so they are to be chosen again. */
    readonly files: readonly { readonly key: string; readonly count: number }[];
    readonly page: string | null;
  },
): Response {
  const { json, form, requestId } = context;
  const title = titles[error.status] ?? "This did not work";
  if (json) {
    const { code, type, message, status } = error;
    const body = {
      code: status,
      status: "error",
      title,
      message,
      errors: error.fields ?? {},
      error: { type, code, message, ...(error.param && { param: error.param }), request_id: requestId },
    };
    return jsonResponse(body, status, error.headers);
  }
  const fail = form?.after_submit.redirect.fail_url;
  if (fail) {
    const url = new URL(fail);
    url.searchParams.set("error", error.code);
    return seeOther(url.href, error.headers);
  }
  // What is wrong with the whole form stands in the message and belongs to no control.
  const { _form, ...errors } = error.fields ?? {};
  const { status, message, headers } = error;
  const { endpoint, fields, hidden, files, page } = context;
  return errorPage(form, { status, title, message, headers, errors }, { endpoint, fields, hidden, files, back: page });
}

const titles: Readonly<Record<number, string>> = {
  400: "Nothing to send",
  403: "Not accepted",
  404: "Form not found",
  409: "Please wait a moment",
  413: "Too large",
  415: "Not supported",
  422: "Please check your entries",
  429: "Too many submissions",
  500: "Something went wrong",
  503: "Please try again",
};

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
  // Headers are Latin-1: an address with other letters goes out percent-encoded, or the answer could not be made.
  new Response(null, {
    status: 303,
    headers: { location: new URL(location).href, "cache-control": "no-store", ...headers },
  });
