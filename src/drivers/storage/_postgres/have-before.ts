import { collectionSpec, indexSpec } from "../../../model/collections.ts";
import { isStorable } from "../_rows/columns.ts";
import type { HaveBeforeQuery } from "../types.ts";
import type { Source } from "./select.ts";
import { inIndex, sqlTypes } from "./table.ts";

/** Implements `StorageDriver.haveBefore`: one look into the index for each run, all in one statement. */
export async function haveBeforePg(
  { connections, table }: Source,
  { index, runs }: HaveBeforeQuery,
): Promise<number[]> {
  const { collection, name } = table;
  const spec = indexSpec(collection, index);
  const { columns } = collectionSpec(collection);
  const wanted = runs.flatMap(({ equals, before }, i) => {
    const pins = spec.equals.map((column) => equals[column] ?? null);
    // Text that is never stored equals none; a value that is null has no row before a place of its own.
    return [...pins, before].every((pin) => pin !== null && (typeof pin !== "string" || isStorable(pin)))
      ? [{ ...Object.fromEntries(pins.map((pin, n) => [`p${n}`, pin])), i, before }]
      : [];
  });
  if (wanted.length === 0) return [];
  const members = spec.equals.map((column, n) => `p${n} ${bare(sqlTypes[columns[column] ?? "text"])}`);
  const equal = spec.equals.map((column, n) => `t.${column} = x.p${n}`);
  const merged = spec.merges;
  const pinned = merged
    ? indexSpec(collection, merged.index).equals.find((column) => !spec.equals.includes(column))
    : "";
  const looks = (merged?.values ?? [undefined]).map((value) => {
    const kept = inIndex(collection, merged?.index ?? index, spec.sort);
    const run = value === undefined ? [] : [value === null ? `t.${pinned} IS NULL` : `t.${pinned} = ${literal(value)}`];
    const all = [...equal, ...run, `t.${kept}`].join(" AND ");
    // The first of its run, and not "any before": for that, the planner may read the table.
    return `(SELECT t.${spec.sort} FROM ${name} t WHERE ${all} ORDER BY t.${spec.sort}, t.id LIMIT 1) < x.before`;
  });
  const sql = `SELECT x.i FROM json_to_recordset($1::text::json) AS x(i integer, before text, ${members.join(", ")}) WHERE ${looks.join(" OR ")}`;
  const rows = await connections.ask(sql, [JSON.stringify(wanted)], { again: true });
  return rows.map(({ i }) => Number(i)).sort((a, b) => a - b);
}

const bare = (type: string): string => type.replace(/ COLLATE.*/, "");
const literal = (value: string | boolean): string => (typeof value === "boolean" ? String(value) : `'${value}'`);
