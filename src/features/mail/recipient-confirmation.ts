import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { countOfMailbox, type HourlyCount, takeHourly } from "../../core/rates/hourly.ts";
import { ignoreStale, put, retrying } from "../../core/rows.ts";
import { signerFor } from "../../core/signer-for.ts";
import type { Mail } from "../../drivers/mailer/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, END_OF_TIME, HOUR_MS, iso } from "../../lib/clock.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { deliveryId } from "../../lib/id.ts";
import { block, moment, nullable, text, time } from "../../lib/leaves.ts";
import { addresseeOf, DEFAULT_SERVER, type JobRecord } from "../../model/jobs.ts";
import type { MarkId } from "../../model/marks.ts";
import { type JobOutcome, movedTo, skipped } from "../../model/outcome.ts";
import { mailJob } from "../jobs/mail-job.ts";
import { waitingUnder } from "../jobs/waiting.ts";
import { loadTeam } from "../teams/service.ts";
import { ownMail } from "./own-mail.ts";

const signerOf = signerFor("recipient confirmation");

const LINK_DAYS = 7;
/** A team asks an address at most once a day, and all teams together 3 times an hour. A team asks at most 50 addresses an hour. */
const ASK_AGAIN_MS = DAY_MS;
const MOST_TO_ADDRESS = 3;
const MOST_OF_TEAM = 50;
/** A mail that missed the confirmation by a moment looks again. */
const LOOK_AGAIN_MS = 6 * HOUR_MS;

/** True if an address wants a team's mail. */
interface Consent {
  /** Empty in records of before teams were named. */
  team_id: string;
  asked_at: string;
  confirmed_at: string | null;
  expires_at: string | null;
}

const consentLeaf = block<Consent>({
  team_id: text(""),
  asked_at: moment(),
  confirmed_at: nullable(time()),
  expires_at: nullable(time()),
});

interface Asked {
  readonly team_id: string;
  readonly address: string;
}

/** No secret goes into the name: a confirmation outlives the option `secret`. */
const nameOf = ({ team_id, address }: Asked): string =>
  createHash("sha256")
    .update(JSON.stringify([team_id, sameAddressKey(address)]))
    .digest("hex");
const markOf = (asked: Asked): MarkId => `recipient:${nameOf(asked)}`;
const waitingFor = (asked: Asked): string => `confirmation:${nameOf(asked)}`;

/**
 * Null if a notification may go to its address; with the option `confirmRecipients`, otherwise its wait until the address has
 * confirmed.
 */
export async function awaitsConfirmation(core: Core, job: JobRecord): Promise<JobOutcome | null> {
  if (!core.options.confirmRecipients) return null;
  const asked = { team_id: job.team_id, address: addresseeOf(job) };
  const consent = await core.rows.mark(markOf(asked), consentLeaf);
  if (consent?.value.confirmed_at) return null;
  const [now, deadline] = [core.storeClock.now(), Date.parse(job.deadline_at)];
  if (now >= deadline) return skipped("SKIPPED_RECIPIENT_UNCONFIRMED");
  await ask(core, asked, job.form_id);
  return movedTo(waitingFor(asked), Math.min(deadline, now + LOOK_AGAIN_MS), "WAITING_CONFIRMATION");
}

/** Has the address asked, unless it was lately. */
async function ask(core: Core, asked: Asked, form_id: string): Promise<void> {
  const id = markOf(asked);
  const now = core.clock.now();
  const before = await core.rows.mark(id, consentLeaf);
  if (before && (before.value.confirmed_at || Date.parse(before.value.asked_at) > now - ASK_AGAIN_MS)) return;
  const counts: HourlyCount[] = [
    countOfMailbox(core, "confirmation", asked.address, MOST_TO_ADDRESS),
    { mark: `confirmations:${asked.team_id}`, most: MOST_OF_TEAM },
  ];
  if ((await takeHourly(core, counts, nameOf(asked))) !== null) return;
  const value: Consent = {
    team_id: asked.team_id,
    asked_at: iso(now),
    confirmed_at: null,
    expires_at: iso(now + LINK_DAYS * DAY_MS),
  };
  const mail = { kind: "recipient_confirmation", target: DEFAULT_SERVER, to: asked.address, form_id } as const;
  await core
    .commitNow([
      put("marks", id, value, before?.version ?? null),
      mailJob(core, deliveryId(now), core.storeClock.now(), {
        ...mail,
        team_id: asked.team_id,
        event: "recipient.confirmation",
      }),
    ])
    .then(() => core.queue.wake("email"))
    // Another mail to this address may have asked it.
    .catch(ignoreStale);
}

/** The mail that asks an address if it wants a team's notifications, or the reason why it is not sent. */
export async function confirmationMail(core: Core, jobId: string, job: JobRecord): Promise<Mail | string> {
  const team = await loadTeam(core, job.team_id);
  if (!team?.value.active) return "SKIPPED_TEAM_INACTIVE";
  const address = addresseeOf(job);
  const expires = Date.parse(job.created_at) + LINK_DAYS * DAY_MS;
  const url = `${core.options.baseUrl}/c/recipient/${tokenOf(core, { team_id: job.team_id, address }, expires)}`;
  const brand = core.options.brand.name;
  const form = await core.rows.get("forms", job.form_id);
  if (form?.value.locked || team.value.locked) return "SKIPPED_FORM_LOCKED";
  const words = core.options.languages.ofOwner(form?.value.settings.language);
  const said = words.confirmation;
  const name = plainName(team.value.name);
  const subject = said.mail_subject();
  const paragraphs = [
    name ? said.mail_asked({ team: name, address, brand }) : said.mail_somebody({ address, brand }),
    said.mail_how({ count: LINK_DAYS }),
  ];
  const footer = [said.mail_footer()];
  const link = { name: said.mail_link(), url };
  return ownMail(core, { words, jobId, to: address, subject, paragraphs, link, footer });
}

/** A team's name in an unrequested mail: words only, no address to visit. */
const plainName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} &'-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 60)
    .toWellFormed();

/** The content of a link. Throws `not_found` for one that is not ours; returns null for an expired one. */
export function readLink(core: Core, token: string): Asked | null {
  const [body = "", signature = ""] = token.split(".", 2);
  if (!signerOf(core).verify(body, signature)) throw new ApiError("not_found", { message: "This link is not valid." });
  const [team_id, address, expires] = JSON.parse(Buffer.from(body, "base64url").toString()) as [string, string, number];
  return core.clock.now() < expires ? { team_id, address } : null;
}

/** Stores that an address wants a team's mail, and sends the waiting mails. A second call changes nothing. */
export async function confirmRecipient(core: Core, asked: Asked): Promise<void> {
  const id = markOf(asked);
  await retrying(async () => {
    const before = await core.rows.mark(id, consentLeaf);
    if (before?.value.confirmed_at) return;
    const now = iso(core.clock.now());
    const value: Consent = {
      team_id: asked.team_id,
      asked_at: before?.value.asked_at ?? now,
      confirmed_at: now,
      // A mark without an expiry is in no index, so the team's deletion would not find it.
      expires_at: END_OF_TIME,
    };
    await core.commitNow([put("marks", id, value, before?.version ?? null)]);
  });
  const due_at = iso(core.storeClock.now());
  for await (const { id, value, version } of waitingUnder(core, waitingFor(asked))) {
    // A stale one runs already, and finds the confirmation.
    await core.commitNow([put("jobs", id, { ...value, target: DEFAULT_SERVER, due_at }, version)]).catch(ignoreStale);
  }
  core.queue.wake("email");
}

function tokenOf(core: Core, { team_id, address }: Asked, expires: number): string {
  const body = Buffer.from(JSON.stringify([team_id, address, expires])).toString("base64url");
  return `${body}.${signerOf(core).sign(body)}`;
}
