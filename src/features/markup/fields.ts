import { type FormRecord, labelOf } from "../../model/form-record.ts";
import type { MarkupField, MarkupType } from "../../model/markup.ts";
import type { Check } from "../../model/rules.ts";
import { CONSENTS, choicesOf, LONG_TEXTS, looksSecret, MAX_RADIOS, TICKED } from "../pages/controls.ts";
import type { JsonField, SchemaFields } from "./schema.ts";

/** A field with everything that its control needs. */
export interface ReadyField {
  readonly name: string;
  readonly label: string;
  readonly type: MarkupType;
  readonly required: boolean;
  readonly options: readonly string[];
  readonly hint: string;
  readonly autocomplete: string;
  /** As the attribute takes it; empty for none. */
  readonly pattern: string;
  readonly minLength: number | null;
  readonly maxLength: number | null;
}

const usual = ["name", "email", "message"];

/** Names of the schema and the rules, in their order; the usual ones where there are none. */
export function namesOf(
  { validation, settings }: FormRecord,
  schema: SchemaFields | null,
  came: readonly string[],
): string[] {
  const rules = validation.enabled ? validation.rules.map(({ field }) => field) : [];
  const { enabled, field } = settings.double_opt_in;
  const known = [...(schema ? schema.fields.keys() : []), ...rules, ...(enabled ? [field] : [])];
  const names = known.length > 0 ? known : came;
  return [...new Set(names.length > 0 ? names : usual)];
}

/** A field as its rules, the schema and its name say; `given` goes before all of them. */
export function readyField(form: FormRecord, schema: SchemaFields | null, given: MarkupField): ReadyField {
  const { name } = given;
  const rules = form.validation.enabled ? form.validation.rules : [];
  const checks = rules.filter(({ field }) => field === name).flatMap((rule) => rule.checks);
  const json = schema?.fields.get(name) ?? {};
  const { enabled, field } = form.settings.double_opt_in;
  const isConfirmed = enabled && field === name;
  const options = given.options ?? choicesOf(checks) ?? textsOf(json.enum) ?? [];
  const type = given.type ?? (isConfirmed ? "email" : typeOf(name, checks, json, options));
  const own = labelOf(form)(name);
  const number = (kind: Check["type"]): number | null => {
    const found = checks.find((check) => check.type === kind);
    return found ? Number(found.value) : null;
  };
  const pattern = checks.find((check) => check.type === "pattern")?.value ?? json.pattern ?? "";
  return {
    name,
    label: given.label ?? (own === name ? (json.title ?? worded(name)) : own),
    type,
    required:
      given.required ??
      (isConfirmed || (schema?.required.has(name) ?? false) || checks.some((check) => check.type === "required")),
    options: type === "checkbox" && options.length === 0 ? [tickedBy(checks, json)] : options,
    hint: given.hint ?? json.description ?? "",
    autocomplete: given.autocomplete ?? autocompleteOf(name, type),
    pattern: type === "text" || type === "tel" ? patternOf(pattern) : "",
    minLength: number("min_length") ?? json.minLength ?? null,
    maxLength: number("max_length") ?? json.maxLength ?? null,
  };
}

const textsOf = (values: readonly unknown[] | undefined): string[] | null =>
  values?.every((value) => typeof value === "string" && value !== "") ? (values as string[]) : null;

function typeOf(name: string, checks: readonly Check[], json: JsonField, options: readonly string[]): MarkupType {
  const has = (type: Check["type"]): boolean => checks.some((check) => check.type === type);
  if (options.length > 0) return options.length > MAX_RADIOS ? "select" : "radio";
  if (has("equals") || json.const !== undefined) {
    if (TICKED.has(tickedBy(checks, json).toLowerCase())) return "checkbox";
  } else if (CONSENTS.test(name) && checks.every(({ type }) => type === "required")) return "checkbox";
  if (looksSecret(name)) return "password";
  if (has("email") || json.format === "email" || /^e?-?mail$/i.test(name)) return "email";
  if (has("phone") || /^(phone|tel|telephone|mobile)$/i.test(name)) return "tel";
  if (has("url") || json.format === "uri" || /^(url|website)$/i.test(name)) return "url";
  if (has("date") || json.format === "date") return "date";
  if (has("number") || has("min") || has("max") || json.type === "number" || json.type === "integer") return "number";
  const limit = Math.max(
    json.maxLength ?? 0,
    ...checks.map(({ type, value }) => (type === "max_length" ? Number(value) : 0)),
  );
  return LONG_TEXTS.test(name) || limit > 200 ? "textarea" : "text";
}

/** The value of a lone checkbox. */
function tickedBy(checks: readonly Check[], json: JsonField): string {
  const wanted = checks.find(({ type }) => type === "equals")?.value.trim() ?? json.const;
  return typeof wanted === "string" && wanted !== "" ? wanted : "on";
}

/** The first words of names that browsers can fill in. */
const AUTOCOMPLETE: readonly (readonly [RegExp, string])[] = [
  [/^(full[-_ ]?)?name$/i, "name"],
  [/^(first|given)[-_ ]?name$/i, "given-name"],
  [/^(last|family|sur)[-_ ]?name$/i, "family-name"],
  [/^(company|organi[sz]ation)$/i, "organization"],
  [/^(job[-_ ]?)?title$/i, "organization-title"],
  [/^(address|street)$/i, "street-address"],
  [/^(city|town)$/i, "address-level2"],
  [/^(zip|postcode|postal[-_ ]?code)$/i, "postal-code"],
  [/^country$/i, "country-name"],
  [/^(birthday|date[-_ ]?of[-_ ]?birth|dob)$/i, "bday"],
];

function autocompleteOf(name: string, type: MarkupType): string {
  if (type === "email" || type === "tel" || type === "url") return type;
  if (type === "password") return "off";
  if (type === "radio" || type === "checkbox" || type === "file") return "";
  return AUTOCOMPLETE.find(([known]) => known.test(name))?.[1] ?? "";
}

/**
 * The endpoint looks for a pattern anywhere in a value, the attribute compares the whole of it. One that browsers can't read is left
 * to the endpoint.
 */
function patternOf(source: string): string {
  if (source === "") return "";
  const whole = /^\^([^|]*[^|\\])\$$/s.exec(source)?.[1];
  const pattern = whole ?? `[^]*(?:${source})[^]*`;
  try {
    new RegExp(`^(?:${pattern})$`, "v");
    return pattern;
  } catch {
    return "";
  }
}

function worded(name: string): string {
  const words = name.replace(/[._-]+/g, " ").trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
