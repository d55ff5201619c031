type Value = Record<string, unknown>;

/**
 * One condition; a list of them is AND-ed. `column` compares an indexed column; `field` searches the `fields` array of `{ key,
 * value }` entries of a submission (`field: null` = any field); with `of: "source"`, its array `source` instead. `contains`, `not_contains` and `starts_with` ignore case; `eq`
 * and `in` do not. `not_contains` is true if no entry contains the text.
 */
export type Condition =
  | { readonly column: string; readonly op: "in"; readonly value: readonly (string | number | boolean | null)[] }
  | { readonly column: string; readonly op: "gte" | "lt"; readonly value: string | number }
  | {
      readonly field: string | null;
      readonly op: "eq" | "contains" | "not_contains" | "starts_with";
      readonly value: string;
      readonly of?: "source";
    }
  | { readonly field: string; readonly op: "in"; readonly value: readonly string[]; readonly of?: "source" }
  | { readonly field: string; readonly op: "exists"; readonly value: boolean; readonly of?: "source" };

type FieldCondition = Extract<Condition, { field: string | null }>;

/** The list of conditions as one function, with the needles folded once. An empty list matches every row. */
export function predicate(where: readonly Condition[]): (value: Value) => boolean {
  const tests = where.map((condition) => ("column" in condition ? columnTest(condition) : fieldTest(condition)));
  return (value) => tests.every((test) => test(value));
}

/** The group of a row in a grouped count; null if it has no such value. */
export function groupKey(
  groupBy: { readonly column: string; readonly prefix?: number } | { readonly field: string; readonly of?: "source" },
): (value: Value) => string | null {
  if ("field" in groupBy) {
    return (value) => entries(value, groupBy.of).find((entry) => entry.key === groupBy.field)?.value ?? null;
  }
  const { column, prefix } = groupBy;
  return (value) => {
    const found = value[column] ?? null;
    if (found === null) return null;
    return prefix === undefined ? String(found) : String(found).slice(0, prefix);
  };
}

/** The groups of a count, as the port returns them. */
export function grouped(groups: ReadonlyMap<string | null, number>): { key: string | null; count: number }[] {
  return Array.from(groups, ([key, count]) => ({ key, count }));
}

function columnTest(condition: Extract<Condition, { column: string }>): (value: Value) => boolean {
  const { column } = condition;
  if (condition.op === "in") {
    const wanted = new Set<unknown>(condition.value);
    return (value) => wanted.has(value[column] ?? null);
  }
  const { op, value: bound } = condition;
  return (value) => {
    const found = value[column];
    // Null and a value of another type compare with nothing, as in SQL.
    if (typeof found === "string" && typeof bound === "string") return op === "gte" ? found >= bound : found < bound;
    if (typeof found === "number" && typeof bound === "number") return op === "gte" ? found >= bound : found < bound;
    return false;
  };
}

function fieldTest(condition: FieldCondition): (value: Value) => boolean {
  const { field, of } = condition;
  const some = (test: (text: string) => boolean) => (value: Value) =>
    entries(value, of).some((entry) => (field === null || entry.key === field) && test(entry.value));
  switch (condition.op) {
    case "eq":
      return some((text) => text === condition.value);
    case "in": {
      const wanted = new Set(condition.value);
      return some((text) => wanted.has(text));
    }
    case "exists": {
      const present = some(() => true);
      return (value) => present(value) === condition.value;
    }
    case "contains":
    case "not_contains": {
      const needle = condition.value.toLowerCase();
      const found = some((text) => text.toLowerCase().includes(needle));
      return condition.op === "contains" ? found : (value) => !found(value);
    }
    case "starts_with": {
      const needle = condition.value.toLowerCase();
      return some((text) => text.toLowerCase().startsWith(needle));
    }
  }
}

interface Entry {
  readonly key: string;
  readonly value: string;
}

function entries(value: Value, of: "source" | "fields" = "fields"): readonly Entry[] {
  const list = value[of];
  return Array.isArray(list) ? (list as Entry[]).filter(isEntry) : [];
}

function isEntry(entry: unknown): entry is Entry {
  const { key, value } = (entry ?? {}) as Partial<Entry>;
  return typeof key === "string" && typeof value === "string";
}
