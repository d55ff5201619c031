import { expect } from "vitest";
import { createBackend, type FormBackend } from "../../../src/backend.ts";
import type { Core } from "../../../src/core/core.ts";
import { createSettle } from "../../../src/deliveries/settle.ts";
import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import type { StorageDriver, Stored } from "../../../src/drivers/storage/types.ts";
import { ApiError } from "../../../src/errors.ts";
import type { JobRecord } from "../../../src/model/jobs.ts";
import type { JobOutcome } from "../../../src/model/outcome.ts";
import { type TestClock, testClock } from "../../../src/testing/clock.ts";
import type { Attempt } from "../../../src/webhooks/request.ts";

const HOUR = 60 * 60 * 1000;
const OWNER = "owner@example.com";

/** What must be true of the deliveries, as far as the commands say. */
export interface Model {
  /** Each accepted submission with the deliveries that it must have, `kind target`. */
  readonly submissions: { readonly id: string; planned: readonly string[]; spam: boolean; stored: boolean }[];
  readonly webhooks: { readonly id: string; alive: boolean; rotated: number[] }[];
  /** Rows that a worker of another process has claimed: it may be slow, or dead. */
  held: number;
}

/** The system under test: one process that works when it is told to, and the settling half of another one. */
export interface World {
  readonly storage: StorageDriver;
  readonly clock: TestClock;
  readonly backend: FormBackend;
  readonly form: string;
  readonly held: Stored<JobRecord>[];
  /** How the receivers answer. */
  answer: Attempt;
  settle(row: Stored<JobRecord>, outcome: JobOutcome): Promise<void>;
  /** Deliveries that were seen to have succeeded, until a caller has one sent again. */
  readonly succeeded: Map<string, JobRecord>;
  readonly attempts: Map<string, number>;
}

export const answers = {
  ok: { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 },
  down: { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: "HTTP 500", duration_ms: 1 },
  busy: {
    ok: false,
    code: "ERROR_WEBHOOK_HTTP_4XX",
    http_status: 429,
    message: "HTTP 429",
    retry_after: "7200",
    duration_ms: 1,
  },
  silent: {
    ok: false,
    code: "ERROR_WEBHOOK_TIMEOUT",
    node_error_code: "ETIMEDOUT",
    message: "No answer",
    duration_ms: 1,
  },
  gone: {
    ok: false,
    code: "ERROR_WEBHOOK_HTTP_4XX",
    http_status: 410,
    message: "HTTP 410",
    duration_ms: 1,
  },
} satisfies Record<string, Attempt>;

export async function newWorld(storage: StorageDriver): Promise<{ model: Model; real: World }> {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  let core: Core | undefined;
  const backend = createBackend(
    {
      baseUrl: "http://localhost/forms",
      secret: "a secret for tests that is long enough",
      storage: { ...storage, close: async () => {} },
      mailer: memoryMailer(),
      plans: { many: { webhooks_per_form: null } },
      defaultPlan: "many",
      rateLimit: false,
      work: false,
      clock,
    },
    {
      webhookClient: {
        async post(_url, { headers = {} }) {
          expect(real.succeeded.has(headers["webhook-id"] ?? ""), "what succeeded is not sent again").toBe(false);
          return real.answer;
        },
        close() {},
      },
      onReady: async (opened) => {
        core = opened;
      },
    },
  );
  await backend.ready();
  const owner = { email: OWNER };
  const team = await backend.teams.create({ name: "T", plan: "many", owner });
  // Content checks would take submissions that are much alike for spam.
  const { id: form } = await backend.forms.create({ name: "A", spam: { protection: false } }, { team_id: team.id });
  const { id } = await backend.webhooks.create(form, { url: "https://hooks.example.com/" });
  const settle = createSettle(core as Core);
  const real: World = {
    storage,
    clock,
    backend,
    form,
    held: [],
    answer: answers.ok,
    settle,
    succeeded: new Map(),
    attempts: new Map(),
  };
  return { model: { submissions: [], webhooks: [{ id, alive: true, rotated: [] }], held: 0 }, real };
}

/** `param` is what a refusal may be about; anything else that is thrown fails the run. */
export async function refused(work: Promise<unknown>, codes: readonly string[]): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof ApiError && codes.includes(error.code)) return true;
    throw error;
  }
}

export const plannedNow = ({ webhooks }: Model): string[] => [
  ...webhooks.filter(({ alive }) => alive).map(({ id }) => `webhook ${id}`),
  `owner_email ${OWNER}`,
];

export async function jobsOf({ storage, form }: World): Promise<Stored<JobRecord>[]> {
  const query = { index: "form", equals: { form_id: form }, order: "asc", limit: 10_000 } as const;
  return (await storage.page("jobs", query)) as unknown as Stored<JobRecord>[];
}

const CODES = {
  succeeded: /^SUCCESS$/,
  failed: /^ERROR_/,
  retrying: /^ERROR_/,
  pending: /^PENDING$/,
  skipped: /^SKIPPED_/,
} as const;

/** The invariants; they hold after each command. */
export async function checkInvariants(model: Model, world: World): Promise<void> {
  const jobs = await jobsOf(world);
  const bySubmission = new Map<string, string[]>();
  const times = new Map<string, Set<string>>();
  for (const { id, value: job } of jobs) {
    const { status, due_at, target, occurred_at } = job;
    const terminal = status === "succeeded" || status === "failed" || status === "skipped";
    const say = (what: string) => `${what}: ${id} ${JSON.stringify(job)}`;
    expect(due_at === null, say("exactly what is terminal has no due_at")).toBe(terminal);
    if (terminal) expect(job.leased, say("what is terminal is not leased")).toBe(false);
    expect(job.code, say("the code is of the status's family")).toMatch(CODES[status]);
    const inWindow = job.attempt - (job.window_from ?? 0);
    expect(inWindow >= 0 && inWindow <= 20, say("at most 20 attempts per window")).toBe(true);
    expect(job.attempt, say("attempts never go back")).toBeGreaterThanOrEqual(world.attempts.get(id) ?? 0);
    world.attempts.set(id, job.attempt);
    if (status === "retrying" && !job.leased)
      expect((due_at as string) <= job.deadline_at, say("nothing is planned beyond the deadline")).toBe(true);

    const before = world.succeeded.get(id);
    if (before) expect(job, say("what succeeded never changes")).toEqual(before);
    else if (status === "succeeded") world.succeeded.set(id, job);

    if (job.kind === "webhook_notice") continue;
    bySubmission.set(job.submission_id, [
      ...(bySubmission.get(job.submission_id) ?? []),
      `${job.kind} ${job.to ?? target}`,
    ]);
    if (job.kind !== "webhook" || occurred_at === job.created_at) continue;
    const taken = times.get(target) ?? new Set();
    expect(taken.has(occurred_at), say("occurred_at is unique for the webhook")).toBe(false);
    times.set(target, taken.add(occurred_at));
  }
  for (const { id, planned } of model.submissions)
    expect(bySubmission.get(id)?.sort() ?? [], `the deliveries of ${id}`).toEqual([...planned].sort());
  expect([...bySubmission.keys()].filter((id) => !model.submissions.some((known) => known.id === id))).toEqual([]);
}

/** Lives through `ms` with all that falls due in it; answers whether anything is left that will ever be due. */
export async function live({ clock, storage, backend }: World, ms: number): Promise<boolean> {
  const end = clock.now() + ms;
  for (;;) {
    await backend.tick();
    const due = (await Promise.all([storage.nextDueAt("webhook"), storage.nextDueAt("email")])).filter(
      (at) => at !== null,
    );
    const next = Math.max(Math.min(...due), clock.now());
    if (due.length === 0 || next > end) {
      clock.set(end);
      return due.length > 0;
    }
    clock.set(next);
  }
}

/** Lets everything end: receivers answer, leases run out. Nothing may stay due for ever. */
export async function drain(world: World): Promise<void> {
  world.answer = answers.ok;
  expect(await live(world, 73 * HOUR), "every delivery ends within its window").toBe(false);
}
