import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertTemplate, filled } from "../../../../../src/features/webhooks/formats/http-template.ts";
import { anyEvent, CASES, eventOf, hostile } from "../../../../_support/format-events.ts";

const ada = eventOf({
  fields: [
    { key: "name", value: 'Ada "The Countess"\n' },
    { key: "tag", value: "a" },
    { key: "tag", value: "b" },
    { key: "empty", value: "" },
    { key: "submission_id", value: "forged" },
  ],
  files: [{ key: "cv", name: "cv.pdf" }],
});

/** Those that a post could bring: of a few megabytes each, the others take seconds in every template. */
const posted = hostile.filter(
  ({ submission }) => submission.fields.reduce((sum, { key, value }) => sum + key.length + value.length, 0) < 300_000,
);

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Every tag in every place that JSON allows, and names that the hostile submissions use. */
const whole = `{
  "text": "{{name}} from {{form.name}}: {{message}}{{#fields}}\\n{{key}}={{value}}{{/fields}}{{^gone}} – \\"none\\"{{/gone}}",
  "name": {{{json name}}}, "a": [{{json a}}, {{ json __proto__ }}, null],
  {{! a comment }}
  "all": {{all_fields}}, "again": {{{json all_fields}}}, "inside": "{{all_fields}} {{json a}}",
  "id": "{{submission_id}}", "form": "{{form_id}}", "at": "{{created_at}}", "fallback": "{{nothing | none}}"
}`;
const encoded =
  "text={{message}}&a={{a}}&all={{all_fields}}&list={{json a}}{{#fields}}&f[]={{key}}:{{value}}{{/fields}}";

describe("a template of JSON", () => {
  it("fills in strings, whole values and lists", async () => {
    const template = `{"name":"{{name}}","tag":"{{tag}}","list":{{{json tag}}},"one":{{json name}},"none":{{{json gone}}},"empty":{{json empty}},"cv":{{json cv}}}`;
    assertTemplate(template, JSON_TYPE);
    expect(JSON.parse(await filled(template, JSON_TYPE, ada))).toEqual({
      name: 'Ada "The Countess"\n',
      tag: "a, b",
      list: ["a", "b"],
      one: 'Ada "The Countess"\n',
      none: null,
      empty: "",
      cv: ada.submission.attachments[0]?.url,
    });
  });

  it("has names of ours that no field takes", async () => {
    const text = await filled(
      '["{{submission_id}}", {{json submission_id}}, "{{form_id}}", "{{created_at}}"]',
      JSON_TYPE,
      ada,
    );
    const { id, form_id, created_at } = ada.submission;
    expect(JSON.parse(text)).toEqual([id, id, form_id, created_at]);
  });

  it.each([
    ['{"a": {{name}}}', /tag \{\{name\}\} outside a string literal.*line 1, column 7/],
    ['{"a": 1,\n "b": }', /is no JSON at line 2, column 7/],
    ['{"a": "x"', /is no JSON at line 1, column 10/],
    ['{"a": {{json a}} {{json b}}}', /is no JSON at line 1, column 18/],
    ['{"a": "\\{{name}}"}', /backslash right before a tag/],
    ['{"a": "\\u12{{name}}"}', /is no JSON/],
    ['{ {{#fields}}"a": 1{{/fields}} }', /section tag \{\{#fields\}\} outside a string/],
    ['{"a": "{{#b}}", "c": "{{/b}}"}', /leaves its string literal/],
    ['{"a": "{{name"}', /not closed/],
    ["{{json a}}: 1", /is no JSON/],
    ["hello", /is no JSON at line 1, column 1\b/],
  ])("%s is refused with the place", (template, message) => {
    expect(() => assertTemplate(template, JSON_TYPE)).toThrowError(
      expect.objectContaining({
        code: "invalid_parameter",
        param: "config.body",
        message: expect.stringMatching(message),
      }),
    );
  });

  it("is valid JSON for hostile submissions, and their values come out as they are", async () => {
    assertTemplate(whole, JSON_TYPE);
    expect(posted.length).toBeGreaterThan(100);
    for (const event of posted) {
      const made = JSON.parse(await filled(whole, JSON_TYPE, event)) as Record<string, unknown>;
      expect(Object.keys(made)).toEqual("text name a all again inside id form at fallback".split(" "));
      expect(made["id"]).toBe(event.submission.id);
      expect(made["all"]).toEqual(made["again"]);
      for (const { key } of event.submission.fields)
        expect(Object.keys(made["all"] as object)).toContain(key.toWellFormed());
    }
  });

  it("is valid JSON without half surrogates for any submission", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        const text = await filled(whole, JSON_TYPE, event);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
        JSON.parse(text);
      }),
      { numRuns: CASES },
    );
  });

  it("is proved by its saving: what is accepted gives JSON for any submission", async () => {
    const piece = fc.constantFrom(
      ...['"', "{", "}", "[", "]", ":", ",", "\\", "\\n", "1", "a", " ", "\n", "null", "u0041"],
      ...[
        "{{a}}",
        "{{{json a}}}",
        "{{all_fields}}",
        "{{#fields}}",
        "{{/fields}}",
        "{{^a}}",
        "{{/a}}",
        "{{! x }}",
        '"k":',
        '"{{a}}"',
      ],
    );
    const template = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          template,
          template.map((text) => `["${text}"]`),
          template.map((text) => `[${text}]`),
        ),
        async (text) => {
          try {
            assertTemplate(text, JSON_TYPE);
          } catch {
            return;
          }
          for (const event of [
            ada,
            eventOf(),
            hostile[14] as typeof ada,
            eventOf({ fields: [{ key: "a", value: '"},\\' }] }),
          ]) {
            const json = await filled(text, JSON_TYPE, event);
            expect(() => JSON.parse(json), json).not.toThrow();
          }
        },
      ),
      { numRuns: 20 * CASES },
    );
  });

  it("ends with an error for a template that multiplies a submission", async () => {
    const template = `"${"{{#fields}}{{#message}}{{message}}{{/message}}{{/fields}}".repeat(50)}"`;
    assertTemplate(template, JSON_TYPE);
    const fields = Array.from({ length: 500 }, () => ({ key: "message", value: "x".repeat(1_000) }));
    await expect(filled(template, JSON_TYPE, eventOf({ fields }))).rejects.toThrow(/multiply/);
  });
});

describe("a template of a urlencoded body", () => {
  it("percent-encodes each value, so that none becomes another parameter", async () => {
    assertTemplate(encoded, FORM_TYPE);
    for (const event of posted) {
      const text = await filled(encoded, FORM_TYPE, event);
      expect(text).toMatch(/^[\x21-\x7e]*$/);
      const made = new URLSearchParams(text);
      const { fields, attachments } = event.submission;
      const named = new Set(fields.map(({ key }) => key));
      const files = attachments.filter(({ key }) => !named.has(key));
      expect([...new Set(made.keys())].sort()).toEqual([
        "a",
        "all",
        ...(fields.length + files.length > 0 ? ["f[]"] : []),
        "list",
        "text",
      ]);
      expect(made.getAll("f[]").slice(0, fields.length)).toEqual(
        fields.map(({ key, value }) => `${key}:${value}`.toWellFormed()),
      );
    }
  });

  it.each([
    ["a={{a}}\n&b=1", /line 1, column 8/],
    ["a=ü", /column 3/],
    ["a=1%2", /column 4/],
  ])("%j is refused with the place", (template, message) => {
    expect(() => assertTemplate(template, FORM_TYPE)).toThrowError(message);
  });
});

it("a template of plain text is taken as it is", async () => {
  assertTemplate('New: {{name}} "{{submission_id}}"', "text/plain");
  expect(await filled("New: {{name}} {{json tag}}", "text/plain", ada)).toBe('New: Ada "The Countess"\n ["a","b"]');
});
