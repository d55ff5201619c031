import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { HostFormCreate } from "../../../../src/model/form-input.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";
import { encryption } from "../../../_support/privacy.ts";
import { httpReceiver, type Receiver } from "../../../_support/receivers.ts";

const DAY = 86_400_000;
const SECRET = "Ann's number is 078-05-1120";
const OWN = "the queue is closed";

/** A receiver that refuses every request and sends it back, after words of its own. */
let receiver: Receiver;
beforeAll(async () => {
  receiver = await httpReceiver((req, res) => {
    res.writeHead(422, "Unprocessable").write(`${OWN} `);
    req.pipe(res);
  });
});
afterAll(() => receiver.close());

async function world(form: Partial<HostFormCreate> = {}, options: TestBackendOptions = {}) {
  const log: string[] = [];
  const say = (...words: unknown[]): void => void log.push(JSON.stringify(words));
  const storage = memoryStorage();
  const b = harness({
    storage,
    encryption,
    logger: { debug: say, info: say, warn: say, error: say },
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
    ...options,
  });
  const events: string[] = [];
  b.on("*", (type, event) => void (type.startsWith("delivery.") && events.push(JSON.stringify(event))));
  const { id } = await b.forms.create({ name: "A", self_email_notification: { enabled: false }, ...form });
  const { id: webhook } = await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/a-path-that-is-long` });
  const jobs = async () =>
    JSON.stringify(await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 }));
  const post = async () => {
    const { json } = await b.post(id, { a: SECRET });
    await b.tick();
    return json.submission_id as string;
  };
  return { b, id, webhook, log, events, jobs, post };
}

describe("a receiver that sends the post back", () => {
  it("is cited without it, and the log has none of its words", async () => {
    const { b, id, webhook, log, events, jobs, post } = await world();
    const submission = await post();
    const { data } = (await b.call("GET", `/v1/forms/${id}/webhooks/${webhook}/deliveries`)).json;
    expect(data).toMatchObject([{ submission_id: submission, http_status: 422 }]);
    expect(data[0].message).toMatch(/^HTTP 422 Unprocessable: the queue is closed \[…\]/);
    for (const text of [data[0].message, await jobs(), ...events]) expect(text).not.toContain("078-05");
    const failures = log.filter((line) => line.includes("ERROR_WEBHOOK_HTTP_4XX"));
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]).toContain("ERROR_WEBHOOK_HTTP_4XX: HTTP 422;");
    expect(log.join("\n")).not.toMatch(/the queue|Unprocessable|078-05/);
  });

  it("is cited only while the submission is there: not after a deletion, retention, shredding and the form's end", async () => {
    const ways: Record<string, (w: Awaited<ReturnType<typeof world>>, submission: string) => Promise<unknown>> = {
      delete: ({ b, id }, one) => b.call("DELETE", `/v1/forms/${id}/submissions/${one}`),
      "bulk delete": ({ b, id }, one) =>
        b.call("POST", `/v1/forms/${id}/submissions/bulk`, { body: { action: "delete", ids: [one] } }),
      retention: async ({ b, id }) => {
        await b.forms.update(id, { storage: { keep_for: "7_days" } });
        await b.clock.advance(8 * DAY);
        await b.sweep();
      },
      shred: ({ b, id }) => b.forms.shred(id),
      "the form's deletion": ({ b, id }) => b.forms.delete(id),
    };
    for (const [way, run] of Object.entries(ways)) {
      const w = await world();
      const submission = await w.post();
      expect(await w.jobs(), way).toContain(OWN);
      await run(w, submission);
      expect(await w.jobs(), way).toContain("HTTP_4XX");
      expect(await w.jobs(), way).not.toContain(OWN);
      // A shredded form goes on with its deliveries, of what was never sealed.
      if (way === "shred") continue;
      await w.b.clock.advance(4 * DAY);
      expect(await w.jobs(), way).not.toContain(OWN);
    }
  });

  it("is not cited after a deletion during the attempt", async () => {
    let asked = (): void => {};
    const running = new Promise<void>((resolve) => (asked = resolve));
    let answer = (): void => {};
    const slow = await httpReceiver((_req, res) => {
      answer = () => void res.writeHead(422).end(OWN);
      asked();
    });
    const { b, id, webhook, jobs } = await world();
    await b.webhooks.update(id, webhook, { url: `http://127.0.0.1:${slow.port}/slow` });
    const { json } = await b.post(id, { a: SECRET });
    const ticking = b.tick();
    await running;
    expect((await b.call("DELETE", `/v1/forms/${id}/submissions/${json.submission_id}`)).status).toBe(200);
    answer();
    await ticking;
    expect(await jobs()).not.toContain(OWN);
    await b.clock.advance(DAY);
    expect(await jobs()).toContain("SKIPPED_SUBMISSION_DELETED");
    expect(await jobs()).not.toContain(OWN);
    await slow.close();
  });

  it.each([
    ["protects a field", { settings: { fields: { a: { store: "encrypt", webhook: "show" } } } }],
    ["stores no submissions", { storage: { store_submissions: false } }],
  ])("is not cited where the form %s", async (_, form) => {
    const { jobs, post, events, log } = await world(form as Partial<HostFormCreate>);
    await post();
    expect(await jobs()).toContain("ERROR_WEBHOOK_HTTP_4XX");
    expect([await jobs(), ...events, ...log].join("\n")).not.toMatch(/the queue|078-05/);
  });
});
