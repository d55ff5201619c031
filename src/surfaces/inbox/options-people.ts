import { z } from "zod";
import { scopes } from "../../model/keys.ts";

/** The name of a time zone. */
export const zone = z.string().refine((name) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}, "must be a time zone such as Europe/Berlin");

const rights = ["export", "keys", "email_servers", "erase", "block", "rules"] as const;
const member = {
  team_ids: z.array(z.string().min(1).max(64)).max(1_000),
  role: z
    .enum(["viewer", "agent", "editor", "admin", "operator"], "must be viewer, agent, editor, admin or operator")
    .optional(),
  scopes: z.union([z.literal("all"), z.array(z.enum(scopes))]).optional(),
  form_ids: z.array(z.string().min(1).max(64)).max(1_000).nullish(),
  can: z.array(z.enum(rights, `must be one of ${rights.join(", ")}`)).optional(),
  locale: z.string().max(64).optional(),
  time_zone: zone.optional(),
};
const named = { id: z.string().min(1).max(200), name: z.string().max(200) };
const ROLE = "must be viewer, agent, editor, admin or operator, or left out where `scopes` is given";
const hasRights = (user: { role?: unknown; scopes?: unknown }) =>
  (user.role === undefined) !== (user.scopes === undefined);

/** The user that `authenticate` returns. */
export const UserSchema = z.object({ ...named, ...member }).refine(hasRights, { error: ROLE, path: ["role"] });
export type User = z.output<typeof UserSchema>;

/** A link for a frame is used at once, without a press of a button, so it lives shortly. */
export const EMBED_SECONDS = 60;

/** The input of `backend.inbox.link`. */
export const LinkSchema = z
  .strictObject({
    ...member,
    user: z.strictObject(named),
    to: z
      .string()
      .max(2_000)
      .regex(/^\/(?![/\\])[^\\\s]*$/, "must be a path below the inbox, such as /f/Ab3dE6gH9jK")
      .default("/"),
    embed: z.boolean().default(false),
    expires_in: z
      .number()
      .int()
      .min(1, "must be at least 1 second")
      .max(86_400, "must be at most 86,400 seconds")
      .optional(),
  })
  .refine(hasRights, { error: ROLE, path: ["role"] })
  .refine(({ embed, expires_in = 0 }) => !embed || expires_in <= EMBED_SECONDS, {
    error: `must be at most ${EMBED_SECONDS} seconds with \`embed\``,
    path: ["expires_in"],
  });
