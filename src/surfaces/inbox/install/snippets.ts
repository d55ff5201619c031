import { escapeHtml } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";

/** A field of the form on the page. */
export interface InstallField {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "tel" | "url" | "textarea";
  readonly required: boolean;
}

/** Names that can stand in any of the languages below. Visitors invent others. */
const PLAIN = /^[A-Za-z][\w.-]{0,60}$/;
const MOST = 20;
/** A name in fewer than one of this many submissions comes from a test or a robot. */
const RARE = 20;

const usual = ["name", "email", "message"];

/** The fields that really came, most used first; usual ones for a form without submissions. */
export function installFields(
  form: HostForm,
  {
    data,
    submissions_read,
  }: { readonly data: readonly { readonly name: string; readonly count: number }[]; readonly submissions_read: number },
): InstallField[] {
  const came = data
    .filter(({ name, count }) => PLAIN.test(name) && count * RARE >= submissions_read)
    .map(({ name }) => name);
  return (came.length > 0 ? came : usual).slice(0, MOST).map((name) => {
    const label = Object.hasOwn(form.settings.labels, name) ? form.settings.labels[name] : undefined;
    const checks = form.validation.rules.filter(({ field }) => field === name).flatMap((rule) => rule.checks);
    const has = (type: string): boolean => checks.some((check) => check.type === type);
    return {
      name,
      // A label is the owner's text; signs that mean something in one of the languages are left to the name.
      label: label !== undefined && !/[{}<>&"'`\\$]/.test(label) ? label : worded(name),
      type: has("email") ? "email" : has("phone") ? "tel" : has("url") ? "url" : guessed(name),
      required: has("required"),
    };
  });
}

const worded = (name: string): string => {
  const words = name.replace(/[._-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const guessed = (name: string): InstallField["type"] =>
  /mail/i.test(name)
    ? "email"
    : /phone|tel/i.test(name)
      ? "tel"
      : /message|comment|question|text/i.test(name)
        ? "textarea"
        : /url|website/i.test(name)
          ? "url"
          : "text";

/** A snippet beside the HTML, by the name of its language. */
export type Snippets = Readonly<Record<"fetch" | "react" | "vue" | "nuxt" | "curl", string>>;

/** Code to paste for a form with these fields. Under a brand of the host's it is plain, and imports nothing with another name. */
export function snippetsOf(
  form: Pick<HostForm, "id" | "endpoint">,
  fields: readonly InstallField[],
  isBranded: boolean,
): Partial<Snippets> {
  const { react, vue, nuxt, ...plain } = allSnippets(form, fields);
  const { fetch, curl } = plain;
  return isBranded ? plain : { fetch, react, vue, nuxt, curl };
}

function allSnippets({ id, endpoint }: Pick<HostForm, "id" | "endpoint">, fields: readonly InstallField[]): Snippets {
  const sampled = Object.fromEntries(fields.map(({ name, type }) => [name, samples[type]]));
  const attributes = ({ name, type, required }: InstallField): string =>
    `name="${name}"${type === "text" || type === "textarea" ? "" : ` type="${type}"`}${required ? " required" : ""}`;
  const lines = (indent: string, control: (field: InstallField) => string): string =>
    fields.map((field) => `${indent}<label>${escapeHtml(field.label)} ${control(field)}</label>`).join("\n");
  const closed = (field: InstallField): string =>
    field.type === "textarea" ? `<textarea ${attributes(field)} />` : `<input ${attributes(field)} />`;
  const bound =
    (bind: (name: string) => string) =>
    (field: InstallField): string => {
      const own = attributes(field)
        .replace(/^name="[^"]*"/, "")
        .trim();
      return `<${field.type === "textarea" ? "textarea" : "input"} ${[own, bind(field.name)].filter(Boolean).join(" ")} />`;
    };
  return {
    fetch: `await fetch("${endpoint}", {
  method: "POST",
  headers: { "Content-Type": "application/json", Accept: "application/json" },
  body: JSON.stringify(${JSON.stringify(sampled)}),
});`,
    react: `import { FieldError, FormStatus, useForm } from "form-backend/react";

export function Contact() {
  const form = useForm("${endpoint}");
  return (
    <form {...form.props}>
${fields
  .map(
    (field) =>
      `      <label>${escapeHtml(field.label)} ${bound((name) => `{...form.field("${name}")}`)(field)}</label>\n      <FieldError form={form} name="${field.name}" />`,
  )
  .join("\n")}
      <button type="submit">Send</button>
      <FormStatus form={form} />
    </form>
  );
}`,
    vue: `<script setup>
import { FieldError, FormStatus, useForm } from "form-backend/vue";

const form = useForm("${endpoint}");
</script>

<template>
  <form v-bind="form.props">
${fields
  .map(
    (field) =>
      `    <label>${escapeHtml(field.label)} ${bound((name) => `v-bind="form.field('${name}')"`)(field)}</label>\n    <FieldError :form="form" name="${field.name}" />`,
  )
  .join("\n")}
    <button>Send</button>
    <FormStatus :form="form" />
  </form>
</template>`,
    nuxt: `<FormBackendForm form-id="${id}">\n${lines("  ", closed)}\n  <button>Send</button>\n</FormBackendForm>`,
    curl: `curl ${endpoint} -H "Accept: application/json"${fields.map(({ name, type }) => ` \\\n  --data-urlencode "${name}=${samples[type]}"`).join("")}`,
  };
}

const samples: Readonly<Record<InstallField["type"], string>> = {
  text: "Ann",
  email: "ann@example.com",
  tel: "+1 202 555 0100",
  url: "https://example.com",
  textarea: "Hello",
};
