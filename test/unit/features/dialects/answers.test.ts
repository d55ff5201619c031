import { describe, expect, it } from "vitest";
import { dialectNames } from "../../../../src/model/dialects.ts";
import { type CallOptions, type Harness, harness } from "../../../_support/backend.ts";

const ALIAS = "5f0c-old-id";
const SCRIPT = { accept: "application/json" };
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const url = expect.stringMatching(/^http:\/\/localhost:3000\/forms\/f\/[^/]+\/thanks\//);
const text = expect.any(String);

async function make(form: object = {}, options: object = {}) {
  const b = harness({ dialects: [...dialectNames], rateLimit: false, ...options });
  const rules = [
    { field: "email", checks: [{ type: "required" }, { type: "email" }] },
    { field: "age", checks: [{ type: "number" }] },
  ];
  const { id } = await b.forms.create({
    name: "A",
    validation: { rules },
    self_email_notification: { recipients: ["owner@example.com"] },
    ...form,
    settings: { key: "contact", aliases: [ALIAS, "me@example.com"], ...(form as { settings?: object }).settings },
  } as never);
  return { b, id };
}
const post = (b: Harness, path: string, body: unknown, headers: CallOptions["headers"] = SCRIPT) =>
  b.call("POST", path, {
    key: null,
    body: typeof body === "string" || body instanceof FormData ? body : new URLSearchParams(body as never).toString(),
    headers: { ...FORM, ...headers },
  });
const fieldsOf = async (b: Harness, id: string) =>
  (await b.submissions.list(id, { status: "all" } as never)).data.map(({ fields }) =>
    Object.fromEntries(fields.map(({ key, value }) => [key, value])),
  );

interface Service {
  name: string;
  /** Where it posts, and what it sends beside the fields. */
  path: string;
  more?: Record<string, string>;
  headers?: Record<string, string>;
  accepted: unknown;
  refused: unknown;
  unknown: [path: string, more: Record<string, string>];
  honeypot: string;
}

const GOOD = { email: "ann@example.com", message: "Hi" };
const ours = { code: 200, status: "success", title: text, message: text, submission_id: text, redirect: null };
const oursRefused = expect.objectContaining({ status: "error", errors: { email: { message: text, rule: "email" } } });
const services: Service[] = [
  {
    name: "formspree, by its client's header",
    path: "/p/default/f/contact",
    headers: { "formspree-client": "@formspree/core@4.0.0" },
    accepted: { ok: true, next: url },
    refused: { ok: false, error: text, errors: [{ code: "TYPE_EMAIL", field: "email", message: text }] },
    unknown: ["/f/nothing", {}],
    honeypot: "_gotcha",
  },
  {
    name: "formspree, by an alias",
    path: `/f/${ALIAS}`,
    accepted: { ok: true, next: url },
    refused: { ok: false, error: text, errors: [{ code: "TYPE_EMAIL", field: "email", message: text }] },
    unknown: ["/f/nothing", {}],
    honeypot: "_gotcha",
  },
  {
    name: "formcarry",
    path: `/s/${ALIAS}`,
    accepted: ours,
    refused: oursRefused,
    unknown: ["/s/nothing", {}],
    honeypot: "_gotcha",
  },
  {
    name: "web3forms",
    path: "/submit",
    more: { access_key: ALIAS },
    accepted: { success: true, message: text, data: GOOD, statusCode: 200, body: { message: text, data: GOOD } },
    refused: { success: false, message: text, statusCode: 422, body: { message: text } },
    unknown: ["/submit", { access_key: "nothing" }],
    honeypot: "botcheck",
  },
  {
    name: "web3forms, with the key in the address",
    path: `/submit/${ALIAS}`,
    accepted: { success: true, message: text, data: GOOD, statusCode: 200, body: { message: text, data: GOOD } },
    refused: { success: false, message: text, statusCode: 422, body: { message: text } },
    unknown: ["/submit/nothing", {}],
    honeypot: "botcheck",
  },
  {
    name: "staticforms",
    path: "/submit",
    more: { accessKey: ALIAS },
    accepted: { success: true, message: text },
    refused: { success: false, message: text },
    unknown: ["/submit", { apiKey: "nothing" }],
    honeypot: "honeypot",
  },
  {
    name: "formsubmit",
    path: "/formsubmit/ajax/me@example.com",
    headers: { accept: "*/*" },
    accepted: { success: "true", message: text },
    refused: { success: "false", message: text },
    unknown: ["/formsubmit/ajax/you@example.com", {}],
    honeypot: "_honey",
  },
  {
    name: "netlify",
    path: "/netlify",
    more: { "form-name": "contact" },
    accepted: ours,
    refused: oursRefused,
    unknown: ["/netlify", { "form-name": "nothing" }],
    honeypot: "bot-field",
  },
  {
    name: "basin",
    path: `/basin/${ALIAS}`,
    accepted: { success: true },
    refused: { error: text },
    unknown: ["/basin/nothing", {}],
    honeypot: "_gotcha",
  },
  {
    name: "formspark",
    path: `/formspark/${ALIAS}`,
    accepted: GOOD,
    refused: { error: text },
    unknown: ["/formspark/nothing", {}],
    honeypot: "_honeypot",
  },
];

describe.each(services)(
  "a form of $name",
  ({ path, more = {}, headers = {}, accepted, refused, unknown, honeypot }) => {
    const script = { ...SCRIPT, ...headers };

    it("answers its scripts as they expect, and stores the fields alone", async () => {
      const { b, id } = await make();
      const good = await post(b, path, { ...more, ...GOOD, [honeypot]: "" }, script);
      expect([good.status, good.json]).toEqual([200, accepted]);
      expect(await fieldsOf(b, id)).toEqual([GOOD]);
      expect(good.headers.get("access-control-allow-origin")).toBe("*");
      const bad = await post(b, path, { ...more, email: "ann", message: "Hi" }, script);
      expect([bad.status, bad.json]).toEqual([422, refused]);
      expect((await fieldsOf(b, id)).length).toBe(1);
    });

    it("takes JSON and multipart bodies", async () => {
      const { b, id } = await make();
      const json = await b.call("POST", path, { key: null, body: { ...more, ...GOOD }, headers: { ...script } });
      expect(json.json).toEqual(accepted);
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...more, ...GOOD })) body.append(name, value);
      body.append("cv", new File(["hello"], "cv.txt", { type: "text/plain" }));
      const response = await b.fetch(new Request(b.baseUrl + path, { method: "POST", body, headers: script }));
      expect(await response.json()).toEqual(accepted);
      expect((await b.submissions.list(id)).data.map(({ attachments }) => attachments.length).sort()).toEqual([0, 1]);
    });

    const leads = "leads a page without scripts to the thank-you page, and shows it what is wrong";
    // The address for scripts answers no page.
    const forPages = path.includes("/ajax/") ? () => {} : (test: () => Promise<void>) => void it(leads, test);
    forPages(async () => {
      const { b } = await make();
      const good = await post(b, path, { ...more, ...GOOD }, PAGE);
      expect([good.status, good.headers.get("location")]).toEqual([303, url]);
      const bad = await post(b, path, { ...more, email: "ann", message: "Hi" }, PAGE);
      expect([bad.status, bad.headers.get("content-type")]).toEqual([422, "text/html; charset=utf-8"]);
      const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(bad.text) ?? [];
      expect(action.split("?")[0]).toBe(b.baseUrl + path);
      const hidden = [...bad.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value],
      );
      const again = await post(b, path, { ...Object.fromEntries(hidden), email: "ann@example.com" }, PAGE);
      expect(again.status, "sent again from the error page").toBe(303);
    });

    it("tells of an unknown form in its own shape", async () => {
      const { b } = await make();
      const { status, json } = await post(b, unknown[0], { ...unknown[1], ...GOOD }, script);
      expect(status).toBe(404);
      const { code: _, ...same } = json;
      expect(Object.keys(same).sort()).toEqual(
        Object.keys((await post(b, path, { ...more, email: "x" }, script)).json)
          .filter((key) => key !== "code")
          .sort(),
      );
      expect(json).not.toMatchObject({ success: true });
    });

    it("takes a filled honeypot for spam, and an unchecked box that scripts send as false for none", async () => {
      const { b, id } = await make();
      await post(b, path, { ...more, ...GOOD, [honeypot]: "I am a bot" }, script);
      expect((await b.submissions.list(id, { status: "spam" })).data).toHaveLength(1);
    });

    it("answers preflights", async () => {
      const { b } = await make();
      const origin = { origin: "https://site.example", "access-control-request-headers": "content-type" };
      const answer = await b.call("OPTIONS", path, { key: null, headers: origin });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(answer.headers.get("access-control-allow-headers")).toContain("Formspree-Session-Data");
    });

    it("acts on no address of a visitor's", async () => {
      const { b, id } = await make({ auto_response: { enabled: false } });
      const evil = "victim@example.net";
      const directives = [
        "_cc",
        "cc",
        "_bcc",
        "bcc",
        "ccemail",
        "_webhook",
        "webhook",
        "_autoresponse",
        "_blacklist",
        "to",
        "_to",
      ];
      const sent = Object.fromEntries(
        directives.map((name) => [name, name.includes("webhook") ? "https://evil.example/" : evil]),
      );
      expect((await post(b, path, { ...more, ...GOOD, ...sent }, script)).status).toBe(200);
      await b.tick();
      expect(b.mails.map(({ to }) => to.address)).toEqual(["owner@example.com"]);
      expect(JSON.stringify(b.mails.map(({ headers, replyTo }) => [headers, replyTo]))).not.toContain(evil);
      expect(b.webhookCalls).toEqual([]);
      expect((await b.jobs.list({ form_id: id })).length).toBe(1);
    });
  },
);
