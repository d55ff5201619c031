import { z } from "zod";
import { block, flag, moment, nullable, text } from "../lib/leaves.ts";
import { Email, Timestamp } from "../lib/wire.ts";

export const TeamId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores");

/** The owner of forms. `owner.email` is null if the host never set it. */
export const Team = z
  .object({
    /** The team's id. */
    id: TeamId,
    /** The team's name. */
    name: z.string(),
    /** False closes the forms of the team and its keys. */
    active: z.boolean(),
    /** The team's owner. */
    owner: z.object({
      /** The address of the owner; null for none. */
      email: z.string().nullable(),
      /** True once the owner has confirmed the address. */
      email_verified: z.boolean(),
    }),
    /** The name of its plan. */
    plan: z.string(),
    /** The time of its creation. */
    created_at: Timestamp,
  })
  .meta({ id: "Team" });
export type Team = z.infer<typeof Team>;

const Owner = z.strictObject({
  /** The address of the owner; null for none. */
  email: Email.nullable(),
  /** True once the owner has confirmed the address. */
  email_verified: z.boolean(),
});
const name = z.string().min(1).max(128);

export const TeamCreate = z.strictObject({
  /** An id of your own; left out, one is made. */
  id: TeamId.optional(),
  /** The team's name. */
  name,
  /** The name of its plan; by default the option `defaultPlan`. */
  plan: z.string().optional(),
  /** The team's owner. */
  owner: Owner.partial({ email_verified: true }).optional(),
});
export type TeamCreate = z.input<typeof TeamCreate>;

export const TeamPatch = z
  .strictObject({
    /** The team's name. */
    name,
    /** False closes the forms of the team and its keys. */
    active: z.boolean(),
    /** The name of its plan. */
    plan: z.string(),
    /** The team's owner. */
    owner: Owner.partial(),
  })
  .partial();
export type TeamPatch = z.input<typeof TeamPatch>;

export type TeamRecord = Omit<Team, "id">;

/** Reads a team from the store. Without a plan it has the least one, `free`. */
export const teamLeaf = block<TeamRecord>({
  name: text("Untitled"),
  active: flag(true),
  owner: block<TeamRecord["owner"]>({ email: nullable(text()), email_verified: flag(true) }),
  plan: text("free"),
  created_at: moment(),
});
