import type { Core } from "../../../core/core.ts";
import { takeScan } from "../../../core/fairness/scans.ts";
import { faultText } from "../../../core/fault-text.ts";
import { perBackend } from "../../../core/per-backend.ts";
import { put } from "../../../core/rows.ts";
import { DAY_MS, iso } from "../../../lib/clock.ts";
import { createLru } from "../../../lib/lru.ts";
import { inSlices } from "../../../lib/turn.ts";
import type { Caller } from "../../../model/keys.ts";
import { forgottenMark, type SpamModel, type SpamModelForgotten } from "../../../model/spam-model.ts";
import type { SubmissionField } from "../../../model/submission-field.ts";
import type { Verdict } from "../../../model/verdict.ts";
import { onlyTeam } from "../../teams/access.ts";
import { cachedTeam, planOf } from "../../teams/service.ts";
import { type Lesson, learn } from "./lesson.ts";
import { marksOf } from "./marks.ts";
import { scoreOf } from "./regression.ts";
import { placeOf, placesOf, tokensOf, wordOf } from "./tokens.ts";

/** Teams whose models are in memory, each of a quarter of a megabyte. */
const MOST_TEAMS = 100;
/** A model is learned again where a post comes so long after, so that new and withdrawn marks count. */
const FRESH_MS = 10 * 60_000;
/** Learning takes at most this share of a process's time. */
const SHARE = 60;
/** A model that could not be learned again is not used for longer, since somebody may have been erased. */
const MAX_AGE_MS = DAY_MS;
const MAX_WORDS = 5;

interface Known {
  readonly at: number;
  readonly took: number;
  readonly lesson: Lesson | null;
}

const memoryOf = perBackend(() => ({ known: createLru<Known>(MOST_TEAMS), learning: new Set<string>() }));

/**
 * The verdict of what a team's marks have taught; null where that is not enough, and until it is learned. A post never waits for it:
 * learning goes on beside.
 */
export async function learnedVerdict(
  core: Core,
  team_id: string,
  fields: readonly SubmissionField[],
): Promise<Verdict | null> {
  const team = await cachedTeam(core, team_id);
  if (!team || !planOf(core, team.value).spam_learning) return null;
  const { known } = memoryOf(core);
  const now = core.clock.now();
  const model = known.get(team_id);
  if (!model || now - model.at >= Math.max(FRESH_MS, SHARE * model.took)) void learnBeside(core, team_id);
  if (!model?.lesson || now - model.at >= MAX_AGE_MS) return null;
  const { weights, threshold } = model.lesson;
  const score = scoreOf(weights, placesOf(fields));
  if (score < threshold) return null;
  const words = wordsOf(fields, weights.of);
  return {
    check: "learned",
    spam: true,
    score: Math.round(score * 1_000) / 1_000,
    ...(words.length > 0 && { reason: words.join(", ") }),
  };
}

/** The words of a text that speak most for spam. */
function wordsOf(fields: readonly SubmissionField[], weights: Float32Array): string[] {
  const weight = (token: string): number => weights[placeOf(token)] as number;
  const telling = tokensOf(fields)
    .filter((token) => weight(token) > 0)
    .sort((a, b) => weight(b) - weight(a));
  const words = telling.map(wordOf).filter((word) => word !== null);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Learns in the background, once at a time for a team. Never rejects. */
async function learnBeside(core: Core, team_id: string): Promise<void> {
  const { learning } = memoryOf(core);
  if (learning.has(team_id)) return;
  learning.add(team_id);
  try {
    await learnNow(core, team_id);
  } catch (error) {
    core.options.logger.warn(`spam of team ${team_id} could not be learned: ${faultText(error)}`);
  } finally {
    learning.delete(team_id);
  }
}

async function learnNow(core: Core, team_id: string): Promise<SpamModel> {
  const at = core.clock.now();
  const pause = inSlices(team_id);
  const { samples, since } = await marksOf(core, team_id, pause);
  const lesson = await learn(samples, pause);
  memoryOf(core).known.set(team_id, { at, took: core.clock.now() - at, lesson });
  const spam = samples.filter((sample) => sample.spam).length;
  const { precision = null, recall = null } = lesson ?? {};
  return { spam, ham: samples.length - spam, active: lesson !== null, precision, recall, since };
}

/** Learns a team's marks as they are now, and says what came of it. Throws `invalid_parameter`, `not_found`, `scan_concurrency`. */
export async function spamModel(core: Core, caller: Caller, wanted: string | undefined): Promise<SpamModel> {
  const team_id = await onlyTeam(core, caller, wanted);
  const release = takeScan(core, caller, "filtered");
  try {
    return await learnNow(core, team_id);
  } finally {
    release();
  }
}

/** Lets a team's marks up to now teach nothing any more. Throws `invalid_parameter`, `not_found`. */
export async function forgetSpam(core: Core, caller: Caller, wanted: string | undefined): Promise<SpamModelForgotten> {
  const team_id = await onlyTeam(core, caller, wanted);
  const forgotten = { since: iso(core.clock.now()), expires_at: null };
  await core.commitNow([put("marks", forgottenMark(team_id), forgotten)]);
  memoryOf(core).known.take(team_id);
  return { forgotten: true };
}
