import { describe, expect, test } from "vitest";
import { htmlSteps, textSteps } from "../../../../src/features/mail/tags.ts";
import { type TagView, tagBudget } from "../../../../src/lib/tags.ts";
import { TemplateError } from "../../../../src/lib/template.ts";
import { cpuTime } from "../../../_support/cpu.ts";

/** All steps of a rendering at once. */
function whole(steps: Generator<void, string>): string {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
const renderText = (template: string, view: TagView, budget = tagBudget()) => whole(textSteps(template, view, budget));
const renderHtml = (template: string, view: TagView, budget = tagBudget()) => whole(htmlSteps(template, view, budget));

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
  expect(renderText("{{#fields}}{{key}}{{/fields}}", many)).toHaveLength(500 * 3 + 390);
  const before = cpuTime();
  expect(() => renderText(`{{#fields}}${"x".repeat(150_000)}{{/fields}}`, many)).toThrow(TemplateError);
  expect(cpuTime() - before).toBeLessThan(2_000);
});

describe("a template that writes nothing ends all the same", () => {
  /** Every field has every name: `depth` sections of different names run over 500 values each. */
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
  const fields = Array.from({ length: 500 }, (_, n) => ({ key: names[n % 10] ?? "", value: "v" }));
  const many = { ...view(), fields };
  const nested = (inner: readonly string[]) =>
    inner.map((name) => `{{#${name}}}`).join("") +
    inner
      .toReversed()
      .map((name) => `{{/${name}}}`)
      .join("");

  test.each([
    ["of empty sections of ten names inside one another", nested(names)],
    ["of a subject's length", nested(["fields", ...names.slice(0, 8)])],
    [
      "of inverted sections inside",
      `{{#fields}}{{#a}}{{#b}}{{#c}}${"{{^d}}x{{/d}}".repeat(9)}{{/c}}{{/b}}{{/a}}{{/fields}}`,
    ],
    ["of one name in many empty loops", "{{#fields}}{{/fields}}".repeat(9_000)],
  ])("%s", (_, template) => {
    const before = cpuTime();
    expect(() => renderText(template, many)).toThrow(TemplateError);
    expect(() => renderHtml(template, many)).toThrow(TemplateError);
    expect(cpuTime() - before).toBeLessThan(2_000);
  });

  test("and long ones are rendered in steps, none of which uses up more than a fortieth of the budget", () => {
    for (const template of [
      "{{#fields}}{{key}}{{/fields}}".repeat(15),
      "{{fields}}".repeat(20),
      `{{#fields}}${"x".repeat(10_000)}{{/fields}}`,
      nested(["a", "b"]).repeat(5),
    ]) {
      const budget = tagBudget();
      const steps = htmlSteps(template, many, budget);
      let left = { ...budget };
      for (let step = steps.next(); !step.done; step = steps.next()) {
        expect(left.turns - budget.turns, template.slice(0, 40)).toBeLessThanOrEqual(1_100);
        expect(left.characters - budget.characters).toBeLessThanOrEqual(400_000);
        left = { ...budget };
      }
    }
  });

  test("and values count that are only looked at", () => {
    const value = `javascript:${"x".repeat(60_000)}`;
    const large = { ...view(), fields: Array.from({ length: 16 }, () => ({ key: "k", value })) };
    expect(() => renderHtml('<a href="{{fields}}">'.repeat(10), large)).toThrow(TemplateError);
  });

  test("nor does a section run inside itself", () => {
    expect(() => renderText("{{#fields}}{{#fields}}{{/fields}}{{/fields}}", many)).toThrow("inside itself");
  });

  test("subject and text of one letter share what they may cost", () => {
    const budget = tagBudget();
    const loop = "{{#fields}}{{/fields}}".repeat(28);
    renderText(loop, many, budget);
    expect(() => renderText(loop, many, budget)).toThrow(TemplateError);
  });
});

test("no scheme is put together of several values", () => {
  const parts = view({ a: "javas", b: "cript:alert(1)", c: "javascript", d: "\njava\tscript", e: "", safe: "https" });
  const cases: [template: string, html: string][] = [
    ['<a href="{{a}}{{b}}">', '<a href="javas#">'],
    ["<a href='{{a}}{{{b}}}'>", "<a href='javas#'>"],
    ['<a href="{{c}}:{{b}}">', '<a href="javascript:#">'],
    ['<a href="{{c}}://x/{{b}}{{b}}">', '<a href="javascript://x/##">'],
    ['<a href="{{d}}{{e}}:{{b}}">', '<a href="\njava\tscript:#">'],
    ['<a href="{{e}}{{e}}{{c}}{{#fields}}{{/fields}}:{{safe}}">', '<a href="javascript:#">'],
    ['<button formaction="{{a}}{{b}}">', '<button formaction="javas#">'],
    // Nothing of it is a link any more.
    ['<a href="{{a}}">{{b}}</a>', '<a href="javas">cript:alert(1)</a>'],
    ['<a href="{{safe}}://{{a}}.example/{{b}}">', '<a href="https://javas.example/cript:alert(1)">'],
    ['<a href="{{a}}" title="{{b}}">', '<a href="javas" title="cript:alert(1)">'],
    ["<a href={{a}} title={{b}}>", "<a href=javas title=cript:alert(1)>"],
  ];
  for (const [template, html] of cases) expect(renderHtml(template, parts), template).toBe(html);
});

test("a link without quotes takes no attribute of a visitor's", () => {
  const hostile = view({ site: "https://x.example onmouseover=alert`1`" });
  expect(renderHtml("<a href={{site}}>", hostile)).toBe(
    "<a href=https://x.example&#32;onmouseover&#61;alert&#96;1&#96;>",
  );
});

test("a whole submission fits through a template that shows it once", () => {
  const fields = Array.from({ length: 16 }, (_, n) => ({ key: `k${n}`, value: '"'.repeat(64 * 1024) }));
  expect(renderHtml("{{#fields}}<p>{{value}}</p>{{/fields}}", { ...view(), fields })).toHaveLength(
    16 * (6 * 64 * 1024 + 7),
  );
});
