import { type Html, html } from "../../../lib/html.ts";

interface Labelled {
  readonly id: string;
  readonly label: string;
  readonly help?: string;
  /** The fault of what was posted. */
  readonly fault?: string | null | undefined;
}

/** A control with its label, its help and its fault. `control` gets the attributes that tie them together. */
export function labelled({ id, label, help, fault = null }: Labelled, control: (attributes: Html) => Html): Html {
  const ids = [fault !== null && `${id}-fault`, help !== undefined && `${id}-help`].filter(Boolean).join(" ");
  const attributes = html`id="${id}" name="${id}"${ids !== "" && html` aria-describedby="${ids}"`}${fault !== null && html` aria-invalid="true"`}`;
  return html`<div class="field"><label for="${id}">${label}</label>${
    fault !== null && html`<p class="error" id="${id}-fault" role="alert">${fault}</p>`
  }${control(attributes)}${help !== undefined && html`<p class="muted" id="${id}-help">${help}</p>`}</div>`;
}

/** A box to tick, with its words. */
export const tick = (name: string, value: string, text: string, checked: boolean): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}><span><bdi>${text}</bdi></span></label>`;
