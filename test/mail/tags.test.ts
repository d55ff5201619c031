import { describe, expect, test } from "vitest";
import { TemplateError } from "../../src/lib/template.ts";
import { renderHtml, renderText, type TagView } from "../../src/mail/tags.ts";
import { cpuTime } from "../_cpu.ts";

const view = (fields: Record<string, string | string[]> = {}): TagView => ({
  form: { id: "form1", name: "Contact & more" },
  submission: { id: "sub1", created_at: "2026-11-21T04:16:00.123Z" },
  fields: Object.entries(fields).flatMap(([key, value]) => [value].flat().map((one) => ({ key, value: one }))),
});
const ada = view({
  name: "Ada",
  email: "ada@example.com",
  topic: ["a", "b"],
  empty: "",
  "first name": "A.",
  "a.b": "nested",
});

describe("every form of tag", () => {
  const cases: [template: string, text: string][] = [
    ["Hi {{name}}!", "Hi Ada!"],
    ["Hi {{ name }}!", "Hi Ada!"],
    ["Hi {{{name}}}!", "Hi Ada!"],
    ["Hi {{&name}}!", "Hi Ada!"],
    ["{{first name}} {{a.b}}", "A. nested"],
    ["{{topic}}", "a, b"],
    ["{{missing}}|{{empty}}", "|"],
    ["{{missing | there}}", "there"],
    ["{{empty|there}}", "there"],
    ["{{name | there}}", "Ada"],
    ["{{missing | a | b}}", "a | b"],
    ["{{missing |}}", ""],
    ["{{#name}}yes {{name}}{{/name}}", "yes Ada"],
    ["{{#missing}}never{{/missing}}{{#empty}}never{{/empty}}", ""],
    ["{{^missing}}none{{/missing}}{{^empty}}none{{/empty}}{{^name}}never{{/name}}", "nonenone"],
    ["{{#topic}}[{{.}}]{{/topic}}", "[a][b]"],
    [
      "{{#fields}}{{key}}={{value}};{{/fields}}",
      "name=Ada;email=ada@example.com;topic=a;topic=b;empty=;first name=A.;a.b=nested;",
    ],
    ["{{#fields}}{{#value}}{{key}} {{/value}}{{/fields}}", "name email topic topic first name a.b "],
    ["{{^fields}}nothing{{/fields}}", ""],
    ["{{form.name}} {{form.id}}", "Contact & more form1"],
    ["{{submission.id}} {{submission.created_at}}", "sub1 2026-11-21T04:16:00.123Z"],
    ["a{{! a comment }}b", "ab"],
    ["no tags, {one} brace }} and }", "no tags, {one} brace }} and }"],
    ["", ""],
  ];
  test.each(cases)("%s", (template, text) => {
    expect(renderText(template, ada)).toBe(text);
    expect(renderHtml(template, ada)).toBe(text.replaceAll("Contact & more", "Contact &amp; more"));
  });

  test("without any field", () => {
    expect(renderText("{{name}}{{#fields}}x{{/fields}}{{^fields}}none{{/fields}}", view())).toBe("none");
  });
});

test("HTML in values is text, whichever tag shows it", () => {
  const fields = view({ name: `<b onclick="x">'&amp;'</b>` });
  const escaped = "&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;amp;&#39;&lt;/b&gt;";
  for (const tag of [
    "{{name}}",
    "{{{name}}}",
    "{{&name}}",
    "{{#name}}{{{.}}}{{/name}}",
    "{{#fields}}{{{value}}}{{/fields}}",
  ]) {
    expect(renderHtml(`<p>${tag}</p>`, fields), tag).toBe(`<p>${escaped}</p>`);
  }
  expect(renderHtml('{{missing | <i>"default"</i>}}', fields)).toBe("&lt;i&gt;&quot;default&quot;&lt;/i&gt;");
});

test("no value is ever read as a template", () => {
  const tags = "{{form.name}} {{#fields}}{{value}}{{/fields}} {{/fields}} {{> x}} {{=<% %>=}} {{{name}}}";
  const fields = view({ name: tags, other: "{{name}}" });
  expect(renderText("{{name}} {{other}}", fields)).toBe(`${tags} {{name}}`);
  expect(renderText("{{#fields}}{{value}}|{{/fields}}", fields)).toBe(`${tags}|{{name}}|`);
  expect(renderText("{{missing | no}}{{#name}}{{.}}{{/name}}", fields)).toBe(`no${tags}`);
});

test("field names are only names", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "length"];
  for (const name of names) {
    expect(renderText(`[{{${name}}}]{{#${name}}}x{{/${name}}}`, view({ other: "v" })), name).toBe("[]");
    expect(renderText(`{{${name}}}`, { ...view(), fields: [{ key: name, value: "mine" }] }), name).toBe("mine");
  }
});

test("what is built in can't be overwritten by a visitor", () => {
  const hostile = view({ "form.name": "not this", "submission.id": "nor this", fields: "nor this" });
  expect(renderText("{{form.name}} {{submission.id}} {{#fields}}{{key}},{{/fields}}", hostile)).toBe(
    "Contact & more sub1 form.name,submission.id,fields,",
  );
});

test("a value that begins a link chooses no scheme that runs something", () => {
  const link = (value: string, template = '<a href="{{site}}">x</a>') => renderHtml(template, view({ site: value }));
  for (const bad of [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "java\tscript\n:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
  ]) {
    expect(link(bad), bad).toBe('<a href="#">x</a>');
    expect(link(bad, "<img src={{{site}}}>"), bad).toBe("<img src=#>");
    expect(link(bad, "<a href='{{missing | javascript:x}}'>"), bad).toBe("<a href='#'>");
    expect(link(bad, "<p>{{site}}</p>"), bad).not.toContain("#<");
  }
  expect(link("https://example.com/?a=1&b=2")).toBe('<a href="https://example.com/?a=1&amp;b=2">x</a>');
  expect(link("mailto:a@b.c")).toBe('<a href="mailto:a@b.c">x</a>');
  expect(link("/relative")).toBe('<a href="/relative">x</a>');
  expect(link("javascript:x", '<a href="https://example.com/{{site}}">')).toBe(
    '<a href="https://example.com/javascript:x">',
  );
});

test("sections that multiply end with an error instead of filling the memory", () => {
  const many = { ...view(), fields: Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, value: "v" })) };
  const loops = (depth: number) => `${"{{#fields}}".repeat(depth)}{{key}}${"{{/fields}}".repeat(depth)}`;
  expect(renderText(loops(1), many)).toHaveLength(500 * 3 + 390);
  const before = cpuTime();
  expect(() => renderText(loops(5), many)).toThrow(TemplateError);
  expect(() => renderText(`{{#fields}}${"x".repeat(150_000)}{{/fields}}`, many)).toThrow(TemplateError);
  expect(cpuTime() - before).toBeLessThan(2_000);
});

test("a whole submission fits through a template that shows it once", () => {
  const fields = Array.from({ length: 16 }, (_, n) => ({ key: `k${n}`, value: '"'.repeat(64 * 1024) }));
  expect(renderHtml("{{#fields}}<p>{{value}}</p>{{/fields}}", { ...view(), fields })).toHaveLength(
    16 * (6 * 64 * 1024 + 7),
  );
});
