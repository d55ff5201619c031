import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JobView } from "../../../src/features/jobs/list.ts";
import { holdingReceiver, jobsIn, startWorker, until, type Worker } from "./_workers.ts";

const HEALTHY = 20;
/** Leases are 6 s for a webhook and 12 s for an email. One that ends while its process waits for a core counts against a healthy delivery. */
const SPEED = 10;

it.each([
  ["webhook", "ERROR_WEBHOOK_WORKER_LOST"],
  ["email", "ERROR_EMAIL_WORKER_LOST"],
])(
  "F12: a payload that kills the process while it sends the %s fails with its own code after 3 deaths; the others arrive",
  async (lane, code) => {
    const dir = mkdtempSync(join(tmpdir(), "form-backend-poison-"));
    const env = {
      DATABASE: join(dir, "forms.db"),
      WEBHOOK_TIMEOUT_MS: "15000",
      SPEED: String(SPEED),
      SINCE: String(Date.now()),
    };
    let worker: Worker;
    let deaths = 0;
    const mails = new Set<string>();
    const arrived = new Map<string, number>();
    const receiver = await holdingReceiver(({ id, body, answer }) => {
      if (body.includes("poison")) return void worker.process.kill("SIGKILL");
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      answer(204);
    });
    worker = await startWorker(env);
    const form = (await worker.call("forms.create", {
      name: "F12",
      spam: { protection: false },
      self_email_notification: { enabled: lane === "email", recipients: ["owner@example.com"] },
    })) as { id: string };
    if (lane === "webhook") await worker.call("webhooks.create", form.id, { url: receiver.url });

    let running = true;
    const supervisor = (async () => {
      for (;;) {
        const end = await worker.ended;
        for (const id of worker.mails) mails.add(id);
        if (end === "SIGKILL") deaths++;
        if (!running) return;
        expect(end).toBe("SIGKILL");
        worker = await startWorker(env);
        if (!running) worker.process.kill("SIGTERM");
      }
    })();
    // It may end at any moment; then its successor is asked.
    const ask = async (name: string, ...args: unknown[]): Promise<unknown> => {
      for (;;) {
        const asked = worker;
        try {
          return await asked.call(name, ...args);
        } catch {
          // Not `connected`: Node may tell of a process's end before the end of its channel.
          await until("the worker is started again", () => worker !== asked);
        }
      }
    };
    for (let n = 0; n < HEALTHY; n++) {
      if (n === 3) await ask("submit", form.id, { fields: { n: "poison" }, idempotency_key: "poison" });
      await ask("submit", form.id, { fields: { n: String(n) }, idempotency_key: `n${n}` });
    }
    const jobs = async () => (await ask("jobs.list", { form_id: form.id })) as JobView[];
    const poison = async () => (await jobs()).find((job) => job.status !== "succeeded");
    const healthy = async () => (await jobs()).filter((job) => job.status === "succeeded").length;

    await until("the poison has failed", async () => (await poison())?.code === code);
    await until("the healthy ones arrive", async () => (await healthy()) === HEALTHY);
    running = false;
    worker.process.kill("SIGTERM");
    await supervisor;

    const rows = await jobsIn(env.DATABASE);
    expect(deaths).toBe(3);
    expect(rows.find(({ value }) => value.status !== "succeeded")?.value).toMatchObject({
      due_at: null,
      leased: false,
    });
    expect(rows).toHaveLength(HEALTHY + 1);
    const statuses = rows.map(({ value }) => value.status).sort();
    expect(statuses).toEqual(["failed", ...Array.from({ length: HEALTHY }, () => "succeeded")]);
    expect((lane === "webhook" ? arrived : mails).size, "each healthy one arrived").toBe(HEALTHY);
    await receiver.close();
    rmSync(dir, { recursive: true, force: true });
  },
);
