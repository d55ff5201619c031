import type { Core } from "../../core/core.ts";
import { iso } from "../../lib/clock.ts";
import { routes } from "../../model/routing.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { deliversBeyond, isMonthFull } from "../jobs/quota.ts";
import { wordsFor } from "./language.ts";
import { asksConsent } from "./pending.ts";
import { type Post, submissionOf } from "./post.ts";
import { routedTo } from "./routing.ts";

/** The result of the checks, and what is decided before the submission is made. */
interface Decided {
  readonly verdict: readonly Verdict[];
  readonly now: number;
  /** True if the submission takes a place in the plan's month. */
  readonly counted: boolean;
  /** The fields as they are kept. */
  readonly content: Pick<SubmissionRecord, "fields" | "protected">;
}

/** A judged post, before anything of it is kept. */
export interface Composed {
  readonly submission: SubmissionRecord;
  /** The visitor's language. */
  readonly words: Words;
  /** True if the submission waits for its sender to confirm it. */
  readonly waits: boolean;
}

/** True if a check took the post for spam. */
export const isSpam = (verdict: readonly Verdict[]): boolean => verdict.some(({ spam }) => spam);

/** Makes the submission of a judged post: its language, its routing, its place in the plan. Writes nothing. */
export async function composePost(
  core: Core,
  post: Post,
  { verdict, now, counted, content }: Decided,
): Promise<Composed> {
  const { form, posted, visitor } = post;
  const spam = isSpam(verdict);
  const waits = !spam && asksConsent(form.value);
  const words = wordsFor(core, form.value, posted.special._language, visitor.accept_language ?? null);
  const routed_to = routes(form.value.settings.routing)
    ? await routedTo(core, form, { fields: posted.fields, files: posted.files.keys })
    : undefined;
  const beyond = !spam && !counted && !waits;
  const judged = {
    ...(routed_to && { routed_to }),
    ...(words.tag !== "en" && { language: words.tag }),
    spam,
    verdict: [...verdict],
    // Beyond the plan's month it is stored; without a place in it, nothing is sent. Spam is not counted, and waits for no mail either.
    over_quota: spam ? await isMonthFull(core, form.value.team_id) : beyond,
    ...(!counted && !(beyond && (await deliversBeyond(core, form.value.team_id))) && { uncounted: true }),
  };
  return { submission: submissionOf(post, iso(now), judged, content), words, waits };
}
