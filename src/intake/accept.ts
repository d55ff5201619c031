import { createHash } from "node:crypto";
import { type Core, find } from "../core.ts";
import { StaleWriteError, type StorageDriver, type Stored, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { fileWrites } from "../files/store.ts";
import type { FormRecord } from "../forms/schema.ts";
import { formCounter, monthOf, teamCounter } from "../forms/view.ts";
import { planJobs } from "../jobs/plan.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { inTime } from "../lib/in-time.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { toSubmission } from "../submissions/view.ts";
import { cachedTeam, planOf } from "../teams/service.ts";
import type { Posted } from "./fields.ts";
import { type Judgement, judge } from "./pipeline.ts";

const IDEMPOTENT_MS = DAY_MS;
/** How long a repeat waits for a first post that is still running. */
const WAIT_MS = 1_000;

/** What is known of a post besides its body. */
export interface Visitor {
  readonly ip: string | null;
  readonly country: string | null;
  readonly user_agent: string | null;
  readonly referer: string | null;
}

/** Where the writes go: into the group commit, or into a transaction of the host's. */
export type Within = Pick<StorageDriver, "commit"> | null;

/** The answer to an accepted post; the same again for a repeat under its idempotency key. */
export interface Accepted {
  readonly id: string;
  readonly submission: SubmissionRecord;
}

/** The form behind an endpoint, ready to take a post. Throws `form_not_found`, `form_inactive`. */
export async function openForm(core: Core, id: string): Promise<Stored<FormRecord>> {
  const form = await core.cached.forms.get(id, () => find<FormRecord>(core, "forms", id));
  if (!form) throw new ApiError("form_not_found");
  const team = await cachedTeam(core, form.value.team_id);
  if (!form.value.active || !team?.value.active) throw new ApiError("form_inactive");
  return form;
}

/**
 * Judges a parsed post and makes it durable with everything it causes. When this resolves, the submission, its emails and
 * webhooks are committed; when it throws, nothing is. `within` a host's transaction it is the host's to commit, and nobody is told:
 * neither workers, who find the jobs when they look, nor listeners. Throws the codes of the public endpoint's table.
 */
export async function accept(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  idempotencyKey: string | null,
  within: Within = null,
): Promise<Accepted> {
  const filled = posted.files.list.length > 0 || posted.fields.some(({ value }) => value.trim() !== "");
  if (!filled) throw new ApiError("empty_submission");
  // An empty key is what an unused hidden input sends.
  if (!idempotencyKey) return store(core, form, posted, visitor, null, within);
  if (idempotencyKey.length > 255) {
    throw new ApiError("invalid_parameter", {
      param: "Idempotency-Key",
      message: "`Idempotency-Key` must have at most 255 characters.",
    });
  }
  return once(core, form, posted, visitor, idempotencyKey, within);
}

async function store(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  mark: { id: string; fingerprint: string } | null,
  within: Within,
): Promise<Accepted> {
  const uploaded = posted.files.list.map(({ key }) => key);
  let judgement = await judge(core, form, posted, visitor, uploaded);
  for (;;) {
    try {
      return await record(core, form, posted, visitor, judgement, mark, within);
    } catch (error) {
      const contested = error instanceof StaleWriteError ? judgement.contested(error.id) : null;
      if (contested) {
        judgement = contested;
        continue;
      }
      judgement.release();
      throw error;
    }
  }
}

async function record(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  { verdict, marks }: Judgement,
  mark: { id: string; fingerprint: string } | null,
  within: Within,
): Promise<Accepted> {
  const now = core.clock.now();
  const created_at = iso(now);
  const { team_id } = form.value;
  const id = core.sortableId(now);
  const submission: SubmissionRecord = {
    form_id: form.id,
    team_id,
    created_at,
    updated_at: created_at,
    spam: verdict.some(({ spam }) => spam),
    read: false,
    ...visitor,
    fields: posted.fields,
    attachments: [...posted.files.list],
    attached: posted.files.list.length > 0,
    verdict: [...verdict],
    over_quota: await overQuota(core, team_id, created_at),
    subject: posted.special._subject || null,
    reply_to: posted.special._replyto || null,
  };
  const jobs = planJobs(core, form, id, submission, now);
  const month = monthOf(created_at);
  const stored = form.value.storage.store_submissions;
  const collection = stored ? "submissions" : "transient_submissions";
  // Content that nobody stores is kept only where a delivery still needs it.
  const kept = stored || jobs.some(({ job }) => job.due_at !== null);
  const writes: Write[] = [
    ...(kept ? [{ op: "put" as const, collection, id, value: { ...submission }, expect: null }] : []),
    ...(kept ? fileWrites(posted.files.list, id, submission) : []),
    ...jobs.map(
      ({ id: jobId, job }): Write => ({ op: "put", collection: "jobs", id: jobId, value: { ...job }, expect: null }),
    ),
    { op: "add", id: formCounter(form.id, "all"), by: 1, at: created_at },
    { op: "add", id: formCounter(form.id, month), by: 1, at: created_at },
    { op: "add", id: teamCounter(team_id, month), by: 1, at: created_at },
  ];
  if (mark) {
    const { fingerprint } = mark;
    const value = { fingerprint, submission_id: id, spam: submission.spam, expires_at: iso(now + IDEMPOTENT_MS) };
    writes.push({ op: "put", collection: "marks", id: mark.id, value, expect: null });
  }
  for (const { id: spent, expiresAt } of marks) {
    writes.push({ op: "put", collection: "marks", id: spent, value: { expires_at: iso(expiresAt) }, expect: null });
  }
  const commit = (): Promise<void> => (within ? within.commit(writes) : core.committer.commit(writes, weight(posted)));
  await (kept ? posted.files.keep(commit) : commit());
  if (within) return { id, submission };
  for (const lane of new Set(jobs.filter(({ job }) => job.due_at).map(({ job }) => job.lane))) core.queue.wake(lane);
  core.events.emit(submission.spam ? "submission.spam" : "submission.created", toSubmission(core, id, submission));
  core.telemetry.count("form_backend.submissions", { spam: submission.spam });
  return { id, submission };
}

/**
 * The first post under a key is stored; a repeat gets its answer, for which it waits a moment while the first is still running.
 * Throws `idempotency_in_progress` when that takes longer.
 */
async function once(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  key: string,
  within: Within,
): Promise<Accepted> {
  const { _subject, _replyto } = posted.special;
  // What the post causes, and not what it proves: a repeat may bring another captcha or render token.
  const body = JSON.stringify([posted.fields, _subject, _replyto]) + posted.files.fingerprint;
  const mark = { id: `idem:${form.id}:${sha256(key)}`, fingerprint: sha256(body) };
  for (;;) {
    const running = core.runningKeys.get(mark.id);
    if (running && !within) {
      // A first post that is refused binds nothing, so the one that waited is judged for itself.
      const first = await inTime(WAIT_MS, () => running.catch(() => null)).catch(() => Promise.reject(inProgress()));
      if (first) return repeat(first);
    }
    const before = await recall(core, mark.id);
    if (before) return repeat(before);
    if (within || !core.runningKeys.has(mark.id)) break;
  }

  const work = store(core, form, posted, visitor, mark, within).then((accepted) => ({
    ...accepted,
    fingerprint: mark.fingerprint,
  }));
  // What waits for the host to commit is no answer for anybody else.
  if (!within) core.runningKeys.set(mark.id, work);
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    // Another process was first with this key between our look and our commit.
    const winner = await recall(core, mark.id);
    if (winner) return repeat(winner);
    throw inProgress();
  } finally {
    if (!within) core.runningKeys.delete(mark.id);
  }

  function repeat(first: (Accepted & { fingerprint: string }) | Removed): Accepted {
    if (first.fingerprint !== mark.fingerprint) throw new ApiError("idempotency_mismatch");
    return { id: first.id, submission: first.submission ?? removed(form, posted, visitor, first) };
  }
}

const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { headers: { "retry-after": "1" } });

/** A first post whose submission has been removed since. */
interface Removed {
  readonly id: string;
  readonly fingerprint: string;
  readonly spam: boolean;
  readonly created_at: string;
  readonly submission: null;
}

async function recall(core: Core, markId: string): Promise<(Accepted & { fingerprint: string }) | Removed | null> {
  const mark = await find<{ fingerprint: string; submission_id: string; spam: boolean; expires_at: string }>(
    core,
    "marks",
    markId,
  );
  if (!mark) return null;
  const { fingerprint, submission_id, spam, expires_at } = mark.value;
  if (Date.parse(expires_at) <= core.clock.now()) {
    await core.storage
      .commit([{ op: "remove", collection: "marks", id: markId, expect: mark.version }])
      .catch(() => {});
    return null;
  }
  const stored =
    (await find<SubmissionRecord>(core, "submissions", submission_id)) ??
    (await find<SubmissionRecord>(core, "transient_submissions", submission_id));
  if (stored) return { id: submission_id, fingerprint, submission: stored.value };
  const created_at = iso(Date.parse(expires_at) - IDEMPOTENT_MS);
  return { id: submission_id, fingerprint, spam, created_at, submission: null };
}

/** A submission whose content is gone, from the repeat of its post, so that the answer is the first one's again. */
function removed(
  form: Stored<FormRecord>,
  { fields, special }: Posted,
  visitor: Visitor,
  { spam, created_at }: Removed,
): SubmissionRecord {
  return {
    form_id: form.id,
    team_id: form.value.team_id,
    created_at,
    updated_at: created_at,
    spam,
    read: false,
    ...visitor,
    fields,
    attachments: [],
    attached: false,
    verdict: [],
    over_quota: false,
    subject: special._subject || null,
    reply_to: special._replyto || null,
  };
}

/** What is beyond the plan's month is still stored, but neither mailed nor delivered. */
async function overQuota(core: Core, team_id: string, created_at: string): Promise<boolean> {
  const team = await cachedTeam(core, team_id);
  const limit = team ? planOf(core, team.value).submissions_per_month : null;
  if (limit === null) return false;
  const counter = await find<{ n: number }>(core, "counters", teamCounter(team_id, monthOf(created_at)));
  return (counter?.value.n ?? 0) >= limit;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const weight = ({ fields }: Posted): number =>
  fields.reduce((sum, { key, value }) => sum + key.length + value.length, 200);
