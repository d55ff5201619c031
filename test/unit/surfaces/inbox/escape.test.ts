import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { expect, it } from "vitest";
import { sections } from "../../../../src/surfaces/inbox/settings/leaves.ts";
import { runs } from "../../../_support/runs.ts";
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
      // The frame of a preview or a trial, in which nothing runs.
      const own = new Map(attrs.map(({ name, value }) => [name, value]));
      const isPreview =
        tagName === "iframe" &&
        !own.has("srcdoc") &&
        /^(preview|trial)$/.test(own.get("name") ?? "") &&
        !/none|allow-(scripts|forms|top)/.test(own.get("sandbox") ?? "none");
      if (["iframe", "object", "embed", "style", "base"].includes(tagName) && !isPreview) found.push(tagName);
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

/** The documents within frames. */
function srcdocs(text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if ("attrs" in node) for (const { name, value } of node.attrs) if (name === "srcdoc") found.push(value);
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
  const from = "hello@x.example";
  const server = await backend.emailServers.create({ name: "Ours", host: "smtp.x.example", port: 587, from });
  const ann = backend.as({ name: payloads[1] as string });
  // In a short run each page brings ten of them in its fields, and one in what there is but one of.
  const each = runs(10, 1);
  for (let at = 0; at < payloads.length; at += each) {
    const [payload = "", ...others] = payloads.slice(at, at + each);
    const clean = payload.replaceAll("\u0000", "");
    await backend.forms.update(form.id, {
      name: clean.replace(/[\n\t]/g, " ").slice(0, 128),
      settings: {
        labels: {
          field: clean.replace(/[\n\t]/g, " ").slice(0, 60),
          [clean.replace(/[\n\t]/g, " ").slice(0, 60)]: "x",
        },
      },
    });
    said = payload;
    await backend.webhooks.update(form.id, webhook.id, { description: clean.slice(0, 500) });
    const line = clean.replace(/\p{Cc}/gu, " ").slice(0, 128);
    await backend.teams.update("default", { name: line });
    await backend.emailServers.update(server.id, { name: line });
    const key = await backend.keys.create({ name: line, scopes: "all" });
    const { id } = await backend.submit(form.id, {
      fields: [
        { key: clean.slice(0, 100), value: payload },
        { key: "name", value: payload },
        { key: "email", value: payload },
        { key: "field", value: payload },
        { key: "reply", value: "bo@x.example" },
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
      `/f/${form.id}/stats?by=${q}`,
      `/f/${form.id}/stats/checkup`,
      `/f/${form.id}/spam/backtest`,
      `/f/${form.id}/spam/backtest?without=${q}`,
      `/f/${form.id}/install?checked=${q}&page=${q}`,
      `/f/${form.id}/stats?by=field&interval=${q}`,
      ...sections.map((section) => `/f/${form.id}/settings/${section}`),
      `/all?q=${q}&limit=1`,
      `/people?team=${q}`,
      "/team",
      `/team?team=${q}`,
      "/audit",
      `/audit?action=${q}&user=${q}&form=${q}`,
      "/keys",
      `/keys?revoke=${key.id}`,
      "/email-servers",
      `/email-servers?server=${server.id}`,
      `/email-servers?server=${server.id}&confirm=delete`,
      `/f/${q}`,
    ]) {
      const { text } = await ann.get(path);
      expect(faults(text), `${path}: ${payload}`).toEqual([]);
    }
    // Previews have a policy of their own: no script at all, whatever a template brings.
    for (const kind of ["page", "error", "notification", "reply"]) {
      const { headers, text } = await ann.get(`/f/${form.id}/preview/${kind}?submission=${id}&scheme=${q}&format=${q}`);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, kind).toMatch(/(^|; )default-src 'none'/);
      expect(policy, kind).not.toMatch(/script-src|unsafe-eval|allow-scripts/);
      // A mail is a document of its own, in a frame without scripts.
      const mails = srcdocs(text);
      const frame = mails.length > 0 ? ["iframe", "iframe srcdoc"] : [];
      for (const [document, known] of [[text, frame], ...mails.map((mail) => [mail, []] as const)] as const) {
        const active = faults(document).filter((fault) =>
          /script|^\S+ on|href=java|srcdoc|iframe|base|http-eq/i.test(fault),
        );
        expect(active, `${kind}: ${payload}`).toEqual(known);
      }
    }
    // Pages that were refused show again what was posted.
    for (const [path, body] of [
      ["/new", { name: payload }],
      [`/f/${form.id}/install`, { page: payload, url: payload }],
      [`/f/${form.id}/settings/general`, { name: payload.repeat(9), "was.name": payload }],
      [`/f/${form.id}/settings/reply`, { "auto_response.from_email": payload, "was.auto_response.from_email": "x" }],
      [`/f/${form.id}/settings/notification/test`, { to: payload }],
      ["/team", { name: payload.repeat(9) }],
      ["/people", { email: payload }],
      ["/people", { email: "bo@x.example", action: "find" }],
      ["/people", { email: "bo@x.example", action: "erase", typed: payload }],
      ["/keys", { name: payload, days: payload }],
      ["/email-servers", { name: payload, host: payload, port: payload, username: payload, from: payload }],
    ] as const) {
      expect(faults((await ann.post(path, body)).text), `${path}: ${payload}`).toEqual([]);
    }
    for (const [path, rest] of [
      ["spam/backtest", { "was.settings.spam.words": "", "settings.spam.words": clean.replace(/[\n\t]/g, " ") }],
      ["settings/validation/backtest", {}],
    ] as const) {
      const { text } = await ann.post(`/f/${form.id}/${path}?frame=1`, rest);
      expect(faults(text), `${path}: ${payload}`).toEqual([]);
    }
    // A team may test 30 mail servers an hour.
    await backend.clock.advance(60 * 60_000);
  }
}, 1_200_000);

it("finds such faults at all", () => {
  expect(faults("<p onclick=x><a href='javascript:x'>")).toEqual(["p onclick", "a href=javascript:x"]);
});

const sources = readdirSync("src/surfaces/inbox", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("client"))
  .map((file) => ({ file, text: readFileSync(join("src/surfaces/inbox", file), "utf8") }));

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
