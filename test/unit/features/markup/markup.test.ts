import { HtmlValidate } from "html-validate";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { MarkupInput } from "../../../../src/model/markup.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import ja from "../../../../src/texts/locales/ja.ts";
import { harness } from "../../../_support/backend.ts";

const required = { type: "required" } as const;
const rules = [
  { field: "name", checks: [required, { type: "max_length", value: "80" }] },
  { field: "email", checks: [required, { type: "email" }] },
  { field: "zip", checks: [{ type: "pattern", value: "^[0-9]{5}$" }] },
  { field: "code", checks: [{ type: "pattern", value: "AB|CD" }] },
  { field: "phone", checks: [{ type: "phone" }] },
  { field: "age", checks: [{ type: "min", value: "18" }] },
  { field: "day", checks: [{ type: "date" }] },
  { field: "topic", checks: [required, { type: "one_of", value: "Sales, Help" }] },
  { field: "country", checks: [{ type: "one_of", value: "A, B, C, D, E, F, G" }] },
  { field: "terms", checks: [required] },
  { field: "message", checks: [required, { type: "min_length", value: "10" }] },
] as const;

const validator = new HtmlValidate({
  extends: ["html-validate:recommended", "html-validate:a11y"],
  // Several ticks of one field have one name, as radio buttons do.
  rules: { "form-dup-name": ["error", { shared: ["radio", "checkbox"] }] },
});
async function faultsIn(markup: string): Promise<string[]> {
  const page = `<!DOCTYPE html>\n<html lang="en">\n<head><title>Contact</title></head>\n<body>\n<main>\n<h1>Contact</h1>\n${markup}</main>\n</body>\n</html>\n`;
  const { results } = await validator.validateString(page);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId}: ${message} (${line})`),
  );
}

async function world(given: object = { validation: { rules } }) {
  const b = harness({ rateLimit: false, locales: [de, ar, ja] });
  const { id, endpoint } = await b.forms.create({ name: "Contact", ...given });
  return { b, id, endpoint, html: (options?: MarkupInput) => b.forms.html(id, options) };
}

/** The tag of the control with this name. */
const tag = (markup: string, name: string): string => new RegExp(`<[^>]*name="${name}"[^>]*>`).exec(markup)?.[0] ?? "";

describe("the HTML of a form", () => {
  it("has a control for each rule, as its checks say", async () => {
    const { html, endpoint } = await world();
    const markup = await html();
    expect(markup).toContain(`<form action="${endpoint}" method="post">`);
    expect(tag(markup, "name")).toMatch(/type="text" autocomplete="name" maxlength="80" required/);
    expect(tag(markup, "email")).toMatch(/type="email" inputmode="email" autocomplete="email" required/);
    expect(tag(markup, "zip")).toMatch(/autocomplete="postal-code" pattern="\[0-9\]\{5\}"/);
    expect(tag(markup, "code")).toContain('pattern="[^]*(?:AB|CD)[^]*"');
    expect(tag(markup, "phone")).toContain('type="tel" inputmode="tel" autocomplete="tel"');
    expect(tag(markup, "age")).toContain('type="text" inputmode="decimal"');
    expect(tag(markup, "day")).toContain('type="date"');
    expect(tag(markup, "topic")).toContain('type="radio" value="Sales" required');
    expect(tag(markup, "country")).toContain("<select");
    expect(tag(markup, "terms")).toContain('type="checkbox" value="on" required');
    expect(tag(markup, "message")).toMatch(/<textarea .*rows="5" minlength="10" required/);
    expect(tag(markup, "_gotcha")).toContain('tabindex="-1" autocomplete="off"');
    expect(markup).toContain('<label for="form-3">Zip (optional)</label>');
    expect(markup).not.toContain("form-error-summary");
  });

  it("has no fault that html-validate finds, with and without errors, in every language", async () => {
    const { html, b } = await world();
    const errors = { name: "Please give a name.", topic: { message: "Please choose." }, terms: "Please agree." };
    const values = { name: '<Ann & "co">', topic: "Help", country: "C", terms: "on", message: "\nHello" };
    const hints = [
      { name: "name", hint: "As in your passport" },
      { name: "cv", type: "file" as const },
      { name: "days", type: "checkbox" as const, options: ["Mon", "Tue"] },
    ];
    expect(await faultsIn(await html())).toEqual([]);
    expect(await faultsIn(await html({ errors, values }))).toEqual([]);
    expect(
      await faultsIn(await html({ fields: hints, errors: { name: "No.", days: "No.", _form: "Not now." } })),
    ).toEqual([]);
    for (const language of ["de", "ar", "ja"]) expect(await faultsIn(await html({ language, errors }))).toEqual([]);
    await b.close();
  });

  it("has an error summary first, which leads to the fields and takes the focus", async () => {
    const { html } = await world();
    const markup = await html({ errors: { topic: "Please choose.", email: "No address.", other: "Too late." } });
    expect(markup).toMatch(
      /^<div class="form-error-summary" role="alert" tabindex="-1" autofocus aria-labelledby="form-problem">/,
    );
    const links = [...markup.matchAll(/<li><p>(?:<a href="#([^"]+)">)?([^<]+)/g)].map(([, id, text]) => [id, text]);
    expect(links).toEqual([
      ["form-2", "No address."],
      ["form-8-1", "Please choose."],
      [undefined, "Too late."],
    ]);
    expect(markup).toContain('<span class="form-error-prefix">Error:</span> No address.');
    expect(tag(markup, "email")).toContain('aria-invalid="true" aria-describedby="form-2-error"');
  });

  it("escapes whatever it is given", async () => {
    const evil = '"><script>alert(1)</script>';
    const { html, b, id } = await world({});
    await b.submit(id, { fields: { [evil]: "x" } });
    for (const markup of [
      await html(),
      await html({
        fields: [{ name: evil, label: evil, hint: evil, options: [evil], type: "radio" }],
        values: { [evil]: evil },
        errors: { [evil]: evil, b: evil },
      }),
    ])
      expect(markup).not.toContain("<script");
  });

  it("follows a schema of zod, the form's labels, and the fields that it is given", async () => {
    const { html, b, id } = await world({ settings: { labels: { email: "Your address" } } });
    const schema = z.object({ email: z.email(), plan: z.enum(["free", "pro"]), note: z.string().max(500).optional() });
    b.forms.useSchema(id, schema);
    const markup = await html();
    expect(markup).toContain(">Your address</label>");
    expect(tag(markup, "email")).toContain('type="email"');
    expect(tag(markup, "plan")).toContain('type="radio" value="free" required');
    expect(tag(markup, "note")).toMatch(/<textarea .*maxlength="500"(?!.*required)/);
    const own = await html({
      fields: ["note", { name: "email", required: false, autocomplete: "work email" }],
      id: "second",
    });
    expect([...own.matchAll(/name="([^"]+)"/g)].map(([, name]) => name)).toEqual(["note", "email", "_gotcha"]);
    expect(tag(own, "email")).toMatch(/id="second-2".*autocomplete="work email"(?!.*required)/);
    expect(await faultsIn(own)).toEqual([]);
  });

  it("asks for the usual fields where nothing is known, and for those that came otherwise", async () => {
    const { html, b, id } = await world({});
    const names = async () => [...(await html()).matchAll(/name="([^_"]+)"/g)].map(([, name]) => name);
    expect(await names()).toEqual(["name", "email", "message"]);
    await b.submit(id, { fields: { company: "A", email: "ann@example.com" } });
    expect(await names()).toEqual(["company", "email"]);
  });

  it("leaves a pattern to the endpoint that browsers can't read", async () => {
    const { html } = await world({
      validation: { rules: [{ field: "a", checks: [{ type: "pattern", value: "(?i)^x$" }] }] },
    });
    expect(tag(await html(), "a")).not.toContain("pattern");
  });

  it.each([
    [{ fields: [] }, "fields"],
    [{ fields: ["a", "a"] }, "fields"],
    [{ fields: [{ name: "a", type: "colour" }] }, "fields.0"],
    [{ language: "xx" }, "language"],
    [{ id: "1 x" }, "id"],
    [{ field: ["a"] }, "field"],
  ])("refuses %j", async (options, param) => {
    const { html } = await world();
    await expect(html(options as MarkupInput)).rejects.toMatchObject({
      code: "invalid_parameter",
      param: expect.stringContaining(param),
    });
  });

  it("is not found for a form that is not there", async () => {
    const { b } = await world();
    await expect(b.forms.html("nowhere")).rejects.toMatchObject({ code: "form_not_found" });
  });
});
