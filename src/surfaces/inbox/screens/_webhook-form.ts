import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { Webhook } from "../../../model/webhooks.ts";
import type { Kind } from "../destinations.ts";
import { faultText } from "../faults.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";
import { type Control, controlsOf } from "./_webhook-controls.ts";
import type { Values } from "./_webhook-values.ts";

interface FormOptions {
  readonly action: string;
  readonly kind: Kind;
  readonly values: Values;
  readonly fault: ApiError | null;
  readonly button: Html;
  /** The webhook that is there; null for a new one. */
  readonly stored: Webhook | null;
}

/** The controls of a webhook of one kind, with each fault next to its control. */
export function webhookForm(visit: MemberRequest, { action, kind, values, fault, button, stored }: FormOptions): Html {
  const { t } = visit;
  const asked = {
    kind,
    stored: stored !== null,
    masked: stored?.url.includes("…") === true,
    keyed: stored?.config?.credentials !== undefined,
  };
  const description: Control = { name: "description", label: t.webhook.description(), look: "text" };
  const controls = [...controlsOf(visit, asked), description];
  const at = fault && placeOf(fault, controls);
  const drawn = controls.map((control) =>
    controlHtml(control, values[control.name] ?? "", fault && at === control.name ? faultText(visit, fault) : null),
  );
  return html`<form method="post" action="${action}"><input type="hidden" name="kind" value="${kind}">${drawn}<p class="actions">${button}</p></form>`;
}

/** The control that a fault is about: `config.headers.x-key` is about the headers. The first one, for a fault of no control. */
function placeOf({ param }: ApiError, controls: readonly Control[]): string {
  const named = (param ?? "").replace(/^config\./, "").split(".")[0];
  return controls.find(({ name }) => name === named || name === param)?.name ?? controls[0]?.name ?? "";
}

function controlHtml(
  { name, label, help, look, required, example, options }: Control,
  value: string,
  fault: string | null,
): Html {
  if (look === "tick")
    return html`<div class="field"><label class="tick" for="${name}"><input type="checkbox" id="${name}" name="${name}" value="on"${value === "on" && html` checked`}><span>${label}</span></label></div>`;
  const isOwn = name === "description";
  return labelled({ id: name, label, fault, ...(help !== undefined && { help }) }, (attributes) => {
    const more = html`${required && html` required`}${example !== undefined && html` placeholder="${example}"`}${isOwn ? html` dir="auto"` : html` dir="ltr"`} autocomplete="${look === "secret" ? "new-password" : "off"}" spellcheck="false"`;
    if (look === "area")
      return html`<textarea ${attributes}${more} class="mono" rows="${name === "body" || name === "credentials" ? 6 : 3}" maxlength="40000">${value === "" ? "" : `\n${value}`}</textarea>`;
    if (look === "choice")
      return html`<select ${attributes}>${(options ?? []).map(
        ([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`,
      )}</select>`;
    return html`<input ${attributes}${more} type="${look === "secret" ? "password" : "text"}"${name === "url" && html` inputmode="url"`} value="${look === "secret" ? "" : value}" maxlength="${isOwn ? 500 : 2_048}">`;
  });
}
