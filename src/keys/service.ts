import { type Core, find, update } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { iso } from "../lib/clock.ts";
import { prefixedId } from "../lib/id.ts";
import { parseInput } from "../lib/input.ts";
import { DEFAULT_TEAM, loadTeam } from "../teams/service.ts";
import { type ApiKey, type Caller, KeyCreate, KeyListQuery, type KeyRecord, scopes } from "./schema.ts";
import { hashKey, looksLikeKey, newKey } from "./token.ts";

/** `last_used_at` is written at most once a minute for each key. */
const USED_EVERY_MS = 60_000;

const toKey = ({ id, value: { hash: _, ...key } }: Stored<KeyRecord>): ApiKey => ({ id, ...key });
const missing = (id: string): ApiError => new ApiError("not_found", { message: `There is no key "${id}".` });

/** Creates an API key; the key itself is in the answer and nowhere afterwards. Throws `invalid_parameter`. */
export async function createKey(
  core: Core,
  input: KeyCreate,
  plain = newKey(core.options.brand.keyPrefix),
): Promise<ApiKey & { key: string }> {
  const { team_id = DEFAULT_TEAM, name, scopes: wanted, form_ids, expires_at } = parseInput(KeyCreate, input);
  if (!(await loadTeam(core, team_id))) {
    throw new ApiError("invalid_parameter", {
      param: "team_id",
      message: `\`team_id\`: there is no team "${team_id}".`,
    });
  }
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
  };
  await core.storage.commit([{ op: "put", collection: "keys", id, value: { ...value }, expect: null }]);
  return { ...toKey({ id, value, version: 1 }), key: plain };
}

/** One key. Throws `not_found`. */
export async function getKey(core: Core, id: string): Promise<ApiKey> {
  const row = await find<KeyRecord>(core, "keys", id);
  if (!row) throw missing(id);
  return toKey(row);
}

/** The keys of a team, or of all, oldest first. Throws `invalid_parameter`. */
export async function listKeys(core: Core, query: { team_id?: string } = {}): Promise<ApiKey[]> {
  const { team_id } = parseInput(KeyListQuery, query);
  const [index, equals] = team_id === undefined ? ["all", {}] : ["team", { team_id }];
  const keys: ApiKey[] = [];
  for (let after: { sort: string; id: string } | undefined; ; ) {
    const rows = (await core.storage.page("keys", {
      index,
      equals,
      after,
      order: "asc",
      limit: 500,
    })) as Stored<KeyRecord>[];
    for (const row of rows) keys.push(toKey(row));
    const last = keys.at(-1);
    if (rows.length < 500 || !last) return keys;
    after = { sort: last.created_at, id: last.id };
  }
}

/** Revokes a key, at once in this process and within 5 s in others; twice is fine. Throws `not_found`. */
export async function revokeKey(core: Core, id: string): Promise<ApiKey> {
  const value = await update<KeyRecord>(
    core,
    "keys",
    id,
    (key) => (key.revoked_at ? null : { ...key, revoked_at: iso(core.clock.now()) }),
    () => missing(id),
  );
  core.cached.keys.drop(value.hash);
  return toKey({ id, value, version: 0 });
}

/** The caller behind an API key. Throws `invalid_key` for what is unknown, malformed, revoked or expired. */
export async function callerOfKey(core: Core, plain: string): Promise<Caller> {
  if (!looksLikeKey(core.options.brand.keyPrefix, plain)) throw new ApiError("invalid_key");
  const hash = hashKey(plain);
  const row = await core.cached.keys.get(hash, async () => {
    const [found] = await core.storage.page("keys", { index: "hash", equals: { hash }, order: "asc", limit: 1 });
    return (found as Stored<KeyRecord> | undefined) ?? null;
  });
  if (!row || row.value.revoked_at) throw new ApiError("invalid_key");
  const { expires_at, last_used_at } = row.value;
  const now = core.clock.now();
  if (expires_at && Date.parse(expires_at) <= now) throw new ApiError("invalid_key");
  if (!last_used_at || now - Date.parse(last_used_at) >= USED_EVERY_MS) noteUse(core, row, now);
  return {
    auth: "api_key",
    id: row.id,
    team_ids: [row.value.team_id],
    scopes: row.value.scopes,
    form_ids: row.value.form_ids,
    expires_at,
  };
}

/** Behind the answer, and only where nobody else wrote meanwhile: a lost note is no harm, a lost revocation would be. */
function noteUse(core: Core, row: Stored<KeyRecord>, now: number): void {
  row.value.last_used_at = iso(now);
  core.storage
    .commit([{ op: "put", collection: "keys", id: row.id, value: { ...row.value }, expect: row.version }])
    .catch(() => core.cached.keys.drop(row.value.hash));
}
