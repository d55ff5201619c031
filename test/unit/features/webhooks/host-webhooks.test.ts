import { createHmac } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { createFormBackend, type FormBackendOptions } from "../../../../src/index.ts";
import { hostEvents } from "../../../../src/model/host-events.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const HOUR = 60 * 60_000;
const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString("base64")}`;
const url = "https://billing.example.com/events";
const all = { url, secret, events: [...hostEvents] };

function world(options: TestBackendOptions = {}) {
  const b = harness({ rateLimit: false, hostWebhooks: [all], ...options });
  onTestFinished(() => b.close());
  const told = () => b.webhookCalls.filter((call) => call.url === url).map(({ body }) => JSON.parse(body));
  return { b, told, types: () => told().map(({ type }) => type) };
}

const stores: Record<string, () => StorageDriver> = {
  memory: () => memoryStorage(),
  SQLite: () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }),
};

describe.each(Object.keys(stores))("webhooks of the host, on %s,", (name) => {
  const open = () => (stores[name] as () => StorageDriver)();

  it("tell of teams, forms, keys and locks, signed as Standard Webhooks", async () => {
    const { b, told, types } = world({ storage: open() });
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.teams.update("acme", { name: "Acme Ltd" });
    const { id } = await b.forms.create({ name: "Contact" }, { team_id: "acme" });
    await b.forms.update(id, { name: "Contact us" });
    await b.forms.lock(id, { reason: "phishing" });
    const apiKey = await b.keys.create({ name: "CI", scopes: ["forms:read"], team_id: "acme" });
    await b.keys.revoke(apiKey.id);
    await b.keys.revoke(apiKey.id);
    await b.forms.delete(id);
    await b.tick();
    expect(types().toSorted()).toEqual([
      "form.created",
      "form.deleted",
      "form.locked",
      "form.updated",
      // The harness makes one for itself.
      "key.created",
      "key.created",
      "key.revoked",
      "team.created",
      "team.updated",
    ]);
    const locked = told().find(({ type }) => type === "form.locked");
    expect(locked.data).toMatchObject({ id, team_id: "acme", name: "Contact us", locked: { reason: "phishing" } });
    expect(JSON.stringify(told())).not.toContain(apiKey.key);

    const call = b.webhookCalls.find((one) => one.body.includes("team.updated"));
    const headers = new Headers(call?.headers);
    const [at, sent] = [headers.get("webhook-timestamp"), headers.get("webhook-id")];
    const expected = createHmac("sha256", key).update(`${sent}.${at}.${call?.body}`).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
  });

  it("are tried again under the same id, also by a backend that starts later", async () => {
    const storage = open();
    const { b } = world({ storage });
    b.answerWebhooks(503);
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.tick();
    const first = b.webhookCalls.filter(({ body }) => body.includes("team.created"));
    expect(first).toHaveLength(1);
    b.answerWebhooks(200);
    await b.clock.advance(HOUR);
    const calls = b.webhookCalls.filter(({ body }) => body.includes("team.created"));
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ headers }) => new Headers(headers).get("webhook-id"))).size).toBe(1);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    const jobs = await b.jobs.list({ kind: "host_webhook" });
    expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => "succeeded"));
    expect((await b.usage({ month: "2026-01", team_id: "default" })).data[0]).toMatchObject({ webhooks: 0, emails: 0 });
  });

  it("outlast the team that they tell of", async () => {
    const { b, told } = world({ storage: open() });
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.forms.create({ name: "Contact" }, { team_id: "acme" });
    await b.tick();
    b.answerWebhooks(503);
    await b.teams.delete("acme");
    await b.sweep();
    await b.clock.advance(2 * HOUR);
    await b.sweep();
    b.answerWebhooks(200);
    await b.clock.advance(24 * HOUR);
    const deleted = told().filter(({ type }) => type === "team.deleted");
    expect(deleted.at(-1).data).toMatchObject({ id: "acme", removed: { forms: 1 } });
  });

  it("tell of a full month once, and of a webhook that was turned off", async () => {
    const { b, told } = world({ storage: open(), plans: { small: { submissions_per_month: 1 } } });
    await b.teams.create({ id: "acme", name: "Acme", plan: "small" });
    const { id } = await b.forms.create({ name: "Contact", spam: { protection: false } }, { team_id: "acme" });
    await b.webhooks.create(id, { url: "https://hooks.example.com/gone" });
    b.answerWebhooks((call) => (call.url.includes("/gone") ? 410 : 200));
    for (let n = 0; n < 3; n++) await b.post(id, { text: `hello ${n}` });
    await b.tick();
    await b.tick();
    const of = (type: string) => told().filter((one) => one.type === type);
    expect(of("plan.exceeded").map(({ data }) => data)).toEqual([
      { team_id: "acme", plan: "small", limit: 1, month: "2026-01" },
    ]);
    expect(of("webhook.disabled").map(({ data }) => data)).toMatchObject([{ form_id: id, team_id: "acme" }]);
  });
});

describe("the option hostWebhooks", () => {
  it("sends only what an entry names, and nothing any more once the entry is gone", async () => {
    const storage = memoryStorage();
    const { b, types } = world({ storage, hostWebhooks: [{ ...all, events: ["team.updated"] }] });
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.teams.update("acme", { name: "Acme Ltd" });
    await b.tick();
    expect(types()).toEqual(["team.updated"]);
  });

  it.each([
    [[{ ...all, url: "http://billing.example.com/" }], "`hostWebhooks.0.url`: The URL must begin with https://"],
    [[{ ...all, url: "https://10.0.0.1/" }], "`hostWebhooks.0.url`"],
    [[all, { ...all }], "`hostWebhooks.1.url`: is in the list twice"],
    [[{ ...all, secret: "short" }], "`hostWebhooks.0.secret`: must be `whsec_`"],
    [[{ ...all, events: ["team.renamed"] }], "`hostWebhooks.0.events.0`: must be one of team.created"],
    [[{ ...all, events: [] }], "`hostWebhooks.0.events`: must name at least one event"],
    [[{ ...all, name: "x" }], "`hostWebhooks.0.name`: is not an option"],
    [{}, "`hostWebhooks`"],
  ])("is refused by its name: %j", (hostWebhooks, sentence) => {
    const options = { baseUrl: "https://app.example.com/forms", hostWebhooks } as FormBackendOptions;
    expect(() => createFormBackend(options)).toThrow(`[form-backend] option ${sentence}`);
  });
});
