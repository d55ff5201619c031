import { type Core, find } from "../core.ts";
import { StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { fileWrites } from "../files/store.ts";
import type { FormRecord } from "../forms/schema.ts";
import { formCounter, monthOf, teamCounter } from "../forms/view.ts";
import { planJobs } from "../jobs/plan.ts";
import { iso } from "../lib/clock.ts";
import { toSubmission } from "../submissions/view.ts";
import { cachedTeam, planOf } from "../teams/service.ts";
import type { Posted } from "./fields.ts";
import { type Mark, markWrite, once } from "./idempotency.ts";
import { type Judgement, judge } from "./pipeline.ts";
import { type Accepted, type Post, submissionOf, type Visitor, type Within } from "./post.ts";

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
  const post = { form, posted, visitor, within };
  // An empty key is what an unused hidden input sends.
  if (!idempotencyKey) return store(core, post, null);
  if (idempotencyKey.length > 255) {
    throw new ApiError("invalid_parameter", {
      param: "Idempotency-Key",
      message: "`Idempotency-Key` must have at most 255 characters.",
    });
  }
  return once(core, post, idempotencyKey, (mark) => store(core, post, mark));
}

async function store(core: Core, post: Post, mark: Mark | null): Promise<Accepted> {
  const { form, posted, visitor } = post;
  const uploaded = posted.files.list.map(({ key }) => key);
  let judgement = await judge(core, form, posted, visitor, uploaded);
  for (;;) {
    try {
      return await record(core, post, judgement, mark);
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

async function record(core: Core, post: Post, { verdict, marks }: Judgement, mark: Mark | null): Promise<Accepted> {
  const { form, posted, within } = post;
  const now = core.clock.now();
  const created_at = iso(now);
  const { team_id } = form.value;
  const id = core.sortableId(now);
  const submission = submissionOf(post, created_at, {
    spam: verdict.some(({ spam }) => spam),
    verdict: [...verdict],
    over_quota: await overQuota(core, team_id, created_at),
  });
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
  if (mark) writes.push(markWrite(mark, id, submission.spam, now));
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

/** What is beyond the plan's month is still stored, but neither mailed nor delivered. */
async function overQuota(core: Core, team_id: string, created_at: string): Promise<boolean> {
  const team = await cachedTeam(core, team_id);
  const limit = team ? planOf(core, team.value).submissions_per_month : null;
  if (limit === null) return false;
  const counter = await find<{ n: number }>(core, "counters", teamCounter(team_id, monthOf(created_at)));
  return (counter?.value.n ?? 0) >= limit;
}

const weight = ({ fields }: Posted): number =>
  fields.reduce((sum, { key, value }) => sum + key.length + value.length, 200);
