import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { isEmail, maskEmails, sameAddressKey } from "../../lib/email.ts";
import { block, list, moment, number, text } from "../../lib/leaves.ts";
import { safeMessage } from "../../lib/message.ts";
import type { Bounce } from "../../model/inbound.ts";
import { allRecipients, isToWebhook } from "../../model/jobs.ts";
import type { MarkId } from "../../model/marks.ts";
import { softMark, suppress, suppressionId } from "../suppressions/service.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { jobOf } from "./match.ts";
import { tellAnotherOwner } from "./owner-notice.ts";

/** Mails in a row that bounced softly, after which an address gets no more. */
const MOST_SOFT = 5;
const SOFT_MS = 60 * DAY_MS;
/** The service's id of a mail is kept this long: later bounces are found by address and time. */
const ID_MS = 30 * DAY_MS;
/** Mails among which one without an id is looked for. */
const RECENT = 1_000;
const RECENT_MS = 5 * DAY_MS;

interface Soft {
  n: number;
  /** The mails that were counted; none in records of before they were kept. */
  jobs: string[];
  expires_at: string;
}
const softLeaf = block<Soft>({ n: number(0), jobs: list(text()), expires_at: moment() });

interface Sent {
  job_id: string;
  expires_at: string;
}
const sentLeaf = block<Sent>({ job_id: text(), expires_at: moment() });

/** The part of a service's id that all its messages agree on: SES answers `id`, and its mails say `id@email.amazonses.com`. */
const idMark = (id: string): MarkId =>
  `mail:${createHash("sha256")
    .update(
      id
        .replace(/[<>\s]/g, "")
        .toLowerCase()
        .split("@", 1)[0] ?? "",
    )
    .digest("hex")
    .slice(0, 40)}`;

/** Notes the id that a mail service gave a mail of ours, so that a bounce with it is understood. */
export async function noteMailId(core: Core, id: string, messageId: string): Promise<void> {
  const value: Sent = { job_id: messageId.split("@", 1)[0] ?? "", expires_at: iso(core.clock.now() + ID_MS) };
  await core.commitTogether([put("marks", idMark(id), value)], 200);
}

/**
 * Deals with one bounce or complaint. One about a mail that is not ours changes nothing. Anybody can write a `report` and mail
 * it, so that one has to name the id of our mail, which only its recipients and the servers on its way have seen.
 */
export async function bounced(
  core: Core,
  source: string,
  bounce: Bounce,
  from: "provider" | "report",
): Promise<boolean> {
  const job = (await jobNamed(core, bounce)) ?? (from === "provider" ? await latestJobTo(core, bounce.email) : null);
  const email = job && recipientIn(job, bounce.email);
  if (!job || !email) return false;
  const { team_id, form_id, submission_id, kind } = job.value;
  const isSuppressed = bounce.kind !== "soft" || (await countSoft(core, team_id, email, job.id)) >= MOST_SOFT;
  if (isSuppressed) await suppress(core, team_id, email, bounce.kind === "complaint" ? "complaint" : "bounce", source);
  if (bounce.kind === "hard") await tellAnotherOwner(core, job, email, maskEmails(safeMessage(bounce.reason)));
  const about = { id: job.id, team_id, form_id, submission_id, kind: kind as never, email, source };
  const at = iso(core.clock.now());
  if (bounce.kind === "complaint") core.events.emit("email.complained", { ...about, at });
  else {
    const reason = safeMessage(bounce.reason);
    const type = bounce.kind;
    const note = { id: job.id, team_id, form_id, submission_id, kind, source, type, suppressed: isSuppressed, at };
    const mail = { mail_id: job.id, recipient: allRecipients(job.value).indexOf(email) };
    const told = tellHost(core, "email.bounced", { ...note, reason: maskEmails(reason) }, mail);
    if (told.length > 0) await core.commitNow(told);
    wakeHost(core);
    core.events.emit("email.bounced", { ...about, type: bounce.kind, suppressed: isSuppressed, reason, at });
  }
  return true;
}

async function jobNamed(core: Core, { ids }: Bounce): Promise<Row<"jobs"> | null> {
  for (const id of ids) {
    if (id === "") continue;
    const own = await jobOf(core, id);
    if (own) return own;
    const known = await core.rows.mark(idMark(id), sentLeaf);
    const job = known && (await core.rows.get("jobs", known.value.job_id));
    if (job) return job;
  }
  return null;
}

/** The newest mail to an address. */
async function latestJobTo(core: Core, email: string): Promise<Row<"jobs"> | null> {
  if (!isEmail(email)) return null;
  const since = iso(core.clock.now() - RECENT_MS);
  const where = [{ column: "created_at", op: "gte", value: since }] as const;
  for await (const rows of core.rows.walk("jobs", { index: "all", order: "desc", where, most: RECENT })) {
    const found = rows.find((row) => !isToWebhook(row.value) && row.value.attempt > 0 && namedIn(row, email));
    if (found) return found;
  }
  return null;
}

/** The recipient of a mail with this address. */
function namedIn({ value }: Row<"jobs">, email: string): string | undefined {
  const key = isEmail(email) ? sameAddressKey(email) : null;
  return allRecipients(value).find((one) => isEmail(one) && sameAddressKey(one) === key);
}

/** The recipient of a mail that a bounce names; the only one where a forwarder has given another address. */
function recipientIn(job: Row<"jobs">, email: string): string | null {
  const [only, ...others] = allRecipients(job.value);
  return namedIn(job, email) ?? (others.length === 0 && only && !isToWebhook(job.value) ? only : null);
}

/** Counts each mail once: services tell of every attempt that a server puts off. */
const countSoft = (core: Core, team_id: string, email: string, jobId: string): Promise<number> =>
  retrying(async () => {
    const mark = softMark(suppressionId(team_id, email));
    const before = await core.rows.mark(mark, softLeaf);
    const known: Soft = before?.value ?? { n: 0, jobs: [], expires_at: "" };
    if (known.jobs.includes(jobId)) return known.n;
    const n = known.n + 1;
    const jobs = [...known.jobs, jobId].slice(-MOST_SOFT);
    const value: Soft = { ...known, n, jobs, expires_at: iso(core.clock.now() + SOFT_MS) };
    await core.commitNow([put("marks", mark, value, before?.version ?? null)]);
    return n;
  });

/** Takes a service's event, once. False where it was taken before. */
export async function takeEvent(core: Core, provider: string, event: string): Promise<boolean> {
  const name = createHash("sha256")
    .update(JSON.stringify([provider, event]))
    .digest("hex")
    .slice(0, 40);
  try {
    await core.commitNow([put("marks", `inbound:${name}`, { expires_at: iso(core.clock.now() + ID_MS) }, null)]);
    return true;
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
}
