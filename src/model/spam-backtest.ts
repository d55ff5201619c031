import { z } from "zod";
import { strict } from "../lib/input.ts";
import { Moment } from "../lib/wire.ts";
import { patchOf } from "./leaf.ts";
import { SpamSettings } from "./spam-settings.ts";
import { SubmissionId } from "./submissions.ts";

/** The submissions and the settings to try. */
export const SpamBacktest = strict({
  spam: (patchOf(SpamSettings) as z.ZodType<SpamSettingsPatch, SpamSettingsPatch>)
    .optional()
    .describe("The settings to try, merged into those of the form. Default: those of the form."),
  limit: z.int().min(1).max(2_000).default(500).describe("The number of submissions, newest first."),
  judge: z
    .boolean()
    .default(false)
    .describe(
      "Asks the host's `spam.judge` about submissions that nothing else decides, as many as it may be asked in a minute.",
    ),
  created_after: Moment.optional().describe("Only submissions received at this moment or later."),
}).meta({ id: "SpamBacktest" });
export type SpamBacktest = z.output<typeof SpamBacktest>;
export type SpamBacktestInput = z.input<typeof SpamBacktest>;

type SpamSettingsPatch = {
  [K in keyof SpamSettings]?: K extends "allow" ? Partial<SpamSettings["allow"]> : SpamSettings[K];
};

/** The result of settings on stored submissions, whose marks are taken as the truth. */
export const SpamBacktestResult = z
  .object({
    checked: z.int().min(0).describe("Submissions that were read."),
    caught: z.int().min(0).describe("Submissions that these settings consider spam."),
    missed: z.array(SubmissionId).describe("Spam that these settings let through, newest first; at most 100."),
    false_positives: z
      .array(SubmissionId)
      .describe("Other submissions that they consider spam, newest first; at most 100."),
    changed: z
      .object({
        to_spam: z.int().min(0).describe("The number of false positives."),
        to_inbox: z.int().min(0).describe("The number of missed ones."),
      })
      .describe("The number of submissions whose mark would change."),
    by_check: z
      .array(
        z.object({
          check: z.string().describe("The name of the check."),
          caught: z.int().min(0).describe("Submissions that it considers spam."),
        }),
      )
      .describe("The checks that found something, most findings first."),
    judged: z.int().min(0).exactOptional().describe("With `judge`: submissions that it was asked about."),
    unavailable: z
      .array(z.string())
      .describe("Checks that can't be repeated, because they need more than is stored; their stored results are used."),
  })
  .meta({ id: "SpamBacktestResult" });
export type SpamBacktestResult = z.infer<typeof SpamBacktestResult>;

/** Spam that one check alone has held back. */
export interface WithoutCheck {
  /** The latest submissions in spam that were looked at. */
  readonly spam: number;
  /** Those that would have come through without the check. */
  readonly through: number;
  /** Their ids, newest first; at most 100. */
  readonly ids: readonly string[];
}
