import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";

export const scopes = ["forms:read", "forms:write", "submissions:read", "submissions:write"] as const;
export const Scope = z.enum(scopes);
export type Scope = z.infer<typeof Scope>;

const ScopeList = z.union([z.literal("all"), z.array(Scope).min(1)]);

/** An API key without the key itself, of which only the hash is kept. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    team_id: z.string(),
    scopes: z.array(Scope),
    form_ids: z.array(z.string()).nullable(),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const KeyCreate = z.strictObject({
  team_id: z.string().optional(),
  name: z.string().min(1).max(128),
  scopes: ScopeList,
  form_ids: z.array(z.string().min(1)).min(1).max(1000).nullish(),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});
export type KeyCreate = z.input<typeof KeyCreate>;

/** Which keys a list shows. Strict: a misspelt `team_id` must not list every team's. */
export const KeyListQuery = z.strictObject({ team_id: z.string().optional() });

export type KeyRecord = Omit<ApiKey, "id"> & { hash: string };

/** Who asks. `team_ids: null` is the host itself in process, which reaches every team. */
export interface Caller {
  readonly auth: "api_key" | "oauth" | "host";
  /** What rates and running scans are counted by: the key's id, the token's subject, the host's own name for the session. */
  readonly id: string;
  readonly team_ids: readonly string[] | null;
  readonly scopes: readonly Scope[] | "all";
  readonly form_ids: readonly string[] | null;
  readonly expires_at?: string | null;
}

/** The host in process, which may do everything. */
export const HOST: Caller = { auth: "host", id: "host", team_ids: null, scopes: "all", form_ids: null };
