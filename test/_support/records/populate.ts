import type { TestBackend } from "../../../src/surfaces/testing/backend.ts";
import { sendingDomain, startDns } from "../dns.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The ids of what `populate` made. */
export interface Populated {
  readonly team: string;
  readonly key: { readonly id: string; readonly key: string };
  readonly server: string;
  readonly form: string;
  readonly webhook: { readonly id: string; readonly secret: string };
  readonly image: { readonly id: string; readonly url: string };
  /** Stores no submissions. */
  readonly transientForm: string;
  /** With a captcha; nothing is ever posted to it. */
  readonly lockedForm: string;
  readonly deletedForm: string;
  /** With a submission that waits for its sender, and a draft. */
  readonly consentForm: string;
  readonly waiting: string;
  /** The name of the draft. */
  readonly draft: string;
  /** Of `form`, in order: delivered, to be tried again, spam, not yet delivered. */
  readonly submissions: readonly string[];
}

/** Fills a store with at least one record of every kind, with every leaf set to something else than its default. */
export async function populate(b: TestBackend): Promise<Populated> {
  const team = await b.teams.create({
    id: "acme",
    name: "Acme",
    plan: "unlimited",
    owner: { email: "owner@acme.test", email_verified: true },
  });
  const dns = await startDns({});
  const verify = () => b.teams.verifyDomain(team.id, "acme.test", { dns: dns.address, selectors: ["s1"] });
  dns.zone = sendingDomain("acme.test", (await verify()).records[0]!.value);
  await verify();
  const key = await b.keys.create({
    team_id: team.id,
    name: "CI",
    scopes: "all",
    expires_at: "2036-01-01T00:00:00.000Z",
  });
  const server = await b.emailServers.create({
    team_id: team.id,
    name: "Acme's server",
    host: "smtp.acme.test",
    port: 465,
    username: "acme",
    password: "correct horse",
    from: "Acme <hello@acme.test>",
  });
  const form = await b.forms.create(everything(team.id, server.id));
  const webhook = await b.webhooks.create(form.id, { url: "https://hooks.acme.test/forms", description: "CRM" });
  const image = await b.forms.uploadImage(form.id, { file: PNG, use: "self_email_notification_logo", name: "logo" });
  await b.forms.update(form.id, {
    self_email_notification: { logo_url: image.url },
    settings: { routing: routing(webhook.id) },
  });
  const transient = await b.forms.create({
    name: "Transient",
    team_id: team.id,
    storage: { store_submissions: false },
    self_email_notification: { recipients: ["ann@acme.test"] },
  });
  const locked = await b.forms.create({
    name: "Locked",
    team_id: team.id,
    spam: {
      require_token: true,
      captcha: { provider: "turnstile", secret_key: "0x4AAAAAAA0000000000000000000000000" },
    },
  });
  const deleted = await b.forms.create({ name: "Deleted", team_id: team.id, storage: { keep_for: "30_days" } });
  await b.submit(deleted.id, { fields: { note: "left behind" } });
  await b.forms.delete(deleted.id);

  const consent = await b.forms.create({
    name: "Consent",
    team_id: team.id,
    settings: {
      double_opt_in: { enabled: true, field: "email" },
      drafts: { enabled: true },
      availability: {
        opens_at: "2020-01-01T00:00:00.000Z",
        closes_at: "2100-01-01T00:00:00.000Z",
        limit: 9,
        message: "Later.",
        public: true,
      },
      unique: { fields: ["email"], message: "Once." },
      columns: ["message"],
      source: { enabled: true },
      edit: { enabled: true, until: "30_days" },
    },
  });
  const waiting = await b.submit(consent.id, { fields: { email: "dora@example.com", note: "Hello" } });
  const draft = "d".repeat(32);
  await b.fetch(
    new Request(`${consent.endpoint}/drafts/${draft}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ note: "Hel" }),
    }),
  );

  const delivered = await upload(b, form.id);
  await b.tick();
  b.answerWebhooks(500);
  const again = await b.submit(form.id, {
    fields: { name: "Ben", email: "ben@example.com", _replyto: "b@example.com" },
  });
  await b.tick();
  b.answerWebhooks(200);
  const spam = await b.submit(form.id, {
    fields: { name: "Win casino viagra http://a.test http://b.test", _gotcha: "x" },
  });
  const pending = await b.submit(form.id, { fields: { name: "Cleo", email: "cleo@example.com", _subject: "Hello" } });
  await b.submit(transient.id, { fields: { note: "kept until it is mailed" } });
  const old = { created_at: new Date(b.clock.now()), fields: { name: "Olga" }, source_id: "1" };
  await b.submissions.import(locked.id, [old], { source: "old" });
  return {
    team: team.id,
    key: { id: key.id, key: key.key },
    server: server.id,
    form: form.id,
    webhook: { id: webhook.id, secret: webhook.secret },
    image: { id: image.id, url: image.url },
    transientForm: transient.id,
    lockedForm: locked.id,
    deletedForm: deleted.id,
    consentForm: consent.id,
    waiting: waiting.id,
    draft,
    submissions: [delivered, again.id, spam.id, pending.id],
  };
}

/** Three ways to say where a post goes; each rule has every member. */
const routing = (webhook: string) => {
  const condition = { field: "name", type: "equals" as const, value: "Nobody", negate: true };
  const to = {
    recipients: ["ann@acme.test"],
    cc: ["bob@acme.test"],
    bcc: ["bob@acme.test"],
    webhooks: [webhook],
    subject: "To {{form.name}}",
  };
  return {
    rules: [
      { if: { all: [condition] }, to, stop: true },
      { if: { any: [condition] }, to, stop: true },
    ],
    otherwise: to,
  };
};

const everything = (team_id: string, server_id: string) => ({
  name: "Everything",
  team_id,
  active: true,
  avatar: "🎯",
  folder_id: "folder-1",
  allowed_origins: ["https://www.acme.test"],
  storage: { store_submissions: true, keep_for: "90_days" as const },
  spam: { protection: true, require_token: false },
  self_email_notification: {
    enabled: true,
    recipients: ["ann@acme.test", "bob@acme.test"],
    include_spam: true,
    subject: "News from {{form.name}}",
    logo_height: 60,
    template: { theme: "formal" as const, html: "<p>{{form.name}}</p>" },
    sender: { server_id, name: "Acme forms", email: "forms@acme.test" },
  },
  auto_response: {
    enabled: true,
    subject: "We have it",
    from_name: "Acme",
    from_email: "reply@acme.test",
    logo_url: "https://www.acme.test/logo.png",
    logo_height: 32,
    template: { theme: "formal" as const, message: "Thanks, {{name}}.", html: "<p>Thanks</p>" },
  },
  after_submit: {
    page: {
      theme: "sweet" as const,
      mode: "dark" as const,
      headline: "Done",
      message: "We will call.",
      logo_url: "https://www.acme.test/a.png",
      logo_dark_url: "https://www.acme.test/b.png",
      logo_size: "large" as const,
      primary_color: "#112233",
      secondary_color: "#445566",
      return_button: { text: "Back", url: "https://www.acme.test/" },
      download_button: { text: "Get it", url: "https://www.acme.test/get" },
    },
    redirect: { success_url: "", fail_url: "https://www.acme.test/sorry", append_submission_to_url: true },
  },
  validation: {
    enabled: true,
    rules: [{ field: "name", checks: [{ type: "max_length" as const, value: "200", message: "Shorter, please." }] }],
  },
  settings: {
    key: "everything",
    aliases: ["all"],
    labels: { name: "Your name" },
    fields: {
      ssn: {
        store: "hash" as const,
        email: "mask" as const,
        webhook: "mask" as const,
        export: "mask" as const,
        agents: "mask" as const,
      },
      budget: {
        store: "plain" as const,
        email: "omit" as const,
        webhook: "mask" as const,
        export: "mask" as const,
        agents: "omit" as const,
      },
    },
  },
});

/** A post with a file, under an idempotency key, from a page. */
async function upload(b: TestBackend, form: string): Promise<string> {
  const body = new FormData();
  body.set("name", "Ann");
  body.set("email", "ann@example.com");
  body.set("cv", new File([PNG], "cv.png", { type: "image/png" }));
  const response = await b.handle(
    new Request(`${b.baseUrl}/f/${form}`, {
      method: "POST",
      headers: {
        accept: "application/json",
        origin: "https://www.acme.test",
        referer: "https://www.acme.test/contact",
        "user-agent": "Tests/1.0",
        "idempotency-key": "the-first",
      },
      body,
    }),
    { ip: "203.0.113.9" },
  );
  const answer = (await response.json()) as { submission_id?: string; id?: string };
  const id = answer.submission_id ?? answer.id;
  if (!id) throw new Error(`the post was refused: ${JSON.stringify(answer)}`);
  return id;
}
