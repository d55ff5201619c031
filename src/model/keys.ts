import { z } from "zod";
import { block, list, moment, nullable, oneOf, optional, text, time } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";
import type { Person } from "./work.ts";

export const scopes = ["forms:read", "forms:write", "submissions:read", "submissions:write"] as const;
export const Scope = z.enum(scopes);
export type Scope = z.infer<typeof Scope>;

const ScopeList = z.union(
  [z.literal("all"), z.array(Scope).min(1)],
  `must be "all", or a list of some of ${scopes.join(", ")}`,
);

/** An API key without the key itself, of which only the hash is kept. */
export const ApiKey = z
  .object({
    /** The key's id; not the key. */
    id: z.string(),
    /** A name for people. */
    name: z.string(),
    /** The team whose forms it can access. */
    team_id: z.string(),
    /** The operations it may use. */
    scopes: z.array(Scope),
    /** The only forms it reaches; null for all of the team. */
    form_ids: z.array(z.string()).nullable(),
    /** The time of its creation. */
    created_at: Timestamp,
    /** The time from which it no longer works; null for never. */
    expires_at: Timestamp.nullable(),
    /** The time of its last use, to the hour or finer; null before the first. */
    last_used_at: Timestamp.nullable(),
    /** The time of its revocation; null while it works. */
    revoked_at: Timestamp.nullable(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const KeyCreate = z.strictObject({
  /** The team whose forms it can access. */
  team_id: z.string().optional(),
  /** A name for people. */
  name: z.string().min(1).max(128),
  /** The operations it may use: `"all"`, or a list. */
  scopes: ScopeList,
  /** The only forms it reaches; null for all of the team. */
  form_ids: z.array(z.string().min(1)).min(1).max(1000).nullish(),
  /** The time from which it no longer works; null for never. */
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});
export type KeyCreate = z.input<typeof KeyCreate>;

/** Filters of a list of keys. Strict: a misspelt `team_id` must not list every team's keys. */
export const KeyListQuery = z.strictObject({ team_id: z.string().optional() });

export type KeyRecord = Omit<ApiKey, "id"> & {
  hash: string;
  /** Names of fields that its holder never gets. */
  without?: string[];
};

/** Reads a key from the store. Without scopes it may do nothing. */
export const keyLeaf = block<KeyRecord>({
  hash: text(),
  name: text("Untitled"),
  team_id: text(),
  scopes: list(oneOf(scopes)),
  form_ids: nullable(list(text())),
  created_at: moment(),
  expires_at: nullable(time()),
  last_used_at: nullable(time()),
  revoked_at: nullable(time()),
  without: optional(list(text())),
});

/** A right of a person in the inbox, beyond the scopes. */
export type InboxRight = "export" | "keys" | "email_servers" | "erase" | "block" | "rules";

/** The caller of an operation. `team_ids: null` is the host itself in process, with access to every team. */
export interface Caller {
  /** The credential that was used. */
  readonly auth: "api_key" | "oauth" | "host";
  /** Key for rate limits and running scans: the key's id, the token's subject, or the host's name for the session. */
  readonly id: string;
  /** The name of the person; left out where only the id is known. */
  readonly name?: string;
  /** The teams it reaches; null for all. */
  readonly team_ids: readonly string[] | null;
  /** The operations it may use. */
  readonly scopes: readonly Scope[] | "all";
  /** The rights beyond the scopes. Left out: all of them for a caller with all scopes, otherwise none. */
  readonly rights?: readonly InboxRight[];
  /** The only forms it reaches; null for all of its teams. */
  readonly form_ids: readonly string[] | null;
  /** The time from which it no longer works; null for never. */
  readonly expires_at?: string | null;
  /** Set for an operator of the host at the inbox, who sees every team. */
  readonly operator?: true;
  /** Set if it is an agent, or calls for one: it gets submissions as the field policies show them to agents. */
  readonly sees?: "agents";
  /** Names of fields that it never gets, with `*` for any characters: those that an inbox hides from whoever made the key. */
  readonly without?: readonly string[];
  /** Its name to others: of a person of the inbox, or of a key. Left out: its id. */
  readonly person?: Person;
  /** The same for what it makes: a person of an inbox that redacts sees something in place of these fields. */
  readonly passesOn?: readonly string[];
}

/** Who a caller is to others who work on the same submissions. */
export const personOf = ({ auth, id, person }: Caller): Person =>
  person ?? { id: id.slice(0, 200), name: auth === "host" && id === "host" ? "API" : id.slice(0, 200) };

/**
 * The person of the inbox whose reading is told apart; undefined for a program, whose reading is everybody's, and for a person who
 * may mark nothing, to whom all would stay unread.
 */
export const readerOf = (caller: Caller): string | undefined =>
  caller.id.startsWith("inbox:") && hasScope(caller, "submissions:write") ? caller.person?.id : undefined;

/** True if a caller has a scope. */
export const hasScope = ({ scopes }: Pick<Caller, "scopes">, scope: Scope): boolean =>
  scopes === "all" || scopes.includes(scope);

/**
 * The header with which a caller asks to be shown submissions as agents are. It can only take away, so every caller may send it;
 * the command line's MCP server does.
 */
export const SEES = "form-backend-sees";

/** The header with which the command line says that it calls, for the audit. */
export const VIA = "form-backend-via";

/** The host in process, which may do everything. */
export const HOST: Caller = { auth: "host", id: "host", team_ids: null, scopes: "all", form_ids: null };

/** The result that a host's `authenticate` must return; anything else is a mistake of the embedding developer. */
export const HostCaller = z.object({
  auth: z.literal("host"),
  id: z.string().min(1),
  team_ids: z.array(z.string()),
  scopes: z.union([z.literal("all"), z.array(Scope)]),
  form_ids: z.array(z.string()).nullable(),
});
