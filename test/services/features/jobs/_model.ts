import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import type { StorageDriver, Stored } from "../../../../src/drivers/storage/types.ts";
import { ApiError } from "../../../../src/errors.ts";
import { createSettle } from "../../../../src/features/deliveries/settle.ts";
import type { Attempt } from "../../../../src/features/webhooks/request.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { createBackend, type FormBackend } from "../../../../src/surfaces/form-backend.ts";
import { type TestClock, testClock } from "../../../../src/surfaces/testing/clock.ts";

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

/** Tells of the row only where something is wrong: an `expect` for each of the millions of checks takes most of the test's time. */
function holds(condition: boolean, what: string, { id, value }: Stored<JobRecord>): void {
  if (!condition) expect.fail(`${what}: ${id} ${JSON.stringify(value)}`);
}

/** A job without what others said of it. */
function silent({ message: _, ...job }: JobRecord): object {
  return { ...job, attempts: job.attempts?.map(({ message: __, ...attempt }) => attempt) };
}

/** The invariants; they hold after each command. */
export async function checkInvariants(model: Model, world: World): Promise<void> {
  const jobs = await jobsOf(world);
  const bySubmission = new Map<string, string[]>();
  const times = new Map<string, Set<string>>();
  for (const row of jobs) {
    const { id, value: job } = row;
    const { status, due_at, target, occurred_at } = job;
    const terminal = status === "succeeded" || status === "failed" || status === "skipped";
    holds((due_at === null) === terminal, "exactly what is terminal has no due_at", row);
    holds(!terminal || job.leased === false, "what is terminal is not leased", row);
    holds(CODES[status].test(job.code), "the code is of the status's family", row);
    const inWindow = job.attempt - (job.window_from ?? 0);
    holds(inWindow >= 0 && inWindow <= 20, "at most 20 attempts per window", row);
    holds(job.attempt >= (world.attempts.get(id) ?? 0), "attempts never go back", row);
    world.attempts.set(id, job.attempt);
    if (status === "retrying" && !job.leased)
      holds((due_at as string) <= job.deadline_at, "nothing is planned beyond the deadline", row);

    const before = world.succeeded.get(id);
    // The words of receivers go with the submission that they may repeat.
    if (before) holds(isDeepStrictEqual(silent(job), silent(before)), "what succeeded never changes", row);
    else if (status === "succeeded") world.succeeded.set(id, job);

    if (job.kind === "webhook_notice") continue;
    const planned = `${job.kind} ${job.to ?? target}`;
    const known = bySubmission.get(job.submission_id);
    if (known) known.push(planned);
    else bySubmission.set(job.submission_id, [planned]);
    if (job.kind !== "webhook" || occurred_at === job.created_at) continue;
    const taken = times.get(target) ?? new Set();
    holds(!taken.has(occurred_at), "occurred_at is unique for the webhook", row);
    times.set(target, taken.add(occurred_at));
  }
  for (const { id, planned } of model.submissions) {
    const found = bySubmission.get(id)?.sort() ?? [];
    if (!isDeepStrictEqual(found, [...planned].sort()))
      expect(found, `the deliveries of ${id}`).toEqual([...planned].sort());
  }
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
