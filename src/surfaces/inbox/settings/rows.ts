import { type FieldPolicy, sinks } from "../../../model/field-policy.ts";
import type { Rule } from "../../../model/rules.ts";
import { tidy } from "./tidy.ts";

/** A leaf whose value is in rows of controls. Its text is the JSON of the rows. */
export interface RowsKind {
  text(value: unknown): string;
  posted(body: URLSearchParams, path: string): string;
  value(text: string): unknown;
  /** The entries of a record by name. Only those are saved that were changed, and null removes one. A list has none. */
  entries?(text: string): Map<string, Readonly<Record<string, string>>>;
}

/** More rows than a form can have. */
const MOST = 600;

/** Rows that a page posted, up to the first one that is missing. */
export function* rowsIn<T>(read: (at: number) => T | null): Generator<T> {
  for (let at = 0; at < MOST; at++) {
    const row = read(at);
    if (row === null) return;
    yield row;
  }
}

/** A posted text; null if the page did not have its control. */
export const valueIn = (body: URLSearchParams, name: string): string | null => {
  const value = body.get(name);
  return value === null ? null : tidy(value);
};

/** A row of a record: the name of a field, and the texts that belong to it. */
type Named = readonly [name: string, texts: Readonly<Record<string, string>>];

const recordRows = (members: readonly string[], rowOf: (value: unknown) => Record<string, string>): RowsKind => ({
  text: (value) =>
    JSON.stringify(
      Object.entries(value as Readonly<Record<string, unknown>>).map(([name, one]) => [tidy(name), rowOf(one)]),
    ),
  posted: (body, path) =>
    JSON.stringify(
      [
        ...rowsIn((at): Named | null => {
          const name = valueIn(body, `${path}.${at}.name`);
          if (name === null) return null;
          const texts = members.map((member) => [member, valueIn(body, `${path}.${at}.${member}`) ?? ""]);
          return [name, Object.fromEntries(texts)];
        }),
      ].filter(([name]) => name !== ""),
    ),
  value: (text) => Object.fromEntries(entriesOf(text)),
  entries: (text) => entriesOf(text),
});

function entriesOf(text: string): Map<string, Readonly<Record<string, string>>> {
  try {
    return new Map(JSON.parse(text) as Named[]);
  } catch {
    return new Map();
  }
}

/** The name of a field, and its label. */
export const labelRows: RowsKind = recordRows(["value"], (value) => ({ value: tidy(String(value)) }));

/** The name of a field, the way it is stored, and what each destination gets. */
export const policyRows: RowsKind = recordRows(["store", ...sinks], (value) => ({ ...(value as FieldPolicy) }));

/** Rules as they are, without checks that have no kind and rules that name no field. */
export const ruleRows: RowsKind = {
  text: (value) => JSON.stringify(tidied(value as Rule[])),
  posted: (body, path) =>
    JSON.stringify(
      [
        ...rowsIn((at) => {
          const field = valueIn(body, `${path}.${at}.field`);
          if (field === null) return null;
          const checks = [
            ...rowsIn((of) => {
              const name = `${path}.${at}.checks.${of}`;
              const type = valueIn(body, `${name}.type`);
              if (type === null) return null;
              return {
                type,
                value: valueIn(body, `${name}.value`) ?? "",
                message: valueIn(body, `${name}.message`) ?? "",
              };
            }),
          ];
          return { field, checks: checks.filter(({ type }) => type !== "") };
        }),
      ].filter(({ field }) => field !== ""),
    ),
  value: (text) => JSON.parse(text),
};

const tidied = (rules: readonly Rule[]): Rule[] =>
  rules.map(({ field, checks }) => ({
    field: tidy(field),
    checks: checks.map(({ type, value, message }) => ({ type, value: tidy(value), message: tidy(message) })),
  }));
