import fc from "fast-check";
import Mustache from "mustache";
import { describe, expect, test } from "vitest";
import { parseTemplate, TemplateError, type Token, templateFault } from "../../../src/lib/template.ts";
import { harness } from "../../_support/backend.ts";
import { cpuTime } from "../../_support/cpu.ts";
import { runs } from "../../_support/runs.ts";

/** Sections inside one another, each of its own name. */
const nested = (depth: number): string => {
  const names = Array.from({ length: depth }, (_, n) => String.fromCharCode(97 + n));
  return (
    names.map((name) => `{{#${name}}}`).join("") +
    names
      .reverse()
      .map((name) => `{{/${name}}}`)
      .join("")
  );
};

describe("faults name their place", () => {
  const cases: [template: string, fault: string][] = [
    ["Hi {{name", "has a tag at line 1, column 4 that is not closed with }}"],
    ["Hi\n\n  {{{name}}", "has a tag at line 3, column 3 that is not closed with }}}"],
    ["a\n{{#name}}b", 'has a section "name" at line 2, column 1 that is not closed with {{/name}}'],
    ["{{#a}}{{#b}}{{/a}}{{/b}}", 'has a section "b" at line 1, column 7 that is not closed with {{/b}}'],
    ["{{^a}}", 'has a section "a" at line 1, column 1 that is not closed with {{/a}}'],
    ["x{{/a}}", "has {{/a}} at line 1, column 2 without {{#a}} before it"],
    ["{{> header}}", "has the tag {{> header}} at line 1, column 1, which is not offered here"],
    ["{{=<% %>=}}", "has the tag {{=<% %>=}} at line 1, column 1, which is not offered here"],
    ["{{}}", "has an empty tag at line 1, column 1"],
    ["{{# }}", "has an empty tag at line 1, column 1"],
    [`{{${"a".repeat(501)}}}`, "has a tag at line 1, column 1 that is longer than 500 characters"],
    [nested(11), "has more than 10 sections inside one another at line 1, column 61"],
    ["{{#a}}\n {{#b}}{{# a }}{{/a}}{{/b}}{{/a}}", 'has a section "a" inside itself at line 2, column 8'],
  ];
  test.each(cases)("%j", (template, fault) => expect(templateFault(template)).toBe(fault));

  test("and there is none in what parses", () => {
    for (const fine of [
      "",
      "plain",
      "{{a}} {{{b}}} {{&c}} {{! note }} {{d | e}} {{#f}}{{.}}{{/f}}{{^g}}x{{/ g }}",
      "<style>@media(max-width:1px){a{b:c}}</style>",
      nested(10),
      "{{#a}}{{^a}}{{/a}}{{/a}}{{^a}}{{#a}}{{/a}}{{/a}}{{#a}}{{/a}}",
    ]) {
      expect(templateFault(fine), fine).toBeNull();
    }
  });
});

test("what passes at save parses, and the other way round", () => {
  const piece = fc.constantFrom(
    ...[
      "{{",
      "}}",
      "{{{",
      "}}}",
      "{{#",
      "{{^",
      "{{/",
      "{{!",
      "{{&",
      "{{>",
      "{{=",
      "=",
      "a",
      "b",
      " ",
      "\n",
      "|",
      "{",
      "}",
    ],
    ...["{{#a}}", "{{/a}}", "{{^b}}", "{{/b}}", "{{{a}}}", "{{a}}"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const template = pieces.join("");
      let parses = true;
      try {
        parseTemplate(template);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
        parses = false;
      }
      expect(templateFault(template) === null, template).toBe(parses);
    }),
    { numRuns: runs(300, 2_000) },
  );
});

test("what parses gives the text that Mustache gives", () => {
  const piece = fc.constantFrom(
    ...["{{#a}}", "{{/a}}", "{{^b}}", "{{/b}}", "{{#b}}", "{{^a}}", "{{a}}", "{{&b}}", "{{{a}}}", "{{! note }}"],
    ..."\n \t".split(""),
    ...["\n", "\n", "\n\n", "\r\n", "  ", "text", " text\n", "\ntext", "{{ a\n}}"],
  );
  const written = (tokens: readonly Token[], values: Record<string, string>): string =>
    tokens
      .map(([type, value, inner = []]) => {
        if (type === "text") return value;
        if (type === "name" || type === "&") return values[value] ?? "";
        return (values[value] !== undefined) === (type === "#") ? written(inner, values) : "";
      })
      .join("");
  let parsing = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const template = pieces.join("");
      if (templateFault(template) !== null) return;
      parsing++;
      for (const values of [{}, { a: "A" }, { b: "B" }, { a: "A", b: "B" }]) {
        expect(written(parseTemplate(template), values), JSON.stringify(template)).toBe(
          Mustache.render(template, values),
        );
      }
    }),
    { numRuns: runs(1_000, 20_000) },
  );
  expect(parsing).toBeGreaterThan(100);
});

test("no template of 200 KB takes long to parse", () => {
  const size = 200 * 1024;
  const slow = [
    `{{${" ".repeat(size)}`,
    `{{{a}}${" ".repeat(size)}`,
    "{{".repeat(size / 2),
    "{{#a}}".repeat(size / 6),
    "{{a}}".repeat(size / 5),
    `{{a${" ".repeat(490)}b}}`.repeat(size / 500),
    "\n".repeat(size),
    "{{! }}\n".repeat(size / 7),
  ];
  for (const template of slow) {
    const before = cpuTime();
    templateFault(template);
    expect(cpuTime() - before, JSON.stringify(template.slice(0, 20))).toBeLessThan(1_500);
  }
});

describe("at PATCH", () => {
  const broken = "Hi {{name}},\n{{#message}}you wrote";
  const fault = 'has a section "message" at line 2, column 1 that is not closed with {{/message}}';
  const cases: [param: string, body: object][] = [
    ["self_email_notification.template.html", { self_email_notification: { template: { html: broken } } }],
    ["auto_response.template.html", { auto_response: { template: { html: broken } } }],
    ["auto_response.template.message", { auto_response: { template: { message: broken } } }],
  ];
  test.each(cases)("%s is refused with the place", async (param, body) => {
    const backend = harness();
    const form = await backend.forms.create({ name: "Contact" });
    const answer = await backend.call("PATCH", `/v1/forms/${form.id}`, { body });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: "invalid_parameter", param, message: `\`${param}\` ${fault}.` });
    await expect(backend.forms.update(form.id, body)).rejects.toMatchObject({ code: "invalid_parameter", param });
    await expect(backend.forms.create({ name: "Other", ...body })).rejects.toMatchObject({ param });
    expect((await backend.forms.get(form.id)).auto_response).toEqual(form.auto_response);
    await backend.close();
  });

  test.each(["self_email_notification", "auto_response"])("the subject of %s too", async (block) => {
    const backend = harness();
    const form = await backend.forms.create({ name: "Contact" });
    const answer = await backend.call("PATCH", `/v1/forms/${form.id}`, { body: { [block]: { subject: "{{name" } } });
    expect(answer.json.error).toMatchObject({
      param: `${block}.subject`,
      message: `\`${block}.subject\` has a tag at line 1, column 1 that is not closed with }}.`,
    });
    await backend.close();
  });

  test("201 KB are too much before they are parsed, 200 KB are not", async () => {
    const backend = harness();
    const form = await backend.forms.create({ name: "Contact" });
    const patch = (html: string) =>
      backend.call("PATCH", `/v1/forms/${form.id}`, { body: { auto_response: { template: { html } } } });
    const large = await patch(`${"x".repeat(201 * 1024)}{{`);
    expect(large.json.error).toMatchObject({
      param: "auto_response.template.html",
      message: "`auto_response.template.html` must be at most 200 KB.",
    });
    expect((await patch("é".repeat(100 * 1024))).status).toBe(200);
    expect((await patch("é".repeat(100 * 1024 + 1))).status).toBe(400);
    await backend.close();
  });
});
