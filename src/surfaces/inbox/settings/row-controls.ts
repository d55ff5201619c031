import { type Html, html } from "../../../lib/html.ts";
import { FieldPolicy, type FieldPolicy as Policy, sinks } from "../../../model/field-policy.ts";
import { checkTypes } from "../../../model/rules.ts";
import type { MemberRequest } from "../visit.ts";
import { choiceName, line, select } from "./inputs.ts";

type Texts = Readonly<Record<string, string>>;
type Entry = readonly [name: string, texts: Texts];

/** The lines of a record, and empty ones for more. */
const withSpare = (text: string, spare: number): Entry[] => [
  ...(JSON.parse(text) as Entry[]),
  ...Array.from({ length: spare }, (): Entry => ["", {}]),
];

/** A named part of a row; the name is read by a screen reader with the number of its line. */
const part = (words: string, control: Html): Html => html`<label>${words}${control}</label>`;

/** Fields and their names for people. */
export const labelsControl = ({ t }: MemberRequest, path: string, text: string): Html =>
  html`${withSpare(text, 2).map(
    ([name, { value = "" }], at) =>
      html`<div class="line">${part(t.settings.field(), line(html`name="${path}.${at}.name"`, name))}${part(t.settings.label(), line(html`name="${path}.${at}.value"`, value))}</div>`,
  )}<p class="muted">${t.settings.clear()}</p>`;

/** Fields and their policies. */
export function policiesControl(visit: MemberRequest, path: string, text: string): Html {
  const { t } = visit;
  const named = (values: readonly string[]) => values.map((value) => [value, choiceName(visit, value)] as const);
  const stores = named(FieldPolicy.shape.store.options);
  const shown = named(FieldPolicy.shape.email.options);
  return html`${withSpare(text, 1).map(
    ([name, policy], at) =>
      html`<div class="line">${part(t.settings.field(), line(html`name="${path}.${at}.name"`, name))}${part(
        t.settings.store(),
        select(html`name="${path}.${at}.store"`, policy["store"] ?? "plain", stores),
      )}${sinks.map((sink) =>
        part(
          t.settings[sink](),
          select(
            html`name="${path}.${at}.${sink}"`,
            (policy as Partial<Policy>)[sink] ?? "",
            policy[sink] === undefined || policy[sink] === "" ? [["", t.settings.asStored()], ...shown] : shown,
          ),
        ),
      )}</div>`,
  )}<p class="muted">${t.settings.clear()}</p>`;
}

/** The rules of a form. */
export function rulesControl(visit: MemberRequest, path: string, text: string): Html {
  const { t } = visit;
  const s = t.settings;
  const rules = JSON.parse(text) as { field: string; checks: { type: string; value: string; message: string }[] }[];
  const types = [["", s.noCheck()], ...checkTypes.map((type) => [type, choiceName(visit, type)] as const)] as const;
  const check = (name: string, { type, value, message }: { type: string; value: string; message: string }): Html =>
    html`<div class="line">${part(s.check(), select(html`name="${name}.type"`, type, types))}${part(s.value(), line(html`name="${name}.value"`, value))}${part(s.message(), line(html`name="${name}.message"`, message))}</div>`;
  const none = { type: "", value: "", message: "" };
  const rule = ({ field, checks }: (typeof rules)[number], at: number, words: string): Html =>
    html`<fieldset class="rule"><legend>${words}</legend>${part(s.field(), line(html`name="${path}.${at}.field"`, field))}${[...checks, none].map((one, of) => check(`${path}.${at}.checks.${of}`, one))}</fieldset>`;
  return html`${rules.map((one, at) => rule(one, at, s.rule({ number: String(at + 1) })))}${rule({ field: "", checks: [none] }, rules.length, s.ruleNew())}<p class="muted">${s.clear()}</p>`;
}
