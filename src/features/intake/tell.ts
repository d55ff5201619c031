import type { Core } from "../../core/core.ts";
import { levelOfPosts } from "../../core/options/under-test.ts";
import { perBackend } from "../../core/per-backend.ts";
import type { ApiError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { safeMessage } from "../../lib/message.ts";
import { isOrigin } from "../../lib/origin.ts";

const MINUTE_MS = 60_000;
/** Forms and reasons counted in one minute; further ones are not counted. */
const MAX_TALLIES = 1_000;
const MAX_ORIGIN = 200;

interface Tally {
  readonly form_id: string;
  /** An error code, `spam` or `over_quota`. */
  readonly reason: string;
  count: number;
  /** The origin of the last post. */
  origin: string | null;
}

const talliesOf = perBackend(() => new Map<string, Tally>());

/** Tells of a post that a form refused: the event and a line at once, the summary within a minute. */
export function tellRefused(
  core: Core,
  form_id: string,
  { code, message }: ApiError,
  from: { readonly ip: string | null; readonly origin: string | null },
): void {
  core.events.emit("submission.refused", { form_id, code, ip: from.ip });
  const from_origin = pageOrigin(from.origin);
  const origin = from_origin === null ? "" : `, from ${from_origin}`;
  core.options.logger[levelOfPosts()](`form ${form_id} refused a post: ${code}: ${safeMessage(message)}${origin}`, {
    form_id,
    code,
  });
  tally(core, form_id, code, from_origin);
}

/** Counts a stored post that nobody is notified about, because it is spam or beyond the plan's month. */
export function tellStored(
  core: Core,
  form_id: string,
  { spam, over_quota }: { spam: boolean; over_quota: boolean },
): void {
  if (spam) tally(core, form_id, "spam", null);
  else if (over_quota) tally(core, form_id, "over_quota", null);
}

/** Logs the counts and resets them. Call it when a backend closes, too. */
export function sayTallies(core: Core): void {
  const tallies = talliesOf(core);
  for (const { form_id, reason, count, origin } of tallies.values()) {
    const posts = counted(count, "post");
    core.options.logger.info(`form ${form_id}: ${posts} in the last minute ${saying(reason, origin)}`, {
      form_id,
      reason,
      count,
      ...(origin !== null && { origin }),
    });
  }
  tallies.clear();
}

function tally(core: Core, form_id: string, reason: string, origin: string | null): void {
  const tallies = talliesOf(core);
  // Pages that name no origin are counted apart, or they would go under another page's name.
  const from = origin === null ? "nobody" : origin === "null" ? "a file" : "a site";
  const key = `${form_id} ${reason} ${from}`;
  const known = tallies.get(key);
  if (!known && tallies.size >= MAX_TALLIES) return;
  // With "on-request", each run of due work says them.
  if (tallies.size === 0 && core.options.work !== "on-request") core.clock.setTimer(() => sayTallies(core), MINUTE_MS);
  if (!known) return void tallies.set(key, { form_id, reason, count: 1, origin });
  known.count++;
  known.origin = origin ?? known.origin;
}

/** The site that the header `Origin` names, which helps the owner to list it. Anything else in it is a stranger's text for the log. */
const pageOrigin = (origin: string | null): string | null =>
  origin === "null" || (origin !== null && origin.length <= MAX_ORIGIN && isOrigin(origin)) ? origin : null;

function saying(reason: string, origin: string | null): string {
  switch (reason) {
    case "spam":
      return "taken for spam";
    case "over_quota":
      return "stored, and neither mailed nor delivered: the month of the team's plan is full";
    case "origin_not_allowed":
      return origin === null
        ? "refused: the sender named no origin, as programs do, and the form has `allowed_origins`"
        : origin === "null"
          ? 'refused: "Origin: null", as of a page that was opened as a file or in a sandboxed frame; the form has `allowed_origins`'
          : `refused: "${origin}" is not among the form's \`allowed_origins\``;
    case "rate_limited":
      return "refused by a rate limit; behind a proxy, `trustProxy` must be set, or all visitors count as one address";
    default:
      return `refused: ${reason}`;
  }
}
