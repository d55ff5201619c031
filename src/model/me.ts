import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";
import { Scope } from "./keys.ts";

const Workspace = z.object({
  /** The team's id. */
  id: z.string(),
  /** The team's name. */
  name: z.string(),
});

/** A credential and its access. `workspace` is its first team, null if it has none. */
export const Me = z
  .object({
    /** The kind of credential. */
    auth: z.enum(["api_key", "oauth", "host"]),
    key_id: z.string().describe("The key's id, or the token's subject."),
    workspace: Workspace.nullable().describe("The first team; null if there is none."),
    /** The teams it reaches. */
    teams: z.array(
      Workspace.extend({
        /** The name of the team's plan. */
        plan: z.string(),
      }),
    ),
    /** The operations it may use. */
    scopes: z.array(Scope),
    form_ids: z.array(z.string()).nullable().describe("The forms that the credential is restricted to; null for all."),
    /** The time from which it no longer works; null for never. */
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof Me>;
