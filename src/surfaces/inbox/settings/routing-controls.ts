import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { conditionTypes } from "../../../model/routing.ts";
import type { MemberRequest } from "../visit.ts";
import { choiceName, line, select } from "./inputs.ts";
import { everything, places, type RuleRow, type TargetRow } from "./routing-rows.ts";

/** The destinations that a form has. */
export interface Destinations {
  readonly recipients: readonly string[];
  readonly webhooks: readonly (readonly [id: string, words: string])[];
  /** The condition of the spare rule. */
  readonly like?: RuleRow["conditions"][number] | null;
}

export const destinationsOf = ({ self_email_notification, webhooks }: HostForm): Destinations => ({
  recipients: self_email_notification.recipients,
  webhooks: webhooks.map(({ id, url, description }) => [id, description || url] as const),
});

const part = (words: string, control: Html): Html => html`<label>${words}${control}</label>`;
const tick = (name: string, words: string, checked: boolean): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="on"${checked && html` checked`}><span><bdi>${words}</bdi></span></label>`;

const placeOf = (row: TargetRow, address: string): string => places.find((place) => row[place].includes(address)) ?? "";

/** Who gets the email, which webhooks run, and the subject. */
function targetControl({ t }: MemberRequest, path: string, row: TargetRow, known: Destinations): Html {
  const r = t.routing;
  const addresses = [...new Set([...known.recipients, ...places.flatMap((place) => row[place])])];
  const ids = new Map(known.webhooks);
  const webhooks = [...new Set([...ids.keys(), ...row.webhooks])];
  const as = [["", r.notPicked()], ...places.map((place) => [place, r[place]()] as const)] as const;
  return html`${part(
    r.email(),
    select(html`name="${path}.email"`, row.picksEmail ? "picked" : "all", [
      ["all", r.allRecipients()],
      ["picked", r.picked()],
    ]),
  )}${addresses.map(
    (address, at) =>
      html`<div class="who"><input type="hidden" name="${path}.who.${at}.address" value="${address}"><label for="${path}.who.${at}.as"><bdi>${address}</bdi></label>${select(html`id="${path}.who.${at}.as" name="${path}.who.${at}.as"`, placeOf(row, address), as)}</div>`,
  )}${
    (webhooks.length > 0 || row.picksWebhooks) &&
    html`${part(
      r.webhooks(),
      select(html`name="${path}.hooks"`, row.picksWebhooks ? "picked" : "all", [
        ["all", r.allWebhooks()],
        ["picked", r.picked()],
      ]),
    )}${webhooks.map((id, at) => html`<input type="hidden" name="${path}.hook.${at}.id" value="${id}">${tick(`${path}.hook.${at}.on`, ids.get(id) ?? id, row.webhooks.includes(id))}`)}`
  }${part(r.subject(), line(html`name="${path}.subject"`, row.subject))}${tick(`${path}.none`, r.none(), row.none)}`;
}

const spareCondition = { field: "", type: "equals", value: "", negate: false };
export const spareRule: RuleRow = { join: "all", conditions: [], to: everything, stop: false };

function conditionControl(
  visit: MemberRequest,
  name: string,
  { field, type, value, negate }: RuleRow["conditions"][number],
): Html {
  const { t } = visit;
  // `exists` says the same.
  const types = conditionTypes.filter((one) => one !== "required" || one === type);
  return html`<div class="line">${part(t.settings.field(), line(html`name="${name}.field"`, field))}${tick(`${name}.negate`, t.routing.not(), negate)}${part(
    t.settings.check(),
    select(
      html`name="${name}.type"`,
      type,
      types.map((one) => [one, choiceName(visit, one)] as const),
    ),
  )}${part(t.settings.value(), line(html`name="${name}.value"`, value))}</div>`;
}

/** One rule, which comes after those of the form. */
export function addedRuleControl(visit: MemberRequest, path: string, row: RuleRow, known: Destinations): Html {
  return html`<input type="hidden" name="${path}.0.join" value="${row.join}"><fieldset class="rule"><legend>${visit.t.settings.ruleNew()}</legend>${row.conditions.map(
    (one, of) => conditionControl(visit, `${path}.0.if.${of}`, one),
  )}${targetControl(visit, `${path}.0.to`, row.to, known)}${tick(`${path}.0.stop`, visit.t.routing.stop(), row.stop)}</fieldset>`;
}

/** The rules of a form's routing, and a spare one. */
export function routingControl(visit: MemberRequest, path: string, text: string, known: Destinations): Html {
  const { t } = visit;
  const r = t.routing;
  const rules = JSON.parse(text) as RuleRow[];
  const joins = (["all", "any", "always"] as const).map((join) => [join, r[join]()] as const);
  const rule = (row: RuleRow, at: number, words: string): Html => {
    const name = `${path}.${at}`;
    return html`<fieldset class="rule"><legend>${words}</legend><div class="line">${part(
      r.when(),
      select(html`name="${name}.join"`, row.join, joins),
    )}${part(r.place(), html`<input class="short" name="${name}.place" inputmode="numeric" autocomplete="off" dir="ltr" value="${at + 1}">`)}</div>${[
      ...row.conditions,
      spareCondition,
    ].map((one, of) =>
      conditionControl(visit, `${name}.if.${of}`, one),
    )}${targetControl(visit, `${name}.to`, row.to, known)}${tick(`${name}.stop`, r.stop(), row.stop)}</fieldset>`;
  };
  const spare = known.like ? { ...spareRule, conditions: [known.like] } : spareRule;
  return html`${rules.map((row, at) => rule(row, at, t.settings.rule({ number: String(at + 1) })))}<details class="spare"${(rules.length === 0 || known.like) && html` open`}><summary>${t.settings.ruleNew()}</summary>${rule(spare, rules.length, t.settings.ruleNew())}</details><p class="muted">${r.clear()}</p>`;
}

/** The destinations of submissions that no rule matches. */
export function otherwiseControl(visit: MemberRequest, path: string, text: string, known: Destinations): Html {
  const row = JSON.parse(text) as TargetRow | null;
  return html`${tick(`${path}.chosen`, visit.t.routing.chosen(), row !== null)}<div class="rule when-chosen">${targetControl(visit, `${path}.to`, row ?? everything, known)}</div>`;
}
