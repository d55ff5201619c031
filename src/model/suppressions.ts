import { z } from "zod";
import { block, moment, oneOf, text } from "../lib/leaves.ts";
import { Cursor, Email, Limit, listOf, Timestamp } from "../lib/wire.ts";
import { TeamId } from "./teams.ts";

/** Why an address gets no mail: it bounced, its owner complained, or a person put it on the list. */
const suppressionReasons = ["bounce", "complaint", "manual"] as const;

/** An address that the team's mail no longer goes to. */
export const Suppression = z
  .object({
    /** The address. */
    email: z.string(),
    reason: z
      .enum(suppressionReasons)
      .describe(
        "`bounce`: the address takes no mail; `complaint`: its owner called a mail spam; `manual`: somebody added it.",
      ),
    source: z.string().describe("Who said so: the name of a mail service, or of the key or person that added it."),
    /** The time when it was added. */
    created_at: Timestamp,
  })
  .meta({ id: "Suppression" });
export type Suppression = z.infer<typeof Suppression>;

export const SuppressionList = listOf(Suppression, "SuppressionList");
export type SuppressionList = z.infer<typeof SuppressionList>;

const InTeam = TeamId.optional().describe("The team, if the credential covers several.");

export const SuppressionListQuery = z.strictObject({
  email: Email.optional().describe("Only this address."),
  team_id: InTeam,
  limit: Limit,
  cursor: Cursor,
});
export type SuppressionListQuery = z.output<typeof SuppressionListQuery>;

export const SuppressionCreate = z
  .strictObject({
    /** The address that gets no more mail. */
    email: Email,
    team_id: InTeam,
  })
  .meta({ id: "SuppressionCreate" });
export type SuppressionCreate = z.infer<typeof SuppressionCreate>;

export const SuppressionParams = z.object({
  /** The address. */
  email: z.string().min(1).max(320),
});

export const SuppressionDeleteQuery = z.strictObject({ team_id: InTeam });

export const SuppressionDeleted = z
  .object({
    /** The address. */
    email: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "SuppressionDeleted" });
export type SuppressionDeleted = z.infer<typeof SuppressionDeleted>;

/** A suppressed address as it is stored, under a hash of the team and the address. */
export interface SuppressionRecord {
  team_id: string;
  email: string;
  reason: Suppression["reason"];
  source: string;
  created_at: string;
}

/** Reads a suppressed address from the store. */
export const suppressionLeaf = block<SuppressionRecord>({
  team_id: text(),
  email: text(),
  reason: oneOf(suppressionReasons, "manual"),
  source: text(""),
  created_at: moment(),
});
