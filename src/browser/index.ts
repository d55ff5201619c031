/** What the endpoint answers to a post that asks for JSON. */
export interface FormAnswer {
  /** The HTTP status. */
  code: number;
  status: "success" | "error";
  title: string;
  message: string;
  submission_id?: string;
  /** Where the form's owner sends visitors next. */
  redirect?: string | null;
  /** What is wrong with single fields, by name. */
  errors?: Record<string, { message: string; rule: string }>;
}

/** What visitors read where the endpoint could not be asked. */
export interface EnhanceOptions {
  /** Default: "You are offline. Please try again when you are connected." */
  offline?: string;
  /** Default: "Something went wrong. Please try again." */
  failed?: string;
}

const KEY = "_idempotency_key";
const enhanced = new WeakMap<HTMLFormElement, EnhanceOptions>();
const busy = new WeakSet<HTMLFormElement>();
/** The key of a post that no answer has come to yet. */
const keys = new WeakMap<HTMLFormElement, string>();
const shown = new WeakMap<HTMLFormElement, (() => void)[]>();
let count = 0;

/**
 * Posts a form without leaving its page: what is wrong stands at the fields, which are told to assistive technology, and
 * the outcome in a live region. Answers a function that gives the form back to the browser. Forms with the attribute
 * `data-form-backend` need no call. The form gets the events `form-backend:success` and `form-backend:error` with the
 * answer as `detail`; `preventDefault()` leaves what follows to the page.
 *
 * @example
 * import { enhance } from "form-backend/browser";
 * enhance(document.querySelector("form"));
 */
export function enhance(form: HTMLFormElement, options: EnhanceOptions = {}): () => void {
  enhanced.set(form, options);
  form.addEventListener("submit", onSubmit);
  return () => {
    enhanced.delete(form);
    form.removeEventListener("submit", onSubmit);
  };
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  // A page's own listener came first and said no, as the browser would take it.
  if (event.defaultPrevented) return;
  event.preventDefault();
  if (!busy.has(form)) void send(form, event.submitter as HTMLButtonElement | null);
}

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  const {
    offline = "You are offline. Please try again when you are connected.",
    failed = "Something went wrong. Please try again.",
  } = enhanced.get(form) ?? {};
  clear(form);
  const data = new FormData(form);
  if (button?.name) data.append(button.name, button.value);
  // Kept until an answer comes, so that a post whose answer was lost is not stored twice, however it is sent again.
  const key = keys.get(form) ?? Math.random().toString(36).slice(2) + Date.now().toString(36);
  keys.set(form, key);
  if (!data.has(KEY)) data.append(KEY, key);
  const focused = document.activeElement;
  const status = region(form);
  status.textContent = "";
  busy.add(form);
  form.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;

  let answer: FormAnswer | null = null;
  let reached = true;
  try {
    const action = form.getAttribute("action") ?? "";
    const response = await fetch(action, { method: "POST", body: data, headers: { accept: "application/json" } });
    // 409: the post before is still on its way. From 500 on a proxy may have lost its answer. Both are to be had under the same key.
    if (response.status !== 409 && response.status < 500) keys.delete(form);
    answer = await response.json().catch(() => null);
  } catch {
    reached = false;
  }
  busy.delete(form);
  form.removeAttribute("aria-busy");
  if (button) {
    button.disabled = false;
    // A disabled button loses the focus, and whoever uses a keyboard their place.
    if (focused === button) button.focus();
  }
  // What keeps a script from an endpoint, such as a policy or an extension, may not concern the browser itself.
  if (!reached && navigator.onLine)
    return leave(form, [[KEY, key], ...(button?.name ? [[button.name, button.value]] : [])]);

  const success = answer?.status === "success";
  const type = `form-backend:${success ? "success" : "error"}`;
  if (!form.dispatchEvent(new CustomEvent(type, { bubbles: true, cancelable: true, detail: answer }))) return;
  if (success) HTMLFormElement.prototype.reset.call(form);
  if (success && answer?.redirect) return location.assign(answer.redirect);
  mark(form, answer?.errors ?? {});
  if (!answer) status.textContent = reached ? failed : offline;
  else status.textContent = success ? `${answer.title} ${answer.message}` : answer.message;
}

/** Sends the form as if there were no script. */
function leave(form: HTMLFormElement, more: string[][]): void {
  const added = more.map(([name = "", value = ""]) => {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    return field;
  });
  form.append(...added);
  // Not `form.submit`, which may be a field of that name.
  HTMLFormElement.prototype.submit.call(form);
  // The browser has read them; who comes back to the page finds the form as it was.
  for (const field of added) field.remove();
}

/** Where outcomes are told: the page's own element, or one at the end of the form. */
function region(form: HTMLFormElement): Element {
  const known = form.querySelector("[data-form-backend-status]");
  if (known) return known;
  const status = document.createElement("p");
  status.dataset["formBackendStatus"] = "";
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  form.append(status);
  return status;
}

/** Says at each field what is wrong with it, and goes to the first one. */
function mark(form: HTMLFormElement, errors: NonNullable<FormAnswer["errors"]>): void {
  const undo: (() => void)[] = [];
  // Of controls with one name, as radio buttons have, the first carries the message.
  const done = new Set<string>();
  let first: HTMLElement | undefined;
  for (const control of form.elements as unknown as Iterable<HTMLInputElement>) {
    const { name, type } = control;
    if (!Object.hasOwn(errors, name) || done.has(name) || type === "hidden") continue;
    done.add(name);
    const note = document.createElement("span");
    note.id = `form-backend-${++count}`;
    note.className = "form-backend-error";
    note.textContent = errors[name]?.message ?? "";
    // Inside of a label it would become part of the field's name.
    (control.closest("label") ?? control).after(note);
    const described = control.getAttribute("aria-describedby");
    control.setAttribute("aria-describedby", described ? `${described} ${note.id}` : note.id);
    control.setAttribute("aria-invalid", "true");
    undo.push(() => {
      note.remove();
      control.removeAttribute("aria-invalid");
      if (described) control.setAttribute("aria-describedby", described);
      else control.removeAttribute("aria-describedby");
    });
    first ??= control;
  }
  shown.set(form, undo);
  first?.focus();
}

function clear(form: HTMLFormElement): void {
  for (const undo of shown.get(form) ?? []) undo();
  shown.delete(form);
}

// One listener for all, so that forms which come later need nothing. Servers import this file too, for nothing.
if (typeof document !== "undefined") {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.matches("[data-form-backend]") && !enhanced.has(form)) onSubmit(event);
  });
}
