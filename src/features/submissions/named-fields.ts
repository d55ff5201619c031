import { parseTemplate, TemplateError, type Token } from "../../lib/template.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { conditionsIn } from "../../model/routing.ts";

/** A field that a setting names. */
export interface NamedField {
  readonly field: string;
  /** The dot path of the setting. */
  readonly place: string;
}

/** Names that templates have of their own, whatever the fields are called. */
const OWN: ReadonlySet<string> = new Set([
  "fields",
  "form.id",
  "form.name",
  "submission.id",
  "submission.created_at",
  "edit_url",
  ".",
]);

/** The fields that the settings of a form name, as far as the settings are in use. Those that are never stored can't be missed. */
export function namedFields(form: FormRecord): NamedField[] {
  const { fields } = form.settings;
  const isDropped = (name: string): boolean => Object.hasOwn(fields, name) && fields[name]?.store === "drop";
  return allNamed(form).filter(({ field }) => !isDropped(field));
}

function allNamed({
  validation,
  settings,
  self_email_notification: notification,
  auto_response: reply,
}: FormRecord): NamedField[] {
  const { double_opt_in: optIn, labels, fields, routing } = settings;
  return [
    ...(validation.enabled ? validation.rules.map(({ field }) => ({ field, place: "validation.rules" })) : []),
    ...(optIn.enabled
      ? [
          { field: optIn.field, place: "settings.double_opt_in.field" },
          ...inTemplate(optIn.subject, "settings.double_opt_in.subject"),
          ...inTemplate(optIn.message, "settings.double_opt_in.message"),
        ]
      : []),
    ...(notification.enabled
      ? [
          ...inTemplate(notification.subject, "self_email_notification.subject"),
          ...inTemplate(notification.template.html, "self_email_notification.template.html"),
        ]
      : []),
    ...(reply.enabled
      ? [
          ...inTemplate(reply.subject, "auto_response.subject"),
          ...(reply.template.html === "" ? inTemplate(reply.template.message, "auto_response.template.message") : []),
          ...inTemplate(reply.template.html, "auto_response.template.html"),
        ]
      : []),
    ...routing.rules.flatMap((rule) => [
      ...conditionsIn(rule).map(({ field }) => ({ field, place: "settings.routing.rules" })),
      ...inTemplate(rule.to.subject ?? "", "settings.routing.rules"),
    ]),
    ...Object.keys(labels).map((field) => ({ field, place: "settings.labels" })),
    ...Object.keys(fields).map((field) => ({ field, place: "settings.fields" })),
  ];
}

function inTemplate(template: string, place: string): NamedField[] {
  const names = new Set<string>();
  const walk = (tokens: readonly Token[], inFields: boolean): void => {
    for (const [type, value, inner = []] of tokens) {
      const name = (type === "text" ? "" : (value.split("|")[0] ?? "")).trim();
      if (name !== "" && !OWN.has(name) && !(inFields && (name === "key" || name === "value"))) names.add(name);
      walk(inner, inFields || (type === "#" && name === "fields"));
    }
  };
  try {
    walk(parseTemplate(template), false);
  } catch (error) {
    // One that was saved by an earlier version; sending it says so.
    if (!(error instanceof TemplateError)) throw error;
  }
  return Array.from(names, (field) => ({ field, place }));
}
