import type { Clause } from "../_sql/sql.ts";
import type { Condition, CountQuery } from "../types.ts";
import { restoredText, safeJson, safeText } from "./table.ts";

type FieldCondition = Extract<Condition, { field: string | null }>;

const DATA = "data::jsonb";
// Strict, because the lax mode would also look into lists within lists.
const entriesOf = (of: "source" | "fields" = "fields"): string => `strict $.${of}[*]`;
const VALUE_IS_TEXT = '@.value.type() == "string"';

const named = (field: string | null): string => (field === null ? '@.key.type() == "string"' : "@.key == $k");
const path = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** True if some entry passes the test. */
const someEntry = ({ of }: FieldCondition, test: string): string =>
  `coalesce(jsonb_path_exists(${DATA}, ${path(`${entriesOf(of)} ? (${test})`)}, ?::text::jsonb, true), false)`;

/** True if the text of some entry passes the test over `t`. */
const someText = ({ field, of }: FieldCondition, test: string): string =>
  `EXISTS (SELECT FROM jsonb_path_query(${DATA}, ${path(`${entriesOf(of)} ? (${named(field)} && ${VALUE_IS_TEXT}).value`)}, ?::text::jsonb, true) e, LATERAL (SELECT e #>> '{}' AS v) x WHERE ${test})`;

/**
 * The `field` conditions of a list, as `lib/conditions.ts` would judge. `folded` is an expression that folds the case of `v` as
 * JavaScript does.
 */
export function fieldClause(where: readonly Condition[], folded: string): NonNullable<Clause> {
  const parts: string[] = [];
  const params: string[] = [];
  for (const condition of where) {
    if (!("field" in condition)) continue;
    const [sql, ...given] = compiled(condition, folded);
    parts.push(sql);
    params.push(...given);
  }
  return { sql: parts.join(" AND "), params };
}

function compiled(condition: FieldCondition, folded: string): [sql: string, ...params: string[]] {
  const { field } = condition;
  const vars = (more: object = {}): string => safeJson({ ...(field !== null && { k: field }), ...more });
  switch (condition.op) {
    case "eq":
      // Most rows don't even contain the text, and searching for it costs a fraction of reading the JSON.
      return [
        `(strpos(data::text, ?) > 0 AND ${someEntry(condition, `${named(field)} && @.value == $v`)})`,
        safeJson(condition.value),
        vars({ v: condition.value }),
      ];
    case "in":
      return [someEntry(condition, `${named(field)} && @.value == $v[*]`), vars({ v: condition.value })];
    case "exists":
      return [`${condition.value ? "" : "NOT "}${someEntry(condition, `${named(field)} && ${VALUE_IS_TEXT}`)}`, vars()];
    case "contains":
    case "not_contains":
      return [
        `${condition.op === "contains" ? "" : "NOT "}${someText(condition, `strpos(${folded}, ?) > 0`)}`,
        vars(),
        safeText(condition.value.toLowerCase()),
      ];
    case "starts_with":
      return [someText(condition, `starts_with(${folded}, ?)`), vars(), safeText(condition.value.toLowerCase())];
  }
}

/** The expression that counts are grouped by, its parameter, and the key of a returned group. */
export function fieldGroup({ field, of }: Extract<CountQuery["groupBy"], { field: string }>): {
  sql: string;
  params: string[];
  key: (found: unknown) => string | null;
} {
  const first = path(`${entriesOf(of)} ? (@.key == $k && ${VALUE_IS_TEXT}).value`);
  return {
    sql: `jsonb_path_query_first(${DATA}, ${first}, ?::text::jsonb, true) #>> '{}'`,
    params: [safeJson({ k: field })],
    key: (found) => (found === null ? null : restoredText(found as string)),
  };
}
