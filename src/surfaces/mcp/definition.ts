import type { Operation } from "../api/kernel.ts";
import type { JsonSchema } from "../api/schema-book.ts";
import { rows } from "./operations.ts";
import { schemaOf } from "./schemas.ts";
import { annotationsOf, type Tool } from "./tool.ts";

/** A tool as clients list it. */
export interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ReturnType<typeof annotationsOf>;
}

interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema & object>>;
  readonly required?: string[];
  readonly [keyword: string]: unknown;
}

/** Entries of one page of a tool, and of an export. */
export const LIST_LIMIT = { most: 50, usual: 20 };
export const EXPORT_LIMIT = { most: 100, usual: 100 };

/** The limit of a tool's pages; null if its pages are as long as fits. */
export function limitOf({ name, paging }: Tool): typeof LIST_LIMIT | null {
  if (paging === "export") return EXPORT_LIMIT;
  return name.startsWith("list_") || paging === "cursor" ? LIST_LIMIT : null;
}

const known = new Map<string, Definition>();

/** The definition of a tool, made at its first use. */
export function definitionOf(tool: Tool): Definition {
  const made = known.get(tool.name) ?? {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputOf(tool),
    outputSchema: outputOf(tool),
    annotations: annotationsOf(tool),
  };
  known.set(tool.name, made);
  return made;
}

function inputOf(tool: Tool): ObjectSchema {
  const row = rows[tool.operation];
  const parts = [members(row, "params"), members(row, "query"), members(row, "body")];
  const own: Record<string, JsonSchema> = Object.assign({}, ...parts.map(({ properties }) => properties));
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  for (const name of [...Object.keys(tool.fixed ?? {}), ...Object.keys(tool.withheld ?? {})]) {
    delete own[name];
    required.delete(name);
  }
  Object.assign(own, tool.args, pagingOf(tool), confirmOf(tool));
  return {
    type: "object",
    properties: own,
    ...(required.size > 0 && { required: [...required] }),
    additionalProperties: false,
  };
}

function members(row: Operation, part: "params" | "query" | "body"): Partial<ObjectSchema> {
  const schema = row[part];
  return schema ? (schemaOf(schema, part === "body" ? "body" : "parameters") as ObjectSchema) : {};
}

const cursor = { type: "string", maxLength: 1_000, description: "The last `next_cursor`." };

function pagingOf(tool: Tool): Record<string, JsonSchema> {
  const limit = limitOf(tool);
  return {
    ...(limit && { limit: { type: "integer", minimum: 1, maximum: limit.most, default: limit.usual } }),
    ...(tool.paging && tool.paging !== "before" && { cursor }),
  };
}

/** Every tool that destroys or sends for good takes a `confirm`; only some insist on it. */
function confirmOf({ confirm, kind }: Tool): Record<string, JsonSchema> {
  if (kind !== "change" && kind !== "renew" && !confirm) return {};
  const what = confirm?.of === "submission" ? "The submission's id" : "The form's name";
  const when = confirm ? "so that nothing is done by mistake" : "optional: the call fails if it does not match";
  return { confirm: { type: "string", description: `${what}, ${when}.` } };
}

function outputOf(tool: Tool): ObjectSchema {
  const { properties = {}, ...rest } = schemaOf(tool.answer ?? rows[tool.operation].response, "answer") as ObjectSchema;
  const more = tool.paging === "slice" ? { has_more: { type: "boolean" } } : {};
  const next = tool.paging && tool.paging !== "before" ? { next_cursor: { type: ["string", "null"] } } : {};
  const cut = { type: "array", items: { type: "string" }, description: "Members that are too long for one result." };
  return { ...rest, type: "object", properties: { ...more, ...next, cut, ...properties } };
}
