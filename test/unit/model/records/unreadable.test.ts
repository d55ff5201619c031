import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver, Value } from "../../../../src/drivers/storage/types.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { type Populated, populate } from "../../../_support/records/populate.ts";

interface Filled {
  readonly b: Harness;
  readonly made: Populated;
  readonly storage: StorageDriver;
  readonly errors: string[];
  /** Changes a row behind the back of the service. */
  edit(collection: string, id: string, change: (value: Value) => unknown): Promise<void>;
}

async function filled(): Promise<Filled> {
  const storage = memoryStorage();
  const errors: string[] = [];
  const b = harness({
    storage,
    senderDomains: ["acme.test"],
    logger: { debug() {}, info() {}, warn() {}, error: (line) => void errors.push(line) },
  });
  onTestFinished(() => b.close());
  const made = await populate(b);
  return {
    b,
    made,
    storage,
    errors,
    async edit(collection, id, change) {
      const value = structuredClone((await storage.get(collection, [id])).get(id)?.value as Value);
      change(value);
      await storage.commit([{ op: "put", collection, id, value }]);
      await b.clock.advance(3_000);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a record as somebody else has written it
type Anything = any;

const faults: readonly [what: string, leaf: string, says: RegExp, change: (form: Anything) => void][] = [
  ["a leaf of another type", "active", /`active` must be true or false, not a text/, (form) => (form.active = "yes")],
  ["a number for a text", "name", /`name` must be a text, not a number/, (form) => (form.name = 7)],
  [
    "a leaf deep inside",
    "spam.captcha.secret",
    /`spam\.captcha\.secret` must be a text, not a list/,
    (form) => (form.spam.captcha.secret = []),
  ],
  ["a block that is none", "storage", /`storage` must be an object, not a text/, (form) => (form.storage = "forever")],
  ["a list that is none", "webhooks", /`webhooks` must be a list, not an object/, (form) => (form.webhooks = {})],
  [
    "an entry of another type",
    "self_email_notification.recipients.1",
    /`self_email_notification\.recipients\.1` must be a text, not true or false/,
    (form) => (form.self_email_notification.recipients[1] = true),
  ],
  [
    "a theme of a newer version",
    "after_submit.page.theme",
    /`after_submit\.page\.theme` must be one of fancy, formal, sweet, not another text/,
    (form) => (form.after_submit.page.theme = "brutalist"),
  ],
];

describe("a stored form with", () => {
  it.each(faults)("%s is refused by name, and its neighbours are as they were", async (_, leaf, says, change) => {
    const { b, made, errors, edit } = await filled();
    errors.length = 0;
    await edit("forms", made.form, change);

    const list = await b.call("GET", "/v1/forms", { key: made.key.key });
    expect(list.status).toBe(200);
    expect(list.json.data.map(({ id }: { id: string }) => id).sort()).toEqual(
      [made.consentForm, made.transientForm, made.lockedForm].sort(),
    );
    const one = await b.call("GET", `/v1/forms/${made.form}`, { key: made.key.key });
    expect(one.status).toBe(500);
    expect(one.json.error).toMatchObject({ code: "internal_error", message: expect.stringMatching(says) });
    expect(one.json.error.message).toContain(`"${made.form}" of forms`);
    await expect(b.forms.update(made.form, { folder_id: null })).rejects.toThrow(says);
    await expect(b.submit(made.form, { fields: { note: "no" } })).rejects.toThrow(says);
    expect((await b.submit(made.transientForm, { fields: { note: "yes" } })).id).toBeTruthy();

    // Once, however often it is met.
    await b.forms.list();
    const named = errors.filter((line) => line.includes(`"${made.form}"`) && !line.startsWith("job "));
    expect(named).toHaveLength(1);
    expect(named[0]).toContain(`\`${leaf}\``);
  });

  it("a value of a newer version answers a visitor 503, so that a process of that version gets the post", async () => {
    const { b, made, edit } = await filled();
    await edit("forms", made.form, (form: Anything) => (form.after_submit.page.theme = "brutalist"));
    const { status, json, headers } = await b.post(made.form, { note: "no" });
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "5"]);
    expect(JSON.stringify(json)).not.toContain("brutalist");
    expect(json.message).not.toContain("record");
  });

  it("leaves and blocks of a newer version is read, changed and delivered, and keeps them", async () => {
    const { b, made, storage, edit } = await filled();
    await edit("forms", made.form, (form: Anything) => {
      form.labels = { name: "Your name" };
      form.spam.words = ["casino"];
      form.webhooks[0].dialect = "slack";
      form.validation.rules[0].checks[0].severity = "warning";
    });
    const answer = await b.call("PATCH", `/v1/forms/${made.form}`, { key: made.key.key, body: { name: "Changed" } });
    expect(answer.status).toBe(200);
    expect(answer.json).not.toHaveProperty("labels");
    expect(answer.json.spam).not.toHaveProperty("words");
    expect((await b.call("GET", "/v1/forms", { key: made.key.key })).json.data).toHaveLength(4);
    await b.submit(made.form, { fields: { note: "yes" } });
    await b.tick();
    expect(b.webhookCalls.at(-1)?.body).toContain("yes");
    const { value } = (await storage.get("forms", [made.form])).get(made.form) as { value: Anything };
    expect(value).toMatchObject({ name: "Changed", labels: { name: "Your name" }, spam: { words: ["casino"] } });
    expect(value.webhooks[0].dialect).toBe("slack");
    expect(value.validation.rules[0].checks[0].severity).toBe("warning");
  });
});

describe("an unreadable record", () => {
  it("of a job of a newer version is left for a worker that knows it; the others run", async () => {
    const { b, made, storage, errors } = await filled();
    const jobs = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 });
    const mail = jobs.find(({ value }) => value["kind"] === "owner_email" && value["status"] === "pending");
    if (!mail) throw new Error("populate() leaves no mail to send");
    const value = { ...mail.value, kind: "slack_message" };
    await storage.commit([{ op: "put", collection: "jobs", id: mail.id, value }]);
    errors.length = 0;
    await b.tick();
    const [left] = [...(await storage.get("jobs", [mail.id])).values()];
    expect(left?.value).toMatchObject({ kind: "slack_message", status: "pending", leased: true, attempt: 0 });
    expect(errors).toEqual([expect.stringContaining(`"${mail.id}" of jobs can't be read: \`kind\` must be one of`)]);
    const others = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 });
    const due = others.filter(({ id, value: job }) => id !== mail.id && job["status"] === "pending");
    expect(due).toEqual([]);
    expect((await b.jobs.list()).map(({ id }) => id)).not.toContain(mail.id);
    expect((await b.call("GET", `/v1/forms/${made.form}`, { key: made.key.key })).status).toBe(200);
  });

  it("of a webhook's state does not stop its deliveries: the next one writes a new state", async () => {
    const { b, made, storage, errors, edit } = await filled();
    await b.tick();
    errors.length = 0;
    await edit("webhook_states", made.webhook.id, (state: Anything) => (state.last_occurred_at = "yesterday"));
    const { id } = await b.submit(made.form, { fields: { note: "yes" } });
    const calls = b.webhookCalls.length;
    await b.tick();
    expect(b.webhookCalls.length - calls).toBe(1);
    const [job] = await b.jobs.list({ submission_id: id, kind: "webhook" });
    expect(job).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(errors).toEqual([expect.stringMatching(/`last_occurred_at` must be a time, not another text/)]);
    const { value } = (await storage.get("webhook_states", [made.webhook.id])).get(made.webhook.id) as {
      value: Anything;
    };
    expect(value.last_occurred_at).toBe(job?.occurred_at);
  });

  it("makes a page shorter, and the next cursor leads on", async () => {
    const { b, made, edit } = await filled();
    const [first = "", second = "", third = "", fourth = ""] = made.submissions;
    await edit("submissions", second, (value) => Object.assign(value, { ip: 5 }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Anything = await b.submissions.list(made.form, {
        status: "all",
        order: "asc",
        limit: 1,
        ...(cursor && { cursor }),
      });
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual([first, third, fourth]);
    await expect(b.submissions.get(made.form, second)).rejects.toThrow(/`ip` must be a text, not a number/);
  });

  it("of a person is not passed over in silence: the rest is erased, and the call says what is left", async () => {
    const { b, made, storage, edit } = await filled();
    await edit("submissions", made.submissions[1] as string, (value) =>
      Object.assign(value, { fields: "cleo@example.com" }),
    );
    const body = { email: "cleo@example.com" };
    const answer = await b.call("POST", "/v1/data-subjects/erase", { key: made.key.key, body });
    expect(answer.status).toBe(500);
    expect(answer.json.error.message).toContain(`"${made.submissions[1]}" of submissions can't be read: \`fields\``);
    expect((await storage.get("submissions", [made.submissions[3] as string])).size).toBe(0);
  });

  it("of another team does not concern a person's request", async () => {
    const { b, made, edit } = await filled();
    const other = await b.teams.create({ name: "Other" });
    const key = await b.keyWith("all", { team_id: other.id });
    await edit("submissions", made.submissions[1] as string, (value) => Object.assign(value, { fields: "x" }));
    const answer = await b.call("POST", "/v1/data-subjects/export", { key, body: { email: "cleo@example.com" } });
    expect(answer.json).toEqual({ data: [] });
  });
});
