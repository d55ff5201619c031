import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";
import { StaleWriteError, StoreDownError } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS } from "../../lib/clock.ts";
import { told } from "../../texts/locales/_told.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { protectFields } from "../privacy/protect.ts";
import { opened } from "../privacy/shown.ts";
import { contentOf } from "../submissions/content.ts";
import { isClaimed } from "./idempotency.ts";
import { type Accepted, type Post, submissionOf } from "./post.ts";

const signerOf = signerFor("repeat");
const LIFE_MS = DAY_MS;
const KEY = /^again_(([0-9a-f]{12})[0-9a-f]{12})_([\w-]+)$/;

/** The idempotency key under which a post is stored as this submission or not at all. */
const keyOf = (core: Core, formId: string, id: string): string =>
  `again_${id}_${signerOf(core).sign(JSON.stringify([formId, id]))}`;

/** The submission that our own key names; null for every other key. */
export function repeatedId(core: Core, formId: string, key: string): string | null {
  const [, id, ms, signature] = KEY.exec(key) ?? [];
  if (id === undefined || ms === undefined || signature === undefined) return null;
  if (core.clock.now() - Number.parseInt(ms, 16) >= LIFE_MS) return null;
  return signerOf(core).verify(JSON.stringify([formId, id]), signature) ? id : null;
}

/**
 * Runs a post's commit. If its response is lost, checks if it succeeded. If that is unclear, or it has not succeeded yet,
 * throws `unavailable` with the header `Idempotency-Key`: sent again under that key, the post is stored once. `key` is the
 * sender's own.
 */
export async function commitOnce(
  core: Core,
  { formId, id, key }: { readonly formId: string; readonly id: string; readonly key?: string },
  commit: () => Promise<void>,
): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (!isDoubtful(error)) throw error;
    const made = await contentOf(core, id).catch(() => null);
    if (made) return;
    throw told("unavailable", (words) => ({ message: words.errors.unconfirmed() }), {
      headers: { ...error.headers, "idempotency-key": key || keyOf(core, formId, id) },
      cause: error.cause,
    });
  }
}

/** True if a commit that failed may have been made nevertheless. A refusal of our own, before the store was asked, has no cause. */
const isDoubtful = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.code === "unavailable" &&
  error.cause !== undefined &&
  !(error.cause instanceof StoreDownError && error.cause.nothingWritten);

/**
 * Handles a post sent again under the key of a submission: if that was stored, returns it, otherwise stores the post as it.
 * Throws `idempotency_mismatch` for another post, and the errors of `store`.
 */
export async function storedAs(core: Core, post: Post, id: string, store: () => Promise<Accepted>): Promise<Accepted> {
  const before = await found(core, post, id);
  if (before) return before;
  try {
    return await store();
  } catch (error) {
    // The first commit came through after all, or another repeat was faster.
    const isMade = (error instanceof StaleWriteError && error.id === id) || isClaimed(error);
    const first = isMade ? await found(core, post, id) : null;
    if (first) return first;
    throw error;
  }
}

async function found(core: Core, post: Post, id: string): Promise<Accepted | null> {
  const submission = await contentOf(core, id);
  if (submission) {
    const { fields } = await opened(core, id, submission);
    const { clear = post.posted.fields } = (await protectFields(core, post.form, id, post.posted.fields)) ?? {};
    const same = JSON.stringify(fields) === JSON.stringify(clear);
    if (submission.form_id !== post.form.id || !same) throw new ApiError("idempotency_mismatch");
    return { id, submission };
  }
  // Content that is not stored is gone once it was delivered; its deliveries stay.
  const [job] = await jobsOf(core, id);
  if (!job) return null;
  const { clear: _, ...kept } = (await protectFields(core, post.form, id, post.posted.fields)) ?? {
    clear: [],
    fields: post.posted.fields,
  };
  const judged = { spam: false, verdict: [], over_quota: false };
  return { id, submission: submissionOf(post, job.value.created_at, judged, kept) };
}
