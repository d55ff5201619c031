import { describe, expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../adapters/nitro.ts";
import type { QueueDriver } from "../../../src/index.ts";
import { createTestBackend, type TestBackend } from "../../../src/surfaces/testing/index.ts";
import { listening } from "../../_support/hosts.ts";

/** Loses every wake, as a process does that is frozen after its answer; the clock of the test never fires a timer either. */
const deaf: QueueDriver = { name: "deaf", wake() {}, listen: async () => async () => {}, close: async () => {} };

async function frozen(options: { work?: boolean } = {}): Promise<{ backend: TestBackend; post: () => Request }> {
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
