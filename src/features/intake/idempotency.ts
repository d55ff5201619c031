import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, remove } from "../../core/rows.ts";
import { signerFor } from "../../core/signer-for.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { inTime } from "../../lib/in-time.ts";
import { block, flag, moment, text } from "../../lib/leaves.ts";
import { protectedOf, unprotected } from "../../model/field-policy.ts";
import type { MarkId } from "../../model/marks.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { type Accepted, type Post, submissionOf } from "./post.ts";

const KEPT_MS = DAY_MS;
/** Time that a repeat waits for a first post that is still running. */
const WAIT_MS = 1_000;

/** A key that a post brings, and its submission. */
export interface Mark {
  readonly id: MarkId;
  readonly fingerprint: string;
}

interface KeyMark {
  fingerprint: string;
  submission_id: string;
  spam: boolean;
  expires_at: string;
}

const keyMarkLeaf = block<KeyMark>({
  fingerprint: text(),
  submission_id: text(),
  spam: flag(false),
  expires_at: moment(),
});

/** The key of a post, from its header or else its field; "" without one. */
export const keyOf = (header: string | null, field: string | undefined): string =>
  unquoted(header ?? "") || unquoted(field ?? "");

/** The header is a structured string, `"…"`; bare keys are common and taken as they are. */
const unquoted = (key: string): string => /^"(.*)"$/.exec(key)?.[1] ?? key;

/** Committed with the first post under a key. */
export function markWrite({ id, fingerprint }: Mark, submission_id: string, spam: boolean, now: number): Write {
  const mark: KeyMark = { fingerprint, submission_id, spam, expires_at: iso(now + KEPT_MS) };
  return put("marks", id, mark, null);
}

/** An accepted post under a key. */
export interface First extends Accepted {
  readonly fingerprint: string;
}

/** Posts that are being stored under an idempotency key in this process. */
const runningKeys = perBackend(() => new Map<string, Promise<First>>());

const signerOf = signerFor("fingerprint");

/** The submission has been removed since. */
interface Removed {
  readonly id: string;
  readonly submission: null;
  readonly mark: KeyMark;
}

/**
 * Stores the first post under a key. A repeat gets the same response, and waits a moment while the first is still running.
 * Throws `idempotency_in_progress` if that takes longer, `idempotency_mismatch`, and the errors of `store`.
 */
export async function once(
  core: Core,
  post: Post,
  key: string,
  store: (mark: Mark) => Promise<Accepted>,
): Promise<Accepted> {
  const { form, posted, within } = post;
  const { _subject, _replyto } = posted.special;
  // The content that matters, without proofs: a repeat may bring another captcha or render token.
  const content = JSON.stringify([posted.fields, _subject, _replyto]) + posted.files.fingerprint();
  // Without a key, anyone could find a short value by trying all of them against its hash.
  const isSecret = protectedOf(form.value.settings.fields, posted.fields).length > 0;
  const fingerprint = isSecret ? signerOf(core).conceal(form.id + content) : sha256(content);
  const running = runningKeys(core);
  const mark: Mark = { id: `idem:${form.id}:${sha256(key)}`, fingerprint };
  for (;;) {
    const earlier = running.get(mark.id);
    if (earlier && !within) {
      // A first post that is refused binds nothing, so the one that waited is judged for itself.
      const first = await inTime(WAIT_MS, () => earlier.catch(() => null)).catch(() => Promise.reject(inProgress()));
      if (first) return repeat(first);
    }
    const before = await recall(core, mark.id);
    if (before) return repeat(before);
    if (within || !running.has(mark.id)) break;
  }

  const work = store(mark).then((accepted) => ({ ...accepted, fingerprint }));
  // A post whose commit is up to the host has no response for others yet.
  if (!within) running.set(mark.id, work);
  try {
    return await work;
  } catch (error) {
    // Another process was first with this key between our look and our commit; one that died may have taken a place with it.
    const isContested = isTaken(error) || isClaimed(error);
    if (!isContested && !(error instanceof StaleWriteError)) throw error;
    const winner = await recall(core, mark.id);
    if (winner) return repeat(winner);
    throw isContested ? error : inProgress();
  } finally {
    if (!within) running.delete(mark.id);
  }

  function repeat(first: First | Removed): Accepted {
    const known = first.submission ? first.fingerprint : first.mark.fingerprint;
    if (known !== fingerprint) throw new ApiError("idempotency_mismatch");
    return { id: first.id, submission: first.submission ?? again(post, first.mark) };
  }
}

/** True for a refusal that this post's own first try may have caused. */
const isTaken = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === "form_full" || Object.values(error.fields ?? {}).some(({ rule }) => rule === "taken"));

/** True if another post, perhaps this one's own first try, has got a file that was uploaded directly. */
export const isClaimed = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof StaleWriteError && error.cause.collection === "files";

const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { headers: { "retry-after": "1" } });

async function recall(core: Core, markId: MarkId): Promise<First | Removed | null> {
  const found = await core.rows.mark(markId, keyMarkLeaf);
  if (!found) return null;
  const { value: mark, version } = found;
  if (Date.parse(mark.expires_at) <= core.clock.now()) {
    await core.commitNow([remove("marks", markId, version)]).catch(() => {});
    return null;
  }
  const { submission_id: id, fingerprint } = mark;
  const stored = (await core.rows.get("submissions", id)) ?? (await core.rows.get("transient_submissions", id));
  return stored ? { id, submission: stored.value, fingerprint } : { id, submission: null, mark };
}

/** Rebuilds a removed submission from the repeat of its post, so the response is the same as the first. */
function again(post: Post, { spam, expires_at }: KeyMark): SubmissionRecord {
  const created_at = iso(Date.parse(expires_at) - KEPT_MS);
  const fields = [...unprotected(post.form.value.settings.fields, post.posted.fields)];
  const submission = submissionOf(post, created_at, { spam, verdict: [], over_quota: false }, { fields });
  return { ...submission, attachments: [], attached: false };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
