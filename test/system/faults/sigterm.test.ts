import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../_support/port.ts";
import { type Held, holdingReceiver, jobsIn, pause, startWorker, until } from "./_workers.ts";

const CLIENTS = 16;
/** By the measure of the process that ends: how busy the machine is does not count. */
const EXIT_MS = 10_500;

describe("F13: SIGTERM under load, with a grace of 10 s", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "form-backend-term-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  async function underLoad(onRequest: (held: Held) => void, WEBHOOK_TIMEOUT_MS: string) {
    const receiver = await holdingReceiver(onRequest);
    const env = { DATABASE: join(dir, "forms.db"), WEBHOOK_TIMEOUT_MS, PORT: String(await freePort()) };
    const worker = await startWorker(env);
    const form = (await worker.call("forms.create", {
      name: "F13",
      spam: { protection: false },
      self_email_notification: { enabled: false },
    })) as { id: string; endpoint: string };
    await worker.call("webhooks.create", form.id, { url: receiver.url });
    const accepted = new Set<string>();
    let loading = true;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; loading; n++) {
        try {
          const answer = await fetch(form.endpoint, {
            method: "POST",
            headers: { accept: "application/json" },
            body: new URLSearchParams({ client: String(client), n: String(n) }),
          });
          const { submission_id } = (await answer.json()) as { submission_id?: string };
          if (answer.ok) accepted.add(String(submission_id));
        } catch {
          // Refused or cut: not accepted.
        }
        await pause(20);
      }
    });
    return {
      ...{ receiver, env, accepted, endpoint: form.endpoint },
      async terminate() {
        worker.process.kill("SIGTERM");
        const end = await worker.ended;
        loading = false;
        await Promise.all(clients);
        expect(end).toBe(0);
        return worker.ownMs() as number;
      },
    };
  }

  it("sends nothing twice where attempts end in time, gives every lease back, and the next process sends the rest", async () => {
    const counts = new Map<string, number>();
    let slow = true;
    const load = await underLoad(({ id, answer }) => {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      setTimeout(() => answer(204), slow ? 100 + Math.random() * 900 : 1);
    }, "15000");
    await until("deliveries are under way", () => counts.size >= 30);
    const took = await load.terminate();
    const jobs = await jobsIn(load.env.DATABASE);
    const open = jobs.filter(({ value }) => value.due_at !== null);
    expect(took).toBeLessThanOrEqual(EXIT_MS);
    expect(jobs.filter(({ value }) => value.leased)).toEqual([]);
    const stored = new Set(jobs.map(({ value }) => value.submission_id));
    expect(
      [...load.accepted].filter((id) => !stored.has(id)),
      "what was accepted is stored",
    ).toEqual([]);
    expect(open.length, "there was more to do than could be done").toBeGreaterThan(0);
    expect([...counts.values()].filter((n) => n > 1)).toEqual([]);

    slow = false;
    const next = await startWorker(load.env);
    await until("the rest is sent", () => counts.size === jobs.length);
    next.process.kill("SIGTERM");
    expect(await next.ended).toBe(0);
    console.log(
      `F13: ${load.accepted.size} accepted, ${jobs.length - open.length} delivered when SIGTERM's exit came after ${Math.round(took)} ms of its own, ${open.length} by the next process; duplicates ${[...counts.values()].filter((n) => n > 1).length}`,
    );
    expect(
      [...counts.values()].filter((n) => n > 1),
      "0 duplicates",
    ).toEqual([]);
    const statuses = new Set((await jobsIn(load.env.DATABASE)).map(({ value }) => value.status));
    expect([...statuses]).toEqual(["succeeded"]);
    await load.receiver.close();
  });

  it("ends in time where receivers never answer and a post never ends, and gives those leases back too", async () => {
    let waiting = 0;
    const load = await underLoad(() => void waiting++, "30000");
    await until("deliveries are under way", () => waiting >= 4);
    const post = connect(Number(load.env.PORT), "127.0.0.1").on("error", () => {});
    // The server asks for the body when it has begun with the post.
    const begun = once(post, "data");
    post.write(`POST ${new URL(load.endpoint).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n`);
    post.write("Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n");
    expect(String(await begun)).toMatch(/^HTTP\/1\.1 100 /);
    post.write("a=");
    const took = await load.terminate();
    post.destroy();
    const jobs = await jobsIn(load.env.DATABASE);
    console.log(
      `F13 with receivers that never answer: exit after ${Math.round(took)} ms of its own, ${waiting} attempts aborted`,
    );
    expect(took).toBeLessThanOrEqual(EXIT_MS);
    expect(jobs.filter(({ value }) => value.leased || value.status !== "pending" || value.attempt > 0)).toEqual([]);
    const stored = new Set(jobs.map(({ value }) => value.submission_id));
    expect(
      [...load.accepted].filter((id) => !stored.has(id)),
      "what was accepted is stored",
    ).toEqual([]);
    expect(jobs.every(({ value }) => Date.parse(String(value.due_at)) <= Date.now())).toBe(true);
    await load.receiver.close();
  });
});
