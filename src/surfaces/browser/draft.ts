import { localDraftStorage, serverDraftStorage, type Typed } from "./draft-storage.ts";
import { controlsOf } from "./notes.ts";

type Control = HTMLInputElement & HTMLSelectElement;

/** Never stored: credentials, payment data, and fields that visitors don't fill in. */
const UNKEPT_NAME = /^$|^_|pass|token|card|cvv|ssn|secret|captcha/i;
const UNKEPT_TYPE = /^(password|file|hidden|submit|reset|button|image|fieldset|output)$/;
const UNKEPT_AUTOFILL = /^(off|cc-|one-time-code|current-password|new-password)/;

/** Stores the visitor's input until it is sent, and restores it. Returns a function that stops it. */
export function keepDraft(form: HTMLFormElement, where: "local" | "server"): () => void {
  const endpoint = new URL(form.getAttribute("action") ?? "", location.href);
  endpoint.search = endpoint.hash = "";
  const storage = (where === "server" ? serverDraftStorage : localDraftStorage)(endpoint.href);
  const ended = new AbortController();
  const on = (type: string, listener: (event: Event) => void): void =>
    form.addEventListener(type, listener, { signal: ended.signal });
  const touched = new Set<string>();
  on("input", ({ target }) => {
    touched.add((target as Control).name);
    storage.write(typedInto(form));
  });
  on("reset", storage.drop);
  // The page may take over there and keep the form from being reset.
  on("form-backend:success", storage.drop);
  on("formdata", (event) => {
    const id = storage.id();
    if (id) (event as FormDataEvent).formData.set("_draft", id);
  });
  void storage.read().then((typed) => {
    if (typed && !ended.signal.aborted) restore(form, typed, touched);
  });
  return () => {
    ended.abort();
    storage.close();
  };
}

const keptOf = (form: HTMLFormElement): Control[] =>
  ([...controlsOf(form)] as Control[]).filter(
    ({ name = "", type, autocomplete = "" }) =>
      !UNKEPT_NAME.test(name) && !UNKEPT_TYPE.test(type) && !UNKEPT_AUTOFILL.test(autocomplete),
  );

const isToggle = ({ type }: HTMLInputElement): boolean => type === "checkbox" || type === "radio";

function typedInto(form: HTMLFormElement): Typed {
  const typed: Typed = {};
  for (const control of keptOf(form)) {
    typed[control.name] ??= [];
    const values = typed[control.name] as string[];
    if (control.selectedOptions) for (const { value } of control.selectedOptions) values.push(value);
    else if (!isToggle(control) || control.checked) values.push(control.value);
  }
  return typed;
}

/** Sets values in fields that the visitor has not changed, and fires the events of typing. */
function restore(form: HTMLFormElement, typed: Typed, touched: ReadonlySet<string>): void {
  const left = new Map(Object.entries(typed));
  const begun = new Set(touched);
  const restored = keptOf(form).filter((control) => {
    const { name } = control;
    const values = left.get(name);
    if (!values || begun.has(name)) return false;
    if (control.options) for (const option of control.options) option.selected = values.includes(option.value);
    else if (isToggle(control)) control.checked = values.includes(control.value);
    else {
      const [value, ...others] = values;
      left.set(name, others);
      // Typed before this script was there, or kept by the browser.
      if (value === undefined || control.value !== control.defaultValue) return false;
      control.value = value;
    }
    return true;
  });
  // After all are set, because each event writes the draft again.
  for (const control of restored) control.dispatchEvent(new Event("input", { bubbles: true }));
}
