import type { FormAnswer, Messages, SubmitResult, UploadProgress } from "./answer.ts";
import { type FormInput, fingerprint, toFormData } from "./data.ts";

export interface SubmitOptions extends Messages {
  /** Cancels the request; `submitForm` then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called with the progress of an upload. Only if the data contains a file. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Default: a new one for each call. Give a retry the one of the result before. */
  idempotencyKey?: string | undefined;
}

export type Submit = (url: string, data: FormInput, options?: SubmitOptions) => Promise<SubmitResult>;

const KEY = "_idempotency_key";

/** Browser features that other platforms may lack. */
interface Surroundings {
  XMLHttpRequest?: new () => Upload;
  navigator?: { onLine?: boolean };
}
interface Upload {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((progress: UploadProgress) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: FormData): void;
  abort(): void;
}

/** The HTTP status and the body of a response. */
type Exchange = [status: number, body: string];

/**
 * Posts data to a form's endpoint and returns the result. Needs no page. The key is sent as the field `_idempotency_key`,
 * because a header would cause a preflight on every cross-origin post.
 *
 * Never throws, except for the reason of an aborted signal (an `AbortError` by default).
 *
 * @example
 * const result = await submitForm("https://app.example.com/forms/f/Ab3…", { email: "ann@example.com" });
 * if (!result.ok) console.log(result.message, result.errors.email?.message);
 */
export async function submitForm(url: string, data: FormInput, options: SubmitOptions = {}): Promise<SubmitResult> {
  const { signal, onProgress, idempotencyKey = newKey(), offline = OFFLINE, failed = FAILED } = options;
  signal?.throwIfAborted();
  const { XMLHttpRequest, navigator } = globalThis as Surroundings;
  const body = toFormData(data);
  if (!body.get(KEY)) body.set(KEY, idempotencyKey);
  const key = body.get(KEY) as string;
  const failure = { ok: false as const, errors: {}, request_id: null, idempotency_key: key, answer: null };
  let exchange: Exchange;
  try {
    // Only XMLHttpRequest knows how much has left, and listening to that makes every cross-origin post ask leave first.
    const watched = onProgress && [...body.values()].some((value) => typeof value !== "string" && value.size);
    exchange = await (watched && XMLHttpRequest
      ? upload(new XMLHttpRequest(), url, body, signal, onProgress)
      : post(url, body, signal));
  } catch {
    signal?.throwIfAborted();
    const message = navigator?.onLine === false ? offline : failed;
    return { ...failure, code: "network", status: 0, message };
  }
  const [status, text] = exchange;
  const answer = read(text);
  if (!answer) return { ...failure, code: "bad_response", status, message: failed };
  const { submission_id = "", message = "", redirect = null, errors = {}, error } = answer;
  // Not every dialect has words for a success.
  const { title = message ? "" : "Thank you!" } = answer;
  if (accepted(answer)) return { ok: true, submission_id, title, message, redirect, answer };
  return {
    ok: false,
    code: error?.code ?? "bad_response",
    status,
    message: message || failed,
    errors,
    request_id: error?.request_id ?? null,
    // 409: the post before is still running. From 500 on, a proxy may have lost the response.
    idempotency_key: status === 409 || status >= 500 ? key : null,
    answer,
  };
}

/**
 * A `submitForm` for one form. It sends the same data under the same idempotency key until there is a response: a post with a
 * lost response, or a cancelled one, is stored once even if you send it several times. Changed data is a new post.
 */
export function createSubmitter(): Submit {
  let last: { print: string; key: string } | null = null;
  return async (url, data, options) => {
    const body = toFormData(data);
    const print = fingerprint(body);
    if (last?.print !== print) last = { print, key: options?.idempotencyKey ?? newKey() };
    const attempt = last;
    const result = await submitForm(url, body, { ...options, idempotencyKey: attempt.key });
    if (last === attempt && (result.ok || !result.idempotency_key)) last = null;
    return result;
  };
}

const OFFLINE = "You are offline. Please try again when you are connected.";
const FAILED = "Something went wrong. Please try again.";

// `crypto.randomUUID` is missing on pages without TLS. The key need not be secret.
const newKey = (): string => Math.random().toString(36).slice(2) + Date.now().toString(36);

async function post(url: string, body: FormData, signal: AbortSignal | undefined): Promise<Exchange> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { accept: "application/json" },
    signal: signal ?? null,
  });
  return [response.status, await response.text()];
}

function upload(
  request: Upload,
  url: string,
  body: FormData,
  signal: AbortSignal | undefined,
  onProgress: (progress: UploadProgress) => void,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    request.open("POST", url);
    request.setRequestHeader("accept", "application/json");
    request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
    request.onload = () => resolve([request.status, request.responseText]);
    request.onerror = request.onabort = () => reject();
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** The endpoint's response; null if it comes from something in between, such as a proxy during a deploy. */
function read(text: string): FormAnswer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return answer && typeof answer === "object" ? (answer as FormAnswer) : null;
  } catch {
    return null;
  }
}

/** Also in the format of services whose dialect the form may use. */
const accepted = (answer: FormAnswer & { ok?: unknown; success?: unknown }): boolean =>
  answer.status === "success" || answer.ok === true || answer.success === true;
