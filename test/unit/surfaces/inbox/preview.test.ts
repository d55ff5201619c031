import { describe, expect, it } from "vitest";
import { formOf } from "./_form.ts";
import { inboxHarness } from "./_inbox.ts";

const NAME = "Ann <b>Example</b>";

async function shop(options: Parameters<typeof inboxHarness>[0] = {}) {
  const backend = inboxHarness(options, { rateLimit: false });
  const { id } = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"], logo_url: "https://logos.example/a.png" },
    auto_response: { enabled: true },
  });
  const fields = { name: NAME, email: "ann@example.com", message: "Hello" };
  const submission = await backend.submit(id, { fields });
  return { backend, id, submission: submission.id, ann: backend.as({}), at: `/f/${id}/preview` };
}

/** The mail in a preview. */
const mailIn = (text: string): string =>
  (/srcdoc="([^"]*)"/.exec(text)?.[1] ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

it("sends a test of the saved email beside its settings, and says beside the address why one was not sent", async () => {
  const backend = inboxHarness();
  const { id } = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["ann@example.com"], subject: "Saved" },
  });
  const actions: string[] = [];
  backend.on("inbox.action", ({ action }) => void actions.push(action));
  const ann = backend.as({ role: "editor" });
  const at = `/f/${id}/settings`;
  expect((await ann.get(`${at}/notification`)).text).toMatch(/name="to"[^>]*value="ann@example.com"/);
  expect((await ann.post(`${at}/notification/test`, { to: "ann@example.com" })).status).toBe(303);
  expect((await ann.get(`${at}/notification`)).text).toContain("The test email was handed to the mail server.");
  expect(backend.mails.at(-1)).toMatchObject({
    to: { address: "ann@example.com" },
    subject: expect.stringContaining("Saved"),
  });
  expect((await ann.post(`${at}/reply/test`, { to: "bo@example.com" })).status).toBe(303);
  expect(actions).toEqual(["test_email", "test_email"]);
  const wrong = await ann.post(`${at}/reply/test`, { to: '"><script>' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('id="to-fault"');
  expect(wrong.text).not.toContain("<script>");
  for (let i = 1; i < 3; i++) await ann.post(`${at}/notification/test`, { to: "ann@example.com" });
  const many = await ann.post(`${at}/notification/test`, { to: "ann@example.com" });
  expect([many.status, many.text.includes("At most 3 test emails an hour")]).toEqual([429, true]);
  expect((await backend.as({ role: "agent" }).post(`${at}/reply/test`, { to: "bo@example.com" })).status).toBe(403);
  expect((await backend.as({ role: "viewer" }).get(`${at}/reply`)).text).not.toContain("Send a test");
});

describe("a preview", () => {
  it("shows pages and mails from what is typed, and saves nothing", async () => {
    const { backend, id, ann, at, submission } = await shop();
    const typed = {
      notification: ["self_email_notification.subject", "Draft {{email}}", "Draft ann@example.com"],
      reply: ["auto_response.template.message", "Dear {{email}}!", "Dear ann@example.com!"],
      page: ["after_submit.page.headline", "Draft <headline>", "Draft &lt;headline&gt;"],
      error: ["after_submit.page.primary_color", "#123456", "#123456"],
    } as const;
    for (const [kind, [name, value, said]] of Object.entries(typed)) {
      const section = { page: "after-submit", error: "after-submit" }[kind] ?? kind;
      const action = `/f/${id}/settings/${section}`;
      const values = { ...formOf((await ann.get(action)).text, action), [name]: value };
      const { status, text } = await ann.post(`${at}/${kind}`, { ...values, "preview.submission": submission });
      expect(status, kind).toBe(200);
      expect(kind === "reply" ? mailIn(text) : text, kind).toContain(said);
      const plain = await ann.post(`${at}/${kind}`, {
        ...values,
        "preview.submission": submission,
        "preview.format": "text",
      });
      expect(plain.text.includes("<pre"), kind).toBe(kind === "reply" || kind === "notification");
    }
    expect((await backend.forms.get(id)).self_email_notification.subject).toBe("New submission: {{form.name}}");
  });

  it("shows what is stored, with a made-up submission, where nothing is posted", async () => {
    const { ann, at } = await shop();
    for (const kind of ["page", "error", "notification", "reply"])
      expect((await ann.get(`${at}/${kind}`)).status, kind).toBe(200);
    expect((await ann.get(`${at}/notification?format=text`)).text).toContain("Jane Example");
    expect(mailIn((await ann.get(`${at}/notification`)).text)).toContain("Jane Example");
  });

  it("is a document in which nothing runs and from which nothing is sent", async () => {
    const { ann, at, submission } = await shop();
    for (const kind of ["page", "error", "notification", "reply"]) {
      const { headers, text } = await ann.get(`${at}/${kind}?submission=${submission}`);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(
        /^default-src 'none';.*form-action 'none'.*frame-ancestors 'self'; sandbox allow-same-origin$/,
      );
      expect(policy).not.toMatch(/allow-scripts|script-src/);
      expect(policy.includes("https://logos.example"), kind).toBe(kind === "notification");
      expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
      expect(text).not.toContain("<b>Example");
    }
  });

  it("is in the colours that are asked for", async () => {
    const { ann, at } = await shop();
    const asked = async (scheme: string) => mailIn((await ann.get(`${at}/notification?scheme=${scheme}`)).text);
    expect(await asked("system")).toContain("@media(prefers-color-scheme:dark)");
    expect(await asked("dark")).toContain("@media(min-width:0)");
    expect(await asked("light")).toContain("@media(max-width:0)");
    expect(await asked("light")).not.toContain("prefers-color-scheme");
  });

  it("says what is wrong with a draft", async () => {
    const { ann, at, id } = await shop();
    const action = `/f/${id}/settings/notification`;
    const values = formOf((await ann.get(action)).text, action);
    const broken = { ...values, "self_email_notification.subject": "{{#a}}" };
    const { status, text } = await ann.post(`${at}/notification`, broken);
    expect(status).toBe(400);
    expect(text).toContain('role="alert"');
  });

  it("shows no submission of another form, and nothing that is kept back", async () => {
    const { backend, ann, at } = await shop();
    const other = await backend.forms.create({ name: "Other" });
    const { id } = await backend.submit(other.id, { fields: { message: "of another form" } });
    expect((await ann.get(`${at}/notification?submission=${id}`)).status).toBe(404);
    const guarded = await shop({ redact: { fields: ["email", "message"], value: () => "kept back" } });
    const { text } = await guarded.ann.get(`${guarded.at}/notification?submission=${guarded.submission}`);
    expect(mailIn(text)).toContain("kept back");
    expect(text).not.toMatch(/ann@example\.com|Hello/);
  });

  it("is for those who may change the form", async () => {
    const { backend, at } = await shop();
    for (const role of ["viewer", "agent"] as const)
      expect((await backend.as({ role }).get(`${at}/page`)).status).toBe(403);
  });
});
