import type { FieldFault } from "./answer.ts";

/** Functions that remove the note at a field, by the field's name. */
const notes = new WeakMap<HTMLFormElement, Map<string, () => void>>();
let count = 0;

/** Not `form.elements`, which is the field of that name where there is one. */
export const controlsOf = (form: HTMLFormElement): Iterable<Element> =>
  Reflect.get(HTMLFormElement.prototype, "elements", form);

/** Shows each field's error, and focuses the first one. */
export function mark(form: HTMLFormElement, errors: Record<string, FieldFault>): void {
  const fields = new Map<string, HTMLInputElement[]>();
  for (const control of controlsOf(form) as Iterable<HTMLInputElement>) {
    const { name, type } = control;
    if (Object.hasOwn(errors, name) && type !== "hidden") fields.set(name, [...(fields.get(name) ?? []), control]);
  }
  const undo = new Map<string, () => void>();
  for (const [name, controls] of fields) undo.set(name, note(controls, (errors[name] as FieldFault).message));
  notes.set(form, undo);
  [...fields.values()][0]?.[0]?.focus();
}

/** Removes the note at one field, or all. Returns true if that was the last one. */
export function unmark(form: HTMLFormElement, name?: string): boolean {
  const undo = notes.get(form);
  if (!undo) return false;
  for (const known of name === undefined ? [...undo.keys()] : [name]) {
    undo.get(known)?.();
    if (undo.delete(known) && !undo.size) return true;
  }
  return false;
}

/** One note for all controls of a name, as radio buttons have it. */
function note(controls: HTMLInputElement[], message: string): () => void {
  const text = document.createElement("span");
  text.id = `form-backend-${++count}`;
  text.className = "form-backend-error";
  text.textContent = message;
  // Inside of a label it would become part of the field's name.
  const last = controls.at(-1) as HTMLInputElement;
  (last.closest("label") ?? last).after(text);
  const undo = controls.map((control) => {
    const before = control.getAttribute("aria-describedby");
    control.setAttribute("aria-describedby", before ? `${before} ${text.id}` : text.id);
    control.setAttribute("aria-invalid", "true");
    return () => {
      control.removeAttribute("aria-invalid");
      if (before) control.setAttribute("aria-describedby", before);
      else control.removeAttribute("aria-describedby");
    };
  });
  return () => {
    text.remove();
    for (const restore of undo) restore();
  };
}

/** The element for results, or for what else is said: the page's own, or a new one at the end of the form. */
export function region(form: HTMLFormElement, of = "status"): Element {
  const name = `data-form-backend-${of}`;
  let place = form.querySelector(`[${name}]`);
  if (!place) {
    // Not `append`, which may be a field of that name.
    place = form.appendChild(document.createElement("p"));
    place.setAttribute(name, "");
    place.setAttribute("role", "status");
    place.setAttribute("aria-live", "polite");
  }
  return place;
}
