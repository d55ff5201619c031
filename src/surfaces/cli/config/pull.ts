import { isPlain } from "../../../lib/merge.ts";
import { formAsCode } from "../../../model/form-as-code.ts";
import type { LiveForm } from "./live.ts";
import { variableOf } from "./load.ts";

type Plain = Readonly<Record<string, unknown>>;

/** A form as a file has it. */
export const pulled = (key: string, { form, settings }: LiveForm): Plain => formAsCode(key, form, settings);

/** What a file leaves out of a form, because it names things of this installation by their ids. */
export const leftOut = ({ form, settings }: LiveForm): string[] => [
  ...(form.self_email_notification.sender.server_id ? ["self_email_notification.sender.server_id"] : []),
  ...(settings.reply_attachments.length > 0 ? ["settings.reply_attachments"] : []),
];

/** A file of forms. */
export function configSource(team: string, forms: Readonly<Record<string, Plain>>): string {
  const body = print({ ...(team !== "default" && { team }), forms }, "");
  const names = body.includes("env(") ? "defineForms, env" : "defineForms";
  return `import { ${names} } from "form-backend/config";\n\nexport default defineForms(${body});\n`;
}

/** A value as TypeScript. */
function print(value: unknown, indent: string): string {
  const variable = variableOf(value);
  if (variable !== null) return `env(${JSON.stringify(variable)})`;
  const inner = `${indent}  `;
  const block = (open: string, lines: readonly string[], close: string): string =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
  if (Array.isArray(value)) {
    return block(
      "[",
      value.map((entry) => print(entry, inner)),
      "]",
    );
  }
  if (!isPlain(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    // As a computed name, it is a member and not the prototype.
    const written =
      name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${written}: ${print(member, inner)}`;
  });
  return block("{", members, "}");
}
