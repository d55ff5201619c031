import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { counted } from "../../lib/counted.ts";
import { prefixedId } from "../../lib/id.ts";
import { parseInput } from "../../lib/input.ts";
import { type ApiKey, type Caller, KeyCreate, KeyListQuery, type KeyRecord, scopes } from "../../model/keys.ts";
import { DEFAULT_TEAM, loadTeam } from "../teams/service.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { hashKey, looksLikeKey, newKey } from "./token.ts";

/** `last_used_at` is written at most once a minute for each key. */
const USED_EVERY_MS = 60_000;

const toKey = (id: string, key: KeyRecord): ApiKey => ({
  id,
  name: key.name,
  team_id: key.team_id,
  scopes: key.scopes,
  form_ids: key.form_ids,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  revoked_at: key.revoked_at,
});
const missing = (id: string): ApiError => new ApiError("not_found", { message: `There is no key "${id}".` });

/**
 * Creates an API key; its holder gets no field of `without`. The response contains the key, which is never shown again. Throws
 * `invalid_parameter`, and `limit_reached` where the team has as many keys as its `limits.keys` allow.
 */
export async function createKey(
  core: Core,
  input: KeyCreate,
  { plain = newKey(core.options.brand.keyPrefix), without = [] }: { plain?: string; without?: readonly string[] } = {},
): Promise<ApiKey & { key: string }> {
  const { team_id = DEFAULT_TEAM, name, scopes: wanted, form_ids, expires_at } = parseInput(KeyCreate, input);
  const id = prefixedId("key");
  const value: KeyRecord = {
    hash: hashKey(plain),
    name,
    team_id,
    scopes: wanted === "all" ? [...scopes] : scopes.filter((scope) => wanted.includes(scope)),
    form_ids: form_ids ?? null,
    created_at: iso(core.clock.now()),
    expires_at: expires_at ? iso(Date.parse(expires_at)) : null,
    last_used_at: null,
    revoked_at: null,
    ...(without.length > 0 && { without: [...without] }),
  };
  await retrying(async () => {
    const team = await loadTeam(core, team_id);
    if (!team)
      throw new ApiError("invalid_parameter", {
        param: "team_id",
        message: `\`team_id\`: there is no team "${team_id}".`,
      });
    await core.commitNow([
      put("keys", id, value, null),
      ...(await placeOf(core, team)),
      ...tellHost(core, "key.created", toKey(id, value)),
    ]);
  });
  wakeHost(core);
  return { ...toKey(id, value), key: plain };
}

/**
 * The write that lets a limited team have one more key. It is of the team itself, so that two keys can't take the last place at
 * the same time. Throws `limit_reached`.
 */
async function placeOf(core: Core, { id, value, version }: Row<"teams">): Promise<Write[]> {
  const limit = value.limits.keys;
  if (limit === null) return [];
  const now = core.clock.now();
  const all = await core.rows.all("keys", { index: "team", equals: { team_id: id } });
  if (all.filter((key) => endOf(key.value, now) === null).length < limit) return [put("teams", id, value, version)];
  throw new ApiError("limit_reached", {
    message: `The team "${id}" can have ${counted(limit, "key")}; revoke one first.`,
  });
}

/** One key. Throws `not_found`. */
export async function getKey(core: Core, id: string): Promise<ApiKey> {
  const row = await core.rows.get("keys", id);
  if (!row) throw missing(id);
  return toKey(id, row.value);
}

/** The keys of a team, or of all, oldest first. Throws `invalid_parameter`. */
export async function listKeys(core: Core, query: { team_id?: string } = {}): Promise<ApiKey[]> {
  const { team_id } = parseInput(KeyListQuery, query);
  const run = team_id === undefined ? { index: "all" } : { index: "team", equals: { team_id } };
  return (await core.rows.all("keys", run)).map(({ id, value }) => toKey(id, value));
}

/** Revokes a key, at once in this process and within 5 s in others; twice is fine. Throws `not_found`. */
export async function revokeKey(core: Core, id: string): Promise<ApiKey> {
  const value = await core.rows.update(
    "keys",
    id,
    (key) => (key.revoked_at ? null : { ...key, revoked_at: iso(core.clock.now()) }),
    () => missing(id),
    (key) => tellHost(core, "key.revoked", toKey(id, key)),
  );
  wakeHost(core);
  return toKey(id, value);
}

/** The caller of an API key. Throws `invalid_key` if it is unknown, malformed, revoked or expired. */
export async function callerOfKey(core: Core, plain: string): Promise<Caller> {
  const { keyPrefix } = core.options.brand;
  if (!looksLikeKey(keyPrefix, plain))
    throw new ApiError("invalid_key", {
      message: `The token is not an API key, which begins with "${keyPrefix}"; is it complete?`,
    });
  const hash = hashKey(plain);
  const row = await core.rows.cached("keys", hash, async () => {
    const partitions = [{ index: "hash", equals: { hash } }];
    return (await core.rows.page("keys", { partitions, order: "asc", limit: 1 })).rows[0] ?? null;
  });
  if (!row)
    throw new ApiError("invalid_key", { message: "This key is unknown; it may belong to another installation." });
  // Anyone with the whole key may learn its state.
  const ended = endOf(row.value, core.clock.now());
  if (ended) throw new ApiError("invalid_key", { message: ended });
  noteUse(core, row);
  const { team_id, name, scopes, form_ids, expires_at, without } = row.value;
  return {
    auth: "api_key",
    id: row.id,
    team_ids: [team_id],
    scopes,
    form_ids,
    expires_at,
    person: { id: row.id, name },
    ...(without && { without }),
  };
}

/** The key with this id, used by somebody who showed it before; null once it is revoked or expired. */
export async function useKey(core: Core, id: string): Promise<KeyRecord | null> {
  const row = await core.rows.get("keys", id);
  if (!row || endOf(row.value, core.clock.now())) return null;
  noteUse(core, row);
  return row.value;
}

/** For work that goes on after its request: throws `invalid_key` once the key of its caller is revoked or expired. */
export async function assertKeyLives(core: Core, { auth, id }: Caller): Promise<void> {
  if (auth !== "api_key") return;
  const row = await core.rows.get("keys", id);
  const ended = row ? endOf(row.value, core.clock.now()) : "The key is gone.";
  if (ended) throw new ApiError("invalid_key", { message: ended });
}

/** The sentence that tells why a key is of no use any more; null while it is. */
function endOf({ revoked_at, expires_at }: KeyRecord, now: number): string | null {
  if (revoked_at) return `The key was revoked at ${revoked_at}.`;
  return expires_at && Date.parse(expires_at) <= now ? `The key expired at ${expires_at}.` : null;
}

/** After the response, and only if nobody else wrote meanwhile: a lost note does no harm, a lost revocation would. */
function noteUse(core: Core, { id, value, version }: Stored<KeyRecord>): void {
  const now = core.clock.now();
  if (value.last_used_at && now - Date.parse(value.last_used_at) < USED_EVERY_MS) return;
  // In the cached row too, or every request until the commit would note the use again.
  value.last_used_at = iso(now);
  core.commitNow([put("keys", id, value, version)]).catch(() => {});
}
