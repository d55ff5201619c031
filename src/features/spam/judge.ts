import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { withoutEcho } from "../../lib/echo.ts";
import { inTime } from "../../lib/in-time.ts";
import { describe } from "../../lib/message.ts";
import type { CheckedForm, CheckedSubmission } from "../../model/spam-check.ts";
import type { Verdict } from "../../model/verdict.ts";

const MINUTE_MS = 60_000;

/** Who asks: posts and back-tests have a budget each, so that trying settings takes nothing from posts. */
type Asker = "posts" | "backtest";

interface Spent {
  minute: number;
  asked: number;
}

const spentOf = perBackend(
  (): Record<Asker, Spent> => ({ posts: { minute: -1, asked: 0 }, backtest: { minute: -1, asked: 0 } }),
);

/** The texts of a visitor, which an error may repeat. */
export const saidIn = ({ fields, user_agent, referer }: CheckedSubmission): string[] =>
  [...fields.flatMap(({ key, value }) => [key, value]), user_agent, referer].filter((text) => text !== null);

/**
 * The verdict of the host's judge; null where there is none, where the minute's budget is spent, and where it fails or is late. The
 * log says once a minute that the budget is spent. Never throws.
 */
export async function judged(
  core: Core,
  asker: Asker,
  submission: CheckedSubmission,
  form: CheckedForm,
): Promise<Verdict | null> {
  const { judge, judgeTimeoutMs } = core.options.spam;
  if (!judge || !spend(core, asker)) return null;
  try {
    const said: unknown = await inTime(judgeTimeoutMs, async () => judge(submission, form));
    if (said === null || said === undefined) return null;
    const { spam, score, reason } = said as Record<string, unknown>;
    if (typeof spam !== "boolean") throw new TypeError("[form-backend] it must return { spam: boolean, … } or null");
    return {
      check: "judge",
      spam,
      ...(typeof score === "number" && Number.isFinite(score) && { score: Math.min(1, Math.max(0, score)) }),
      ...(typeof reason === "string" && reason !== "" && { reason: reason.slice(0, 300).toWellFormed() }),
    };
  } catch (error) {
    const text = withoutEcho(describe(error), saidIn(submission));
    core.options.logger.error(`\`spam.judge\` gave no answer about a post to form ${form.id}: ${text}`);
    return null;
  }
}

/** True for a host with a judge. */
export const hasJudge = ({ options }: Core): boolean => options.spam.judge !== undefined;

function spend(core: Core, asker: Asker): boolean {
  const { judgePerMinute: most } = core.options.spam;
  const spent = spentOf(core)[asker];
  const minute = Math.floor(core.clock.now() / MINUTE_MS);
  if (spent.minute !== minute) Object.assign(spent, { minute, asked: 0 });
  spent.asked++;
  if (spent.asked === most + 1 && asker === "posts") {
    core.options.logger.warn(`\`spam.judge\` was asked ${most} times this minute; further posts are not judged by it`);
  }
  return spent.asked <= most;
}
