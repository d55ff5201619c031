import { z } from "zod";
import { block, flag, moment, nullable, time } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";
import { TeamId } from "./teams.ts";

/** The learned model of a team. */
export const SpamModel = z
  .object({
    spam: z.int().min(0).describe("Submissions that people marked as spam, and that it learned from."),
    ham: z.int().min(0).describe("Submissions that they marked as not spam."),
    active: z
      .boolean()
      .describe(
        "True where it is used: with at least 50 marks of each kind, of which those that it had not seen show that it catches more and holds back nothing else.",
      ),
    precision: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("The share of spam in what it calls spam, of marks that it had not seen; null while it is not used."),
    recall: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("The share of spam that it catches, of marks that it had not seen; null while it is not used."),
    since: Timestamp.nullable().describe("The time of the oldest mark that it learned from; null where it has none."),
  })
  .meta({ id: "SpamModel" });
export type SpamModel = z.infer<typeof SpamModel>;

export const SpamModelQuery = z.strictObject({
  team_id: TeamId.optional().describe("The team, if the credential covers several."),
});

export const SpamModelForgotten = z
  .object({
    /** Always true. */
    forgotten: z.literal(true),
  })
  .meta({ id: "SpamModelForgotten" });
export type SpamModelForgotten = z.infer<typeof SpamModelForgotten>;

/** A person's judgement of a submission, and its time. */
export interface SpamMark {
  spam: boolean;
  at: string;
}

/** Reads what a person said from the store. */
export const spamMarkLeaf = block<SpamMark>({ spam: flag(false), at: moment() });

/** The id of the row of `marks` of a team that has forgotten. */
export const forgottenMark = (team_id: string) => `spam-model:${team_id}` as const;

/** The row itself: earlier marks teach nothing. */
export const forgottenLeaf = block<{ since: string; expires_at: string | null }>({
  since: moment(),
  expires_at: nullable(time()),
});
