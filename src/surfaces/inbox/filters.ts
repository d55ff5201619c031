import type { z } from "zod";
import { queryOf } from "../api/query.ts";
import type { PublicRequest } from "./visit.ts";

/** Parameters of the API that say which submissions are meant. `field[…]` and `source[…]` are too. */
const FILTERS = [
  "read",
  "country",
  "created_after",
  "created_before",
  "q",
  "words",
  "state",
  "assignee",
  "label",
] as const;
const PAGING = ["order", "limit", "cursor"] as const;

const isField = (name: string): boolean => name.startsWith("field[") || name.startsWith("source[");
/** The controls of one more field filter, which become `field[NAME][OP]=value` in the address. */
const DRAFT = ["filter_field", "filter_op", "filter_value"] as const;

/** The parameters of an address that are the API's own, with the dates of a date control as moments. */
export function apiParams(query: URLSearchParams, names: "filters" | "list" = "filters"): URLSearchParams {
  const known = new Set<string>([...FILTERS, "status", ...(names === "list" ? [...PAGING, "form_id"] : [])]);
  return new URLSearchParams(
    [...query]
      .filter(([name]) => known.has(name) || isField(name))
      .map(([name, value]): [string, string] => [
        name,
        name.startsWith("created_") && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00.000Z` : value,
      ]),
  );
}

/** The parameters of a submission's address, which say which list it was opened from. */
export function cameFrom(query: URLSearchParams): URLSearchParams {
  const params = apiParams(query);
  if (!isFromAll(query)) return params;
  params.set("from", "all");
  for (const id of query.getAll("form_id")) params.append("form_id", id);
  return params;
}

/** True for a submission that was opened from the list over all forms. */
export const isFromAll = (query: URLSearchParams): boolean => query.get("from") === "all";

/** The path of the list that a submission was opened from, with its filter. */
export function listOf(form_id: string, query: URLSearchParams): string {
  const params = cameFrom(query);
  params.delete("from");
  const text = params.toString();
  return `${isFromAll(query) ? "/all" : `/f/${form_id}`}${text && `?${text}`}`;
}

/** The same as the input of a row. Throws `invalid_parameter`. */
export const listInput = (query: URLSearchParams, schema: z.ZodType): Record<string, unknown> => {
  const params = apiParams(query, "list");
  if (!params.has("limit")) params.set("limit", "50");
  return queryOf(params, schema);
};

/** True if the address names anything but the folder. */
export const isFiltered = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => (FILTERS as readonly string[]).includes(name) || isField(name));

/** The canonical address of a filter form, if it differs from the one that the browser made; otherwise null. */
export function tidied({ exchange, query }: PublicRequest): URLSearchParams | null {
  const [name, op, value] = DRAFT.map((control) => query.get(control));
  const isEmpty = [...exchange.url.searchParams].some(([, one]) => one === "");
  if (!isEmpty && DRAFT.every((control) => !exchange.url.searchParams.has(control))) return null;
  const tidy = new URLSearchParams([...query].filter(([one]) => !(DRAFT as readonly string[]).includes(one)));
  if (name && value) tidy.set(`field[${name}][${op ?? "contains"}]`, value);
  return tidy;
}

/** A filter as people read it, and the address without it. */
export interface Chip {
  readonly text: string;
  readonly without: URLSearchParams;
}

/** The filters of an address. */
export function chipsOf({ t, query }: PublicRequest): Chip[] {
  const f = t.filter;
  const says = (name: string, value: string): string => {
    if (name === "q" || name === "words") return f.q_is({ value });
    if (name === "read") return value === "true" ? f.read() : f.unread();
    if (name === "state") return t.work[value === "done" || value === "snoozed" ? value : "open"]();
    if (name === "assignee") return value === "me" ? t.work.mine() : value === "none" ? t.work.nobodys() : value;
    if (name === "label") return value;
    if (name === "country") return f.country_is({ value });
    if (name === "created_after") return f.after_is({ value });
    if (name === "created_before") return f.before_is({ value });
    const [, field = name, op = ""] = /^(?:field|source)\[(.*)\]\[(\w+)\]$/su.exec(name) ?? [];
    const operator = Object.hasOwn(f, op) ? (f as unknown as Record<string, () => string>)[op]?.() : op;
    return f.field_is({ field, operator: operator ?? op, value });
  };
  return [...apiParams(query)]
    .filter(([name]) => name !== "status")
    .map(([name, value]) => {
      const without = apiParams(query);
      without.delete(name);
      return { text: says(name, value), without };
    });
}

/** A list of submissions; `pending` ones wait for their sender's confirmation. */
export type Folder = "inbox" | "spam" | "all" | "pending" | "trash";

/** The folder of an address. */
export const folderOf = (query: URLSearchParams): Folder => {
  const status = query.get("status");
  return status === "spam" || status === "all" || status === "pending" || status === "trash" ? status : "inbox";
};
