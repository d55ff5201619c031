import type { FormAnswer, Messages, UploadProgress } from "./answer.ts";
import { sendFiles } from "./direct.ts";
import { attend, type Extras } from "./extras.ts";
import { mark, region, unmark } from "./notes.ts";
import { createSubmitter, type Submit } from "./submit.ts";

export interface EnhanceOptions extends Messages, Extras {
  /** Tells by `form-backend:progress` how much of an upload has left. Default: where the form has an element `data-form-backend-progress`. */
  progress?: boolean | undefined;
  /**
   * `"direct"` sends files to the store behind the form before the post, past the limits of the platform, where the backend has
   * `files: { direct: true }`. Where that fails, they go with the post. Default: with the post.
   */
  uploads?: "direct" | undefined;
  /** True if the browser sends the form itself where the script can't, but is online. Default: true. */
  fallback?: boolean | undefined;
}

declare global {
  // Reached by every element, `document` and `window`, among them HTMLElementEventMap.
  interface GlobalEventHandlersEventMap {
    "form-backend:success": CustomEvent<FormAnswer>;
    /** `detail` is null if there was no readable response. */
    "form-backend:error": CustomEvent<FormAnswer | null>;
    "form-backend:progress": CustomEvent<UploadProgress>;
  }
}

const enhanced = new WeakMap<HTMLFormElement, EnhanceOptions>();
const submitters = new WeakMap<HTMLFormElement, Submit>();
const busy = new WeakSet<HTMLFormElement>();

/**
 * Posts a form without leaving its page: errors appear at the fields, linked to them for assistive technology, and the result
 * in a live region. Returns a function that gives the form back to the browser. Forms with the attribute `data-form-backend`
 * need no call. The form gets the events `form-backend:success`, `form-backend:error` and `form-backend:progress`; call
 * `preventDefault()` on the first two to do the rest yourself.
 *
 * @example
 * import { enhance } from "form-backend/browser";
 * enhance(document.querySelector("form"));
 */
export function enhance(form: HTMLFormElement, options: EnhanceOptions = {}): () => void {
  enhanced.set(form, options);
  form.addEventListener("submit", onSubmit);
  form.addEventListener("input", onInput);
  const end = attend(form, options);
  return () => {
    enhanced.delete(form);
    form.removeEventListener("submit", onSubmit);
    form.removeEventListener("input", onInput);
    end();
  };
}

/** The listener for forms without a call of `enhance`. */
export function onAnySubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  if (form.hasAttribute("data-form-backend") && !enhanced.has(form)) onSubmit(event);
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  // A page's own listener came first and said no, as the browser would take it.
  if (event.defaultPrevented) return;
  event.preventDefault();
  if (!busy.has(form)) void send(form, event.submitter as HTMLButtonElement | null);
}

/** Removes a field's error when the visitor changes the field. */
function onInput({ currentTarget, target }: Event): void {
  const form = currentTarget as HTMLFormElement;
  if (unmark(form, (target as HTMLInputElement).name)) region(form).textContent = "";
}

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  const { sending = "Sending…", progress, fallback = true, uploads, ...texts } = enhanced.get(form) ?? {};
  const submit = submitters.get(form) ?? createSubmitter();
  submitters.set(form, submit);
  unmark(form);
  // Also for forms without a call of `enhance`; the same listener is added only once.
  form.addEventListener("input", onInput);
  const data = new FormData(form);
  if (button?.name) data.append(button.name, button.value);
  const focused = document.activeElement;
  const status = region(form);
  status.textContent = sending;
  busy.add(form);
  form.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  const bar = form.querySelector<HTMLProgressElement>("[data-form-backend-progress]");
  const onProgress = (detail: UploadProgress): void => {
    if (bar) Object.assign(bar, { hidden: false, max: detail.total, value: detail.loaded });
    tell(form, "progress", detail);
  };

  const action = form.getAttribute("action") ?? "";
  const watch = progress || bar ? onProgress : undefined;
  const posted = uploads ? await sendFiles(action, data, watch) : data;
  const result = await submit(action, posted, { ...texts, onProgress: watch });
  busy.delete(form);
  form.removeAttribute("aria-busy");
  if (bar) bar.hidden = true;
  status.textContent = "";
  if (button) {
    button.disabled = false;
    // Disabling a button would take its focus, and keyboard users would lose their place.
    if (focused === button) button.focus();
  }
  const { ok, answer, message } = result;
  // A policy or an extension may keep a script from an endpoint, but not the browser itself.
  if (!ok && !result.status && navigator.onLine && fallback) {
    const more: [string, string][] = [["_idempotency_key", result.idempotency_key as string]];
    if (button?.name) more.push([button.name, button.value]);
    return leave(form, more);
  }
  if (!tell(form, ok ? "success" : "error", answer)) return;
  if (ok) HTMLFormElement.prototype.reset.call(form);
  else mark(form, result.errors);
  // A form that is no longer on the page has nowhere to go from.
  if (ok && result.redirect && form.isConnected) return location.assign(result.redirect);
  status.textContent = ok ? `${result.title} ${message}`.trim() : message;
}

const tell = (form: HTMLFormElement, type: string, detail: unknown): boolean =>
  form.dispatchEvent(new CustomEvent(`form-backend:${type}`, { bubbles: true, cancelable: true, detail }));

/** Sends the form as if there were no script. */
function leave(form: HTMLFormElement, more: [string, string][]): void {
  const added = more.map(([name, value]) => {
    const type = "hidden";
    return form.appendChild(Object.assign(document.createElement("input"), { type, name, value }));
  });
  // Not `form.submit`, which may be a field of that name.
  HTMLFormElement.prototype.submit.call(form);
  // The browser has read them; who comes back to the page finds the form as it was.
  for (const field of added) field.remove();
}
