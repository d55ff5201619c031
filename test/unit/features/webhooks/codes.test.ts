import { describe, expect, it, onTestFinished } from "vitest";
import type { FormBackendOptions } from "../../../../src/core/options/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver, Stored } from "../../../../src/drivers/storage/types.ts";
import { createWebhookClient } from "../../../../src/features/webhooks/request.ts";
import { addressPolicy } from "../../../../src/lib/net-guard.ts";
import { type DeliveryCode, deliveryCodes } from "../../../../src/model/codes.ts";
import type { FormRecord } from "../../../../src/model/form-record.ts";
import type { Delivery, JobRecord } from "../../../../src/model/jobs.ts";
import { createBackend, type FormBackend } from "../../../../src/surfaces/form-backend.ts";
import { type TestClock, testClock } from "../../../../src/surfaces/testing/clock.ts";
import { closedPort, httpReceiver, tcpReceiver } from "../../../_support/receivers.ts";

const HOUR = 60 * 60 * 1000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
interface Place {
  storage: StorageDriver;
  clock: TestClock;
  b: FormBackend;
  form: string;
  webhook: string;
  submit(spam?: boolean): Promise<string>;
  /** The entry of the log after everything that is due has run. */
  log(id: string): Promise<Delivery>;
  /** The same store under another configuration, as after a restart. */
  restarted(options?: Partial<FormBackendOptions>): Place;
}

function backendOn(storage: StorageDriver, clock: TestClock, options: Partial<FormBackendOptions> = {}): FormBackend {
  const { allowHttp = true, allowCidrs = ["127.0.0.0/8"], timeoutMs = 300 } = options.webhooks ?? {};
  const backend = createBackend(
    {
      baseUrl: "http://localhost/forms",
      secret: "a secret for tests that is long enough",
      work: false,
      rateLimit: false,
      logger: silent,
      ...options,
      webhooks: { allowHttp, allowCidrs, timeoutMs },
      storage: { ...storage, close: async () => {} },
      clock,
    },
    {
      webhookClient: createWebhookClient({
        policy: addressPolicy({ allowCidrs }),
        allowHttp,
        timeoutMs,
        resolver: {
          resolve4: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })),
          resolve6: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })),
        },
      }),
    },
  );
  onTestFinished(() => backend.close());
  return backend;
}

async function place(url: string): Promise<Place> {
  const storage = memoryStorage();
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const first = backendOn(storage, clock);
  const { id: form } = await first.forms.create({ name: "A", spam: { protection: false } });
  const { id: webhook } = await first.webhooks.create(form, { url });
  const on = (b: FormBackend): Place => ({
    storage,
    clock,
    b,
    form,
    webhook,
    submit: async (spam = false) => (await b.submit(form, { fields: { a: "1", ...(spam && { _gotcha: "x" }) } })).id,
    async log(id) {
      await b.tick();
      return b.deliveries.get(form, webhook, id);
    },
    restarted: (options) => on(backendOn(storage, clock, options)),
  });
  return on(first);
}

async function answering(status: number, headers: Record<string, string> = {}, body = ""): Promise<string> {
  const { port, close } = await httpReceiver((_req, res) => res.writeHead(status, headers).end(body));
  onTestFinished(close);
  return `http://127.0.0.1:${port}/`;
}

async function socket(onSocket: Parameters<typeof tcpReceiver>[0]): Promise<number> {
  const { port, close } = await tcpReceiver(onSocket);
  onTestFinished(close);
  return port;
}

async function jobRow({ storage }: Place, submission_id: string): Promise<Stored<JobRecord>> {
  const [row] = await storage.page("jobs", { index: "submission", equals: { submission_id }, order: "asc", limit: 1 });
  return row as unknown as Stored<JobRecord>;
}

const sent = async (url: string): Promise<Delivery> => {
  const p = await place(url);
  return p.log(await p.submit());
};

/** What each code takes to appear in the log, and the rest of its entry. */
const cases: Record<DeliveryCode, () => Promise<[Delivery, Partial<Delivery>]>> = {
  SUCCESS: async () => [await sent(await answering(204)), { status: "succeeded", attempt: 1, http_status: 204 }],
  PENDING: async () => {
    const p = await place(await answering(200));
    return [await p.b.deliveries.get(p.form, p.webhook, await p.submit()), { status: "pending", attempt: 0 }];
  },
  ERROR_WEBHOOK_HTTP_3XX: async () => [
    await sent(await answering(301, { location: "http://127.0.0.1/" })),
    { status: "retrying", attempt: 1, http_status: 301, message: "HTTP 301 Moved Permanently" },
  ],
  ERROR_WEBHOOK_HTTP_4XX: async () => [
    await sent(await answering(404, {}, "no such hook")),
    { status: "retrying", attempt: 1, http_status: 404, message: "HTTP 404 Not Found: no such hook" },
  ],
  ERROR_WEBHOOK_HTTP_5XX: async () => [
    await sent(await answering(503, {}, `down\r\n\u0007\u{1f600}${"é".repeat(20_000)}`)),
    {
      status: "retrying",
      attempt: 1,
      http_status: 503,
      message: expect.stringMatching(/^HTTP 503 Service Unavailable: down \u{1f600}é+$/u),
    },
  ],
  ERROR_WEBHOOK_TIMEOUT: async () => [
    await sent(`http://127.0.0.1:${await socket(() => {})}/`),
    {
      status: "retrying",
      attempt: 1,
      node_error_code: "ETIMEDOUT",
      message: "No answer from 127.0.0.1 within 0.3 s (ETIMEDOUT).",
    },
  ],
  ERROR_WEBHOOK_CONNECTION: async () => [
    await sent(`http://127.0.0.1:${await closedPort()}/`),
    {
      status: "retrying",
      attempt: 1,
      node_error_code: "ECONNREFUSED",
      message: "The connection to 127.0.0.1 failed (ECONNREFUSED).",
    },
  ],
  ERROR_WEBHOOK_DNS: async () => [
    await sent("http://nowhere.example/"),
    {
      status: "retrying",
      attempt: 1,
      node_error_code: "ENOTFOUND",
      message: "The name nowhere.example could not be resolved (ENOTFOUND).",
    },
  ],
  ERROR_WEBHOOK_TLS: async () => [
    await sent(
      `https://127.0.0.1:${await socket((peer) => peer.once("data", () => peer.end("HTTP/1.1 200 OK\r\n\r\n")))}/`,
    ),
    {
      status: "retrying",
      attempt: 1,
      node_error_code: expect.any(String),
      message: expect.stringMatching(/^TLS with 127\.0\.0\.1 failed/),
    },
  ],
  ERROR_WEBHOOK_PROTOCOL: async () => [
    await sent(
      `http://127.0.0.1:${await socket((peer) => peer.once("data", () => peer.end("220 smtp.example.com\r\n")))}/`,
    ),
    {
      status: "retrying",
      attempt: 1,
      node_error_code: "HPE_INVALID_CONSTANT",
      message: expect.stringContaining("is not valid HTTP"),
    },
  ],
  ERROR_WEBHOOK_BLOCKED_ADDRESS: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    const entry = await p.restarted({ webhooks: { allowCidrs: [] } }).log(id);
    expect(JSON.stringify(entry), "no inner address is named").not.toContain("127.0.0.1");
    return [entry, { status: "retrying", attempt: 1, node_error_code: "EBLOCKED", message: expect.any(String) }];
  },
  ERROR_WEBHOOK_INVALID_URL: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    const entry = await p.restarted({ webhooks: { allowHttp: false } }).log(id);
    return [entry, { status: "retrying", attempt: 1, node_error_code: "ERR_INVALID_URL", message: expect.any(String) }];
  },
  ERROR_WEBHOOK_INTERNAL: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    const entry = await p.restarted({ secret: "another secret, which opens no sealed one" }).log(id);
    return [entry, { status: "retrying", attempt: 1, message: expect.stringContaining("could not be prepared") }];
  },
  ERROR_WEBHOOK_WORKER_LOST: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    for (let loss = 0; loss < 3; loss++) {
      const query = { lane: "webhook", leaseMs: HOUR, limit: 9, exclude: [], perTarget: 9, now: p.clock.now() };
      const { jobs } = await p.storage.claim(query);
      expect(jobs).toHaveLength(1);
      // The third one begins its last run before it dies.
      const { id, value, version } = jobs[0] as Stored;
      const begun = { ...value, ...(loss === 2 && { last_chance: loss }) };
      await p.storage.commit([{ op: "put", collection: "jobs", id, value: begun, expect: version }]);
      p.clock.set(p.clock.now() + HOUR);
    }
    return [await p.log(id), { status: "failed", attempt: 1, message: expect.stringContaining("ended 3 times") }];
  },
  ERROR_WEBHOOK_NOT_ATTEMPTED: async () => {
    const p = await place(await answering(500));
    const [first, second] = [await p.submit(), await p.submit()];
    const waiting = await jobRow(p, second);
    await stuckBehind(p, second);
    await p.b.tick();
    p.clock.set(p.clock.now() + 71 * HOUR);
    await p.submit();
    await p.b.tick();
    p.clock.set(Date.parse(waiting.value.deadline_at) + 60_000);
    // The endpoint is tried with others, and still fails, before the turn of the one that waited comes.
    await p.submit();
    await p.b.tick();
    p.clock.set(p.clock.now() + 60_000);
    expect((await p.log(first)).attempt).toBeGreaterThan(1);
    return [await p.log(second), { status: "failed", attempt: 0, message: expect.stringContaining("72 hours") }];
  },
  SKIPPED_SPAM: async () => {
    const p = await place(await answering(200));
    return [await p.log(await p.submit(true)), { status: "skipped", attempt: 0 }];
  },
  SKIPPED_WEBHOOK_DISABLED: () => skippedBy((p) => p.b.webhooks.update(p.form, p.webhook, { enabled: false })),
  SKIPPED_WEBHOOK_DELETED: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    await p.b.webhooks.delete(p.form, p.webhook);
    await p.b.tick();
    const [{ id: _, kind: __, target: ___, form_id: ____, attempts: _____, ...entry } = {} as never] =
      await p.b.jobs.list({
        submission_id: id,
      });
    return [entry, { status: "skipped", attempt: 0 }];
  },
  // One event can be subscribed to so far, so only a row that something else wrote lacks it.
  SKIPPED_EVENT_NOT_SUBSCRIBED: () =>
    skippedBy(async ({ storage, form }) => {
      const row = (await storage.get("forms", [form])).get(form) as unknown as Stored<FormRecord>;
      const webhooks = row.value.webhooks.map((webhook) => ({ ...webhook, events: [] }));
      await storage.commit([{ op: "put", collection: "forms", id: form, value: { ...row.value, webhooks } }]);
    }),
  SKIPPED_SUBMISSION_DELETED: () => skippedBy((p, id) => p.b.submissions.delete(p.form, id)),
  SKIPPED_PLAN_RESTRICTED: async () => {
    const p = await place(await answering(200));
    const id = await p.submit();
    const later = p.restarted({ plans: { bare: { webhooks: false } } });
    await later.b.teams.update("default", { plan: "bare" });
    return [await later.log(id), { status: "skipped", attempt: 0 }];
  },
  SKIPPED_TEAM_INACTIVE: () => skippedBy((p) => p.b.teams.update("default", { active: false })),
};

async function skippedBy(change: (p: Place, id: string) => Promise<unknown>): Promise<[Delivery, Partial<Delivery>]> {
  const p = await place(await answering(200));
  const id = await p.submit();
  await change(p, id);
  return [await p.log(id), { status: "skipped", attempt: 0 }];
}

/** Moves a delivery that was never tried behind everything else, as 20,000 others to the same dead endpoint do. */
async function stuckBehind(p: Place, submission: string): Promise<void> {
  const { id, value } = await jobRow(p, submission);
  const due_at = new Date(Date.parse(value.deadline_at) + 120_000).toISOString();
  await p.storage.commit([{ op: "put", collection: "jobs", id, value: { ...value, due_at } }]);
}

describe("every code of a delivery", () => {
  it.each(deliveryCodes)("%s", async (code) => {
    const [entry, rest] = await cases[code]();
    const { submission_id, webhook_id, occurred_at, ...shown } = entry;
    expect(shown).toEqual({ code, ...rest });
    expect([submission_id.length, webhook_id.slice(0, 4)]).toEqual([24, "whk_"]);
    expect(occurred_at).toMatch(/^2026-01-0\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(shown.http_status !== undefined && shown.node_error_code !== undefined, "one or the other").toBe(false);
    expect(shown.message ?? "").not.toMatch(/\p{Cc}/u);
    expect((shown.message ?? "").length).toBeLessThanOrEqual(1_024);
    expect((shown.message ?? "").isWellFormed()).toBe(true);
  });
});

describe("a delivery whose window passed", () => {
  it("while we stood still is attempted all the same, as long as nobody knows that the endpoint still fails", async () => {
    const p = await place(await answering(500));
    const [first, second] = [await p.submit(), await p.submit()];
    await stuckBehind(p, second);
    await p.log(first);
    p.clock.set(p.clock.now() + 100 * HOUR);
    expect(await p.log(second)).toMatchObject({ status: "failed", code: "ERROR_WEBHOOK_HTTP_5XX", attempt: 1 });
  });

  it("gets its attempt where the endpoint worked in the meantime", async () => {
    let status = 500;
    const { port, close } = await httpReceiver((_req, res) => res.writeHead(status).end());
    onTestFinished(close);
    const p = await place(`http://127.0.0.1:${port}/`);
    const [first, second] = [await p.submit(), await p.submit()];
    await stuckBehind(p, second);
    await p.log(first);
    p.clock.set(p.clock.now() + 50 * HOUR);
    status = 200;
    await p.log(await p.submit());
    status = 500;
    p.clock.set(p.clock.now() + 22 * HOUR + 60_000);
    await p.log(await p.submit());
    p.clock.set(p.clock.now() + 60_000);
    expect(await p.log(second)).toMatchObject({ status: "failed", code: "ERROR_WEBHOOK_HTTP_5XX", attempt: 1 });
  });
});
