import { describe, expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../adapters/nitro.ts";
import type { QueueDriver } from "../../../src/index.ts";
import {
  createTestBackend,
  type TestBackend,
  type TestBackendOptions,
  testClock,
} from "../../../src/surfaces/testing/index.ts";
import { listening } from "../../_support/hosts.ts";

/** Loses every wake, as a process does that is frozen after its answer; the clock of the test never fires a timer either. */
const deaf: QueueDriver = { name: "deaf", wake() {}, listen: async () => async () => {}, close: async () => {} };

async function frozen(
  options: Pick<TestBackendOptions, "work" | "queue" | "clock"> = {},
): Promise<{ backend: TestBackend; post: () => Request }> {
  const backend = createTestBackend({ work: true, queue: deaf, ...options });
  onTestFinished(() => backend.close());
  const { id } = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["me@example.com"] },
  });
  const url = `${backend.baseUrl}/f/${id}`;
  return { backend, post: () => new Request(url, { method: "POST", body: new URLSearchParams({ name: "Ann" }) }) };
}

describe("waitUntil", () => {
  it("holds the process until what a post caused has run", async () => {
    const { backend, post } = await frozen();
    const held: Promise<unknown>[] = [];
    const response = await backend.handle(post(), { waitUntil: (promise) => held.push(promise) });
    expect([response.status, held.length]).toEqual([303, 1]);
    await Promise.all(held);
    expect(backend.mails).toHaveLength(1);
  });

  it("is not asked for where the host has none: then the mail waits", async () => {
    const { backend, post } = await frozen();
    expect((await backend.handle(post())).status).toBe(303);
    expect(backend.mails).toHaveLength(0);
    expect(await backend.jobs.list({ status: "pending" })).toHaveLength(1);
  });

  it("runs everything for many posts at once", async () => {
    const { backend, post } = await frozen();
    const held: Promise<unknown>[] = [];
    const answers = Array.from({ length: 20 }, () =>
      backend.handle(post(), { waitUntil: (promise) => held.push(promise) }),
    );
    await Promise.all(answers);
    await Promise.all(held);
    expect([held.length, backend.mails.length]).toEqual([20, 20]);
  });

  it("is left alone by reads, and where other processes do the work", async () => {
    const held: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>): unknown => held.push(promise);
    const reader = await frozen();
    await reader.backend.handle(new Request(`${reader.backend.baseUrl}/v1/forms`), { waitUntil });
    const elsewhere = await frozen({ work: false });
    await elsewhere.backend.handle(elsewhere.post(), { waitUntil });
    expect([held.length, elsewhere.backend.mails.length]).toEqual([0, 0]);
  });

  it("comes with the request of a web host, and with the event of Nitro 3", async () => {
    for (const answer of [
      ({ backend }: { backend: TestBackend }, request: Request) => backend.fetch(request),
      ({ backend }: { backend: TestBackend }, request: Request) => formBackend(backend)({ req: request }),
    ]) {
      const host = await frozen();
      const held: Promise<unknown>[] = [];
      const request = Object.assign(host.post(), { waitUntil: (promise: Promise<unknown>) => held.push(promise) });
      expect((await answer(host, request))?.status).toBe(303);
      await Promise.all(held);
      expect(host.backend.mails).toHaveLength(1);
    }
  });

  it("comes with the event of nitropack 2, over a socket", async () => {
    const { backend, post } = await frozen();
    const held: Promise<unknown>[] = [];
    const handler = formBackend(backend);
    const { url, close } = await listening((req, res) => {
      void handler({ node: { req, res }, waitUntil: (promise) => held.push(promise) });
    });
    onTestFinished(close);
    const request = post();
    const response = await fetch(url + new URL(request.url).pathname, {
      method: "POST",
      body: new URLSearchParams({ name: "Ann" }),
    });
    expect(response.status).toBe(200);
    await expect.poll(() => held.length).toBe(1);
    await Promise.all(held);
    expect(backend.mails).toHaveLength(1);
  });
});

describe("work: on-request", () => {
  const NOW = Date.parse("2026-01-01T00:00:00.000Z");

  /** A run lets go of what it has read after this time, which is memory and no work. */
  const FORGETS_MS = 250;

  /** A process of its kind, which tells of each timer that is set and not cancelled, and of each listener. */
  async function onRequest() {
    const inner = testClock(NOW);
    const timers = new Set<number>();
    let listeners = 0;
    const host = await frozen({
      work: "on-request",
      queue: {
        ...deaf,
        async listen() {
          listeners++;
          return async () => {};
        },
      },
      clock: {
        ...inner,
        setTimer(fn, ms) {
          timers.add(ms);
          const cancel = inner.setTimer(fn, ms);
          return () => {
            timers.delete(ms);
            cancel();
          };
        },
      },
    });
    const held: Promise<unknown>[] = [];
    const info = { waitUntil: (promise: Promise<unknown>) => held.push(promise) };
    return { ...host, held, info, left: () => ({ timers: [...timers].filter((ms) => ms > FORGETS_MS), listeners }) };
  }

  it("runs what is due after each request that has a waitUntil, a read too", async () => {
    const { backend, post, held, info } = await onRequest();
    expect((await backend.handle(post())).status).toBe(303);
    expect(backend.mails).toHaveLength(0);
    await backend.handle(new Request(`${backend.baseUrl}/v1/health`), info);
    await Promise.all(held);
    expect(backend.mails).toHaveLength(1);
    await backend.handle(post(), info);
    await Promise.all(held);
    expect(backend.mails).toHaveLength(2);
  });

  it("runs it in tick()", async () => {
    const { backend, post } = await onRequest();
    await backend.handle(post());
    expect(await backend.tick()).toEqual({ ran: 1 });
    expect(backend.mails).toHaveLength(1);
  });

  it("has no timer and no listener once a request and what it held have ended", async () => {
    const { backend, post, held, info, left } = await onRequest();
    const [form] = (await backend.forms.list()).data;
    await backend.forms.update(form?.id ?? "", { settings: { statistics: { enabled: true } } });
    const beacon = new Request(`${backend.baseUrl}/f/${form?.id}/view`, { method: "POST" });
    expect((await backend.handle(beacon, info)).status).toBe(204);
    await backend.handle(post(), info);
    // A refused post is counted for the log.
    await backend.handle(new Request(post().url, { method: "POST", body: "{", headers: JSON_TYPE }), info);
    await Promise.all(held);
    expect(left()).toEqual({ timers: [], listeners: 0 });
    expect(await backend.forms.statistics(form?.id ?? "")).toMatchObject({ totals: { views: 1 } });
  });

  it("is one of three settings", () => {
    expect(() => createTestBackend({ work: "always" as "on-request" })).toThrow(
      'option `work`: must be true, false or "on-request"',
    );
  });
});

const JSON_TYPE = { "content-type": "application/json" };

describe("nextDueAt", () => {
  it("is when the next job is due, of every lane, and null without one", async () => {
    const { backend, post } = await frozen({ work: false });
    expect(await backend.nextDueAt()).toBeNull();
    await backend.handle(post());
    expect(await backend.nextDueAt()).toBe(backend.clock.now());
    await backend.tick();
    expect(await backend.nextDueAt()).toBeNull();
    const { id } = (await backend.forms.list()).data[0] ?? { id: "" };
    await backend.webhooks.create(id, { url: "https://example.com/hook" });
    backend.answerWebhooks(() => 503);
    await backend.handle(post());
    await backend.tick();
    const retry = await backend.nextDueAt();
    expect(retry).toBeGreaterThan(backend.clock.now());
    await backend.clock.advance((retry ?? 0) - backend.clock.now());
    expect(backend.webhookCalls).toHaveLength(2);
  });
});
