import type { FrozenTable } from "../_sql/frozen.ts";
import { currentTables } from "../_sql/tables.ts";
import { STALE } from "./errors.ts";
import { qualified, selectedOf, sqlTypes } from "./table.ts";

/** Rows of the work list that a claim reads before it goes from target to target instead. */
const WINDOW = 256;
/** Repeats the search this often if other processes took everything it found, each time further on. */
const MAX_RACES = 5;
/** Rows of a counter that commits make; a host's transactions make those from here on. Stands in migration 20, so it stays. */
export const SLOTS = 16;

/** A function of the migration that made or last changed its table; those of the first have no number. */
const named = (name: string, migration: number): string => (migration === 1 ? name : `${name}_${migration}`);
const current = (name: string, collection: string): string =>
  named(name, currentTables.get(collection)?.migration ?? 1);

/** The function that writes the rows of a collection: `write_jobs('insert', rows, 2)`. */
export const writeFunction = (collection: string): string => current(`write_${collection}`, collection);
export const CLAIM: string = current("claim", "jobs");
export const functionNames: readonly string[] = [...[...currentTables.keys()].map(writeFunction), CLAIM];

/**
 * The functions for commits and claims. The server keeps the plans of a function's statements for each connection; named
 * statements would not work with a pooler.
 *
 * A plan made for an empty table is kept while the table grows. So no plan may depend on a table's size: rows are found by `ON
 * CONFLICT`, by the one index for an order, or by `id = ANY (ARRAY[…])`, which is always a look-up by key, because no hash or
 * merge join can do it.
 *
 * A migration that changes a table adds functions of other names: processes of the older version go on calling these.
 */
export function createFunctions(schema: string, tables: readonly FrozenTable[], migration: number): string[] {
  const jobs = tables.find(({ collection }) => collection === "jobs");
  return tables
    .map((table) =>
      table.collection === "counters" ? countersSql(schema, migration) : writeSql(schema, table, migration),
    )
    .concat(jobs ? claimSql(schema, jobs, migration) : []);
}

/** The search path is the host's, and a changing one would make the server plan every statement again. */
const settings = [
  "search_path = pg_catalog, pg_temp",
  "plan_cache_mode = force_generic_plan",
  "enable_seqscan = off",
  "enable_bitmapscan = off",
];

const plpgsql = (declared: readonly string[], body: string): string =>
  `LANGUAGE plpgsql ${settings.map((setting) => `SET ${setting}`).join(" ")} AS $$
DECLARE
${declared.map((line) => `  ${line};`).join("\n")}
BEGIN
${body}
END $$`;

const typesOf = (table: FrozenTable): string[] =>
  Object.entries(table.columns).map(([column, type]) => `${column} ${sqlTypes[type].replace(/ COLLATE.*/, "")}`);

function writeSql(schema: string, table: FrozenTable, migration: number): string {
  const { collection } = table;
  const name = qualified(schema, collection);
  const members = [...typesOf(table), "data json"];
  const wanted = (...more: string[]): string => `json_to_recordset(wanted) AS x(${["id text", ...more].join(", ")})`;
  const names = [...Object.keys(table.columns), "data"];
  const set = (source: string): string =>
    ["version = t.version + 1", ...names.map((column) => `${column} = ${source}.${column}`)].join(", ");
  const insert = `INSERT INTO ${name} AS t (id, version, ${names.join(", ")})
    SELECT x.id, 1, ${names.map((column) => `x.${column}`).join(", ")} FROM ${wanted(...members)} ON CONFLICT (id) DO`;
  const counted = (sql: string): string =>
    `WITH w AS (${sql} RETURNING t.id) SELECT array_agg(w.id) INTO written FROM w`;
  const here = "WHERE t.id = ANY (ARRAY[x.id])";
  return `CREATE FUNCTION ${qualified(schema, named(`write_${collection}`, migration))}(how text, wanted json, expected integer) RETURNS void ${plpgsql(
    ["written text[]", "missing text"],
    `  CASE how
  WHEN 'insert' THEN
    ${counted(`${insert} NOTHING`)};
  WHEN 'upsert' THEN
    ${insert} UPDATE SET ${set("excluded")};
  WHEN 'update' THEN
    ${counted(`UPDATE ${name} t SET ${set("x")}
    FROM ${wanted("version integer", ...members)} ${here} AND t.version = x.version`)};
  WHEN 'remove' THEN
    DELETE FROM ${name} t USING ${wanted()} ${here};
  WHEN 'removeAt' THEN
    ${counted(`DELETE FROM ${name} t USING ${wanted("version integer")} ${here} AND t.version = x.version`)};
  END CASE;
  IF coalesce(cardinality(written), 0) < expected THEN
    SELECT x.id INTO missing FROM ${wanted()} WHERE x.id <> ALL (coalesce(written, '{}')) LIMIT 1;
    RAISE EXCEPTION 'stale write to ${collection} %', missing
      USING ERRCODE = '${STALE}', DETAIL = json_build_object('collection', '${collection}', 'id', missing);
  END IF;`,
  )}`;
}

/**
 * A counter is the sum of its slots. The function of migration 1 adds to the slot that the caller names. The later one adds to a row
 * that is there and that no other transaction holds, else to a new one: so a counter gets a second row only where two commits add to
 * it at once, and none waits for another. A host's transaction makes rows of numbers that only the caller knows, because another one
 * that made the same row would wait until the host commits. A stricter isolation refuses rows that changed since its snapshot, so
 * there, too, the caller's slot counts.
 */
function countersSql(schema: string, migration: number): string {
  const name = qualified(schema, "counters");
  const free = `SELECT c.slot FROM ${name} c WHERE c.id = x.id ORDER BY c.slot LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`;
  const unused = `SELECT s FROM generate_series(0, ${SLOTS - 1}) s WHERE NOT EXISTS (SELECT FROM ${name} c WHERE c.id = x.id AND c.slot = s) LIMIT 1`;
  const slot =
    migration === 1
      ? "into_slot"
      : `coalesce(CASE WHEN current_setting('transaction_isolation') LIKE 'read %' THEN coalesce((${free}), CASE WHEN into_slot < ${SLOTS} THEN (${unused}) END) END, into_slot)`;
  return `CREATE FUNCTION ${qualified(schema, named("write_counters", migration))}(how text, wanted json, into_slot integer) RETURNS void ${plpgsql(
    [],
    `  CASE how
  WHEN 'add' THEN
    INSERT INTO ${name} AS t (id, slot, n, at)
    SELECT x.id, ${slot}, x.n, x.at FROM json_to_recordset(wanted) AS x(id text, n bigint, at text)
    ON CONFLICT (id, slot) DO UPDATE SET n = t.n + excluded.n, at = greatest(t.at, excluded.at);
  WHEN 'remove' THEN
    DELETE FROM ${name} t USING json_to_recordset(wanted) AS x(id text) WHERE t.id = ANY (ARRAY[x.id]);
  END CASE;`,
  )}`;
}

const isoSql = (ms: string): string =>
  `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Candidates first, without a lock: from the front of the list, and only where that belongs to targets which get nothing more,
 * from target to target. Then as many of them as are wanted are locked, those that another process is just claiming left out.
 */
function claimSql(schema: string, table: FrozenTable, migration: number): string {
  const name = qualified(schema, "jobs");
  const selected = selectedOf(Object.keys(table.columns)).map((column) => `t.${column}`);
  const due = `${name} j WHERE j.lane = wanted AND j.due_at <= until`;
  const target = `SELECT j.target FROM ${name} j WHERE j.lane = wanted AND j.due_at IS NOT NULL AND j.target`;
  // `due_at > ''` opens the index of the list by time; without it, only the index from target to target can serve.
  return `CREATE FUNCTION ${qualified(schema, named("claim", migration))}(wanted text, at_ms bigint, lease_ms bigint, most integer, excluded json, per_target integer)
RETURNS TABLE (${["now bigint", "id text", "version integer", ...typesOf(table), "data text"].join(", ")}) ${plpgsql(
    [
      "judged_by bigint := coalesce(at_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)",
      `until text := ${isoSql("judged_by")}`,
      `lease_ends text := ${isoSql("(judged_by + lease_ms)")}`,
      "passed_over text[] := ARRAY(SELECT json_array_elements_text(excluded))",
      `ahead integer := least(${WINDOW}, 4 * most)`,
      "passed integer := 0",
      "listed integer",
      "candidates text[]",
      "locked text[]",
    ],
    `  LOOP
    WITH front AS MATERIALIZED (
      SELECT j.id, j.target, j.due_at FROM ${due} AND j.due_at > '' ORDER BY j.due_at, j.id LIMIT ahead
    ), ranked AS (
      SELECT f.*, row_number() OVER (PARTITION BY f.target ORDER BY f.due_at, f.id) - passed AS nth
      FROM front f WHERE f.target IS NULL OR f.target <> ALL (passed_over)
    )
    SELECT (SELECT count(*) FROM front), array_agg(r.id ORDER BY r.due_at, r.id) INTO listed, candidates
    FROM ranked r WHERE r.target IS NULL OR (r.nth > 0 AND r.nth <= per_target);
    IF listed = ${WINDOW} AND coalesce(cardinality(candidates), 0) < most THEN
      WITH RECURSIVE seen(target) AS (
        SELECT (${target} IS NOT NULL ORDER BY j.target LIMIT 1)
        UNION ALL
        SELECT (${target} > seen.target ORDER BY j.target LIMIT 1) FROM seen WHERE seen.target IS NOT NULL
      ), behind AS (
        SELECT b.* FROM seen CROSS JOIN LATERAL (
          SELECT j.id, j.due_at FROM ${due} AND j.target = seen.target ORDER BY j.due_at, j.id LIMIT per_target OFFSET passed
        ) b WHERE seen.target IS NOT NULL AND seen.target <> ALL (passed_over)
        UNION ALL
        (SELECT j.id, j.due_at FROM ${due} AND j.target IS NULL ORDER BY j.due_at, j.id LIMIT most)
      )
      SELECT array_agg(b.id ORDER BY b.due_at, b.id) INTO candidates FROM behind b;
    END IF;
    locked := ARRAY(SELECT l.id FROM unnest(candidates) c(id) CROSS JOIN LATERAL (
      SELECT j.id FROM ${name} j WHERE j.id = c.id AND coalesce(j.due_at, '~') <= until FOR UPDATE SKIP LOCKED
    ) l LIMIT most);
    IF cardinality(locked) < most AND listed = ahead AND ahead < ${WINDOW} THEN
      ahead := ${WINDOW};
      CONTINUE;
    END IF;
    RETURN QUERY UPDATE ${name} t SET due_at = lease_ends, lost = coalesce(t.lost, 0) + coalesce(t.leased, false)::integer,
      leased = true, version = t.version + 1
    FROM unnest(locked) l(id) WHERE t.id = ANY (ARRAY[l.id]) RETURNING judged_by, ${selected.join(", ")};
    EXIT WHEN FOUND OR candidates IS NULL OR passed >= ${MAX_RACES} * per_target;
    passed := passed + per_target;
  END LOOP;
  IF NOT FOUND THEN
    now := judged_by;
    RETURN NEXT;
  END IF;`,
  )}`;
}
