import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { expect, it } from "vitest";
import { runs } from "../../_support/runs.ts";
import { inboxHarness } from "./_inbox.ts";

type Node = DefaultTreeAdapterMap["node"];

const openings = [
  "<script>alert(1)</script>",
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  "</title><script>alert(1)</script>",
  "</textarea><svg onload=alert(1)>",
  '" onfocus=alert(1) autofocus x="',
  "javascript:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "--><script>alert(1)</script><!--",
  "]]><script>alert(1)</script>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "<style>@import 'https://evil.example'</style>",
  "<a href=javascript:alert(1)>x</a>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<form action=https://evil.example><button>",
  "\u202e<script>alert(1)</script>",
  "\u0000<script>alert(1)</script>",
];
const around = [
  (s: string) => s,
  (s: string) => `a@b.example${s}`,
  (s: string) => `${s}@b.example`,
  (s: string) => `https://x.example/${s}`,
  (s: string) => `&lt;${s}`,
  (s: string) => s.toUpperCase(),
  (s: string) => `${s}${s}`,
  (s: string) => encodeURI(s.toWellFormed()),
  (s: string) => `{{${s}}}`,
  (s: string) => `\n${s}`,
];
/** 200 of them. */
const payloads = openings.flatMap((text) => around.map((wrap) => wrap(text)));

/** Everything in a page that could do something. */
function faults(text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if ("tagName" in node) {
      const { tagName, attrs } = node;
      if (["iframe", "object", "embed", "style", "base"].includes(tagName)) found.push(tagName);
      for (const { name, value } of attrs) {
        if (/^on|^style$|^srcdoc$/.test(name)) found.push(`${tagName} ${name}`);
        if (
          ["href", "src", "action", "formaction"].includes(name) &&
          !/^(https?:\/\/localhost:3000\/|https:\/\/x\.example\/|mailto:|#)/.test(value)
        ) {
          found.push(`${tagName} ${name}=${value}`);
        }
        if (name === "http-equiv") found.push(name);
      }
      if (tagName === "script" && !attrs.some(({ name, value }) => name === "src" && value.includes("/assets/inbox-")))
        found.push("script");
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(text));
  return found;
}

it("shows 200 attacks as text, in every place that a visitor or tenant writes to", async () => {
  expect(payloads).toHaveLength(200);
  let said = "";
  const check = async () => ({ spam: false, check: said.slice(0, 100), reason: said });
  const backend = inboxHarness({}, { rateLimit: false, spam: { checks: [check] } });
  const form = await backend.forms.create({ name: "Contact" });
  const webhook = await backend.webhooks.create(form.id, { url: "https://x.example/hook" });
  const ann = backend.as({ name: payloads[1] as string });
  // In a short run each page brings ten of them in its fields, and one in what there is but one of.
  const each = runs(10, 1);
  for (let at = 0; at < payloads.length; at += each) {
    const [payload = "", ...others] = payloads.slice(at, at + each);
    const clean = payload.replaceAll("\u0000", "");
    await backend.forms.update(form.id, {
      name: clean.replace(/[\n\t]/g, " ").slice(0, 128),
      settings: { labels: { field: clean.replace(/[\n\t]/g, " ").slice(0, 60) } },
    });
    said = payload;
    await backend.webhooks.update(form.id, webhook.id, { description: clean.slice(0, 500) });
    const { id } = await backend.submit(form.id, {
      fields: [
        { key: clean.slice(0, 100), value: payload },
        { key: "name", value: payload },
        { key: "email", value: payload },
        { key: "field", value: payload },
        ...others.map((value) => ({ key: value.replaceAll("\u0000", "").slice(0, 100), value })),
      ],
      referer: payload,
      user_agent: payload,
    });
    const [job] = await backend.jobs.list({ submission_id: id, kind: "webhook" });
    const q = encodeURIComponent(clean);
    for (const path of [
      `/f/${form.id}`,
      `/f/${form.id}/s/${id}`,
      `/f/${form.id}/s/${id}?tab=raw`,
      `/f/${form.id}/s/${id}?tab=spam`,
      `/f/${form.id}/s/${id}?tab=delivery`,
      `/f/${form.id}/deliveries/${job?.id}`,
      `/f/${form.id}/deliveries?webhook=${q}`,
      `/f/${form.id}/deliveries/recover?webhook=${webhook.id}&since=${q}`,
      `/f/${form.id}/webhooks`,
      `/f/${form.id}/webhooks/${webhook.id}?tested=${q}`,
      `/f/${form.id}?q=${q}&limit=1`,
      `/f/${form.id}?field[${q}][eq]=${q}`,
      `/?name=${q}`,
      `/f/${form.id}/install`,
      `/all?q=${q}&limit=1`,
      `/f/${q}`,
    ]) {
      const { text } = await ann.get(path);
      expect(faults(text), `${path}: ${payload}`).toEqual([]);
    }
  }
}, 120_000);

it("finds such faults at all", () => {
  expect(faults("<p onclick=x><a href='javascript:x'>")).toEqual(["p onclick", "a href=javascript:x"]);
});

const sources = readdirSync("src/inbox", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("client"))
  .map((file) => ({ file, text: readFileSync(join("src/inbox", file), "utf8") }));

it("quotes every attribute whose value is filled in", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/html`((?:[^`\\]|\\.)*)`/g)]
      .filter(([, template = ""]) => /[\w-]=\$\{/.test(template))
      .map(() => file),
  );
  expect(wrong).toEqual([]);
});

it("writes no words into its templates: all of them are in the catalogue", () => {
  const literal = />([^<>${}]*[A-Za-z]{2,}[^<>${}]*)</g;
  const known = /^(CSV|JSON|NDJSON)$/;
  const wrong = sources
    .filter(({ file }) => /^(layout|screens)/.test(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/html`((?:[^`\\]|\\.)*)`/g)].flatMap(([, template = ""]) =>
        [...template.matchAll(literal)]
          .map(([, words = ""]) => words.trim())
          .filter((words) => !known.test(words))
          .map((words) => `${file}: ${words}`),
      ),
    );
  expect(wrong).toEqual([]);
});
