import { createHash } from "node:crypto";
import { type Core, find } from "../core.ts";
import { StaleWriteError, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { inTime } from "../lib/in-time.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { type Accepted, type Post, submissionOf } from "./post.ts";

const KEPT_MS = DAY_MS;
/** How long a repeat waits for a first post that is still running. */
const WAIT_MS = 1_000;

/** A key that a post brings, and what it stands for. */
export interface Mark {
  readonly id: string;
  readonly fingerprint: string;
}

interface MarkRecord {
  fingerprint: string;
  submission_id: string;
  spam: boolean;
  expires_at: string;
}

/** What is committed with the first post under a key. */
export function markWrite({ id, fingerprint }: Mark, submission_id: string, spam: boolean, now: number): Write {
  const value: MarkRecord = { fingerprint, submission_id, spam, expires_at: iso(now + KEPT_MS) };
  return { op: "put", collection: "marks", id, value: { ...value }, expect: null };
}

/** An accepted post under a key. */
export interface First extends Accepted {
  readonly fingerprint: string;
}

/** One whose submission has been removed since. */
interface Removed {
  readonly id: string;
  readonly submission: null;
  readonly mark: MarkRecord;
}

/**
 * The first post under a key is stored; a repeat gets its answer, for which it waits a moment while the first is still running.
 * Throws `idempotency_in_progress` when that takes longer, `idempotency_mismatch`, and what `store` throws.
 */
export async function once(
  core: Core,
  post: Post,
  key: string,
  store: (mark: Mark) => Promise<Accepted>,
): Promise<Accepted> {
  const { form, posted, within } = post;
  const { _subject, _replyto } = posted.special;
  // What the post causes, and not what it proves: a repeat may bring another captcha or render token.
  const fingerprint = sha256(JSON.stringify([posted.fields, _subject, _replyto]) + posted.files.fingerprint);
  const mark = { id: `idem:${form.id}:${sha256(key)}`, fingerprint };
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

  const work = store(mark).then((accepted) => ({ ...accepted, fingerprint }));
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

  function repeat(first: First | Removed): Accepted {
    const known = first.submission ? first.fingerprint : first.mark.fingerprint;
    if (known !== fingerprint) throw new ApiError("idempotency_mismatch");
    return { id: first.id, submission: first.submission ?? again(post, first.mark) };
  }
}

const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { headers: { "retry-after": "1" } });

async function recall(core: Core, markId: string): Promise<First | Removed | null> {
  const found = await find<MarkRecord>(core, "marks", markId);
  if (!found) return null;
  const { value: mark, version } = found;
  if (Date.parse(mark.expires_at) <= core.clock.now()) {
    await core.storage.commit([{ op: "remove", collection: "marks", id: markId, expect: version }]).catch(() => {});
    return null;
  }
  const { submission_id: id, fingerprint } = mark;
  const stored =
    (await find<SubmissionRecord>(core, "submissions", id)) ??
    (await find<SubmissionRecord>(core, "transient_submissions", id));
  return stored ? { id, submission: stored.value, fingerprint } : { id, submission: null, mark };
}

/** A submission whose content is gone, from the repeat of its post, so that the answer is the first one's again. */
function again(post: Post, { spam, expires_at }: MarkRecord): SubmissionRecord {
  const created_at = iso(Date.parse(expires_at) - KEPT_MS);
  const submission = submissionOf(post, created_at, { spam, verdict: [], over_quota: false });
  return { ...submission, attachments: [], attached: false };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
