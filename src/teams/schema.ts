import { z } from "zod";
import { Email } from "../lib/email.ts";
import { Timestamp } from "../lib/wire.ts";

export const TeamId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores");

/** Who forms belong to. `owner.email` is null where the host never said. */
export const Team = z
  .object({
    id: TeamId,
    name: z.string(),
    active: z.boolean(),
    owner: z.object({ email: z.string().nullable(), email_verified: z.boolean() }),
    plan: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: "Team" });
export type Team = z.infer<typeof Team>;

const Owner = z.strictObject({ email: Email.nullable(), email_verified: z.boolean() });
const name = z.string().min(1).max(128);

export const TeamCreate = z.strictObject({
  id: TeamId.optional(),
  name,
  plan: z.string().optional(),
  owner: Owner.partial({ email_verified: true }).optional(),
});
export type TeamCreate = z.input<typeof TeamCreate>;

export const TeamPatch = z
  .strictObject({ name, active: z.boolean(), plan: z.string(), owner: Owner.partial() })
  .partial();
export type TeamPatch = z.input<typeof TeamPatch>;

export type TeamRecord = Omit<Team, "id">;
