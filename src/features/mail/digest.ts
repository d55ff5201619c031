import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { ignoreStale, type Row } from "../../core/rows.ts";
import type { Mail, MailServer } from "../../drivers/mailer/types.ts";
import { iso } from "../../lib/clock.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { oneLine } from "../../lib/one-line.ts";
import { collects } from "../../model/digest.ts";
import { addresseeOf, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, movedTo, skipped } from "../../model/outcome.ts";
import { digestsOf } from "../jobs/digests.ts";
import { mailJob } from "../jobs/mail-job.ts";
import { windowEnd } from "./digest-window.ts";
import { senderOf, viaOf } from "./sender.ts";
import { sendCollected, subjectOf } from "./summary.ts";

/** A notification that its digest has not included looks again this long after the window. */
const STRAY_MS = 30 * 60_000;
/** The same for one whose window is over: its digest is due now. */
const LATE_MS = 60_000;

const nameOf = (formId: string, address: string, end: number): string =>
  `digest_${createHash("sha256")
    .update(JSON.stringify([formId, sameAddressKey(address), end]))
    .digest("hex")
    .slice(0, 24)}`;

const isDigest = (target: string): boolean => target.startsWith("digest_");

/** The wait of a notification whose digest could not be sent yet, as while a mail server is down; null for every other. */
export async function waitsForDigest(core: Core, { target, forced }: JobRecord): Promise<JobOutcome | null> {
  if (!isDigest(target) || forced) return null;
  const known = await core.rows.get("jobs", target);
  if (!known || known.value.due_at === null) return null;
  return movedTo(target, core.storeClock.now() + STRAY_MS, "COLLECTED");
}

/**
 * The wait of a notification for its recipient's digest; null where the form has none, and for one that somebody has sent again.
 * Digest and notification are rows of the store, so a window outlives the process.
 */
export async function placeInDigest(core: Core, form: Row<"forms">, job: JobRecord): Promise<JobOutcome | null> {
  const { digest } = form.value.settings;
  if (!collects(digest) || job.forced) return null;
  const to = addresseeOf(job);
  const now = core.storeClock.now();
  // The window of the submission, and not of this run: a worker may come to it a moment, or an outage, after the window's end.
  let end = windowEnd(Math.min(Date.parse(job.created_at), now), digest);
  if (end <= now) {
    const known = await core.rows.get("jobs", nameOf(form.id, to, end));
    // Its digest has been sent, so it goes alone, and at once.
    if (known?.value.status === "succeeded") return null;
    // A digest that failed for three days is not tried again: what it had waits for the next one.
    if (known && known.value.due_at === null) end = windowEnd(now, digest);
  }
  const isOver = end <= now;
  const id = nameOf(form.id, to, end);
  const { id: form_id, value } = form;
  const given = { kind: "digest", target: digestsOf(form_id), to, form_id, team_id: value.team_id } as const;
  // Another notification of this window may have made it.
  const due = Math.max(end, now);
  await core.commitNow([mailJob(core, id, due, { ...given, event: "form.digest" })]).catch(ignoreStale);
  return movedTo(id, due + (isOver ? LATE_MS : STRAY_MS), "COLLECTED");
}

/** The digest that a notification of now would wait for, as if it were the only one; null where the form has none. */
export function nextDigest(
  core: Core,
  { value }: Pick<Row<"forms">, "value">,
): { subject: string; due_at: string } | null {
  const { digest, language } = value.settings;
  if (!collects(digest)) return null;
  const words = core.options.languages.ofOwner(language);
  return {
    subject: subjectOf(words, oneLine(value.name), 1),
    due_at: iso(windowEnd(core.storeClock.now(), digest)),
  };
}

/** Sends what was collected for one recipient. A window without a notification sends nothing. */
export async function sendDigest(
  core: Core,
  id: string,
  job: JobRecord,
  send: (mail: Mail, server: MailServer | undefined) => Promise<JobOutcome>,
): Promise<JobOutcome> {
  const form = await core.rows.batched("forms", job.form_id);
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const sender = await senderOf(core, form.value, "owner_email");
  const via = viaOf(sender);
  if (job.target !== via) return movedTo(via, core.storeClock.now(), job.code);
  const words = core.options.languages.ofOwner(form.value.settings.language);
  return sendCollected(core, id, job, { words, sender, about: oneLine(form.value.name), why: "" }, send);
}
