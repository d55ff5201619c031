import type { Operation } from "../../core/http/route.ts";
import { type ErrorCode, errors } from "../../errors.ts";
import type { Parameter } from "./document.ts";
import type { JsonSchema, SchemaBook } from "./schema-book.ts";

/** One status of an operation; without codes if the response has the row's own shape. */
export interface Answer {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
}

/** Every status that an operation can return, lowest first. */
export function answersOf(row: Operation): Answer[] {
  const own = [row.status ?? 200, ...(row.otherStatuses ?? [])].map((status) => ({ status, codes: [] }));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(row)) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...own, ...Array.from(byStatus, ([status, codes]) => ({ status, codes }))].sort(
    (a, b) => a.status - b.status,
  );
}

/** The row's own errors and the implied ones: the steps before the handler fail in the same way everywhere. */
function codesOf(row: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(row.errors);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => void codes.add(code));
  const body = row.multipart ?? row.body;
  if (row.scopes)
    add("missing_bearer", "invalid_key", "wrong_audience", "team_inactive", "owner_unverified", "rate_limited");
  if (row.scopes && row.scopes.length > 0) add("insufficient_scope");
  if (row.scopes && row.method !== "GET") add("cross_site_request");
  // Every row refuses query parameters that it does not know.
  add("invalid_parameter");
  if (body) add("payload_too_large", "unsupported_media_type", "request_timeout", "body_consumed");
  if (row.form) add("form_not_found", "form_access_restricted");
  if (row.creates) add("form_access_restricted");
  if (row.conditional) add("version_mismatch");
  if (!row.unopened) add("unavailable");
  add("internal_error");
  return (Object.keys(errors) as ErrorCode[]).filter((code) => codes.has(code));
}

const ifMatch: JsonSchema = {
  type: "string",
  description:
    "An `ETag` of the form or its settings, `*`, or a list: the change or deletion is made only where one of them still holds.",
  examples: ['"7"'],
};

/** Path parameters in the order of the path, then the query, then headers. */
export function parametersOf(row: Operation, book: SchemaBook): Parameter[] {
  const path = membersOf(row.params, book);
  const query = membersOf(row.query, book);
  const names = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  return [
    ...names.map((name) => parameter("path", name, path.properties[name] ?? { type: "string" }, true)),
    ...Object.entries(query.properties).map(([name, schema]) =>
      parameter("query", name, schema, query.required.includes(name)),
    ),
    ...(row.conditional ? [parameter("header", "If-Match", ifMatch, false)] : []),
  ];
}

function parameter(place: Parameter["in"], name: string, described: JsonSchema, required: boolean): Parameter {
  const { description, ...schema } = described;
  return {
    name,
    in: place,
    required,
    ...(typeof description === "string" && { description }),
    schema,
    ...(schema["type"] === "object" && { style: "deepObject", explode: true }),
  };
}

function membersOf(
  schema: Operation["query"],
  book: SchemaBook,
): { properties: Readonly<Record<string, JsonSchema>>; required: readonly string[] } {
  if (!schema) return { properties: {}, required: [] };
  const { properties = {}, required = [] } = book.add(schema, "parameters");
  return { properties: properties as Record<string, JsonSchema>, required: required as string[] };
}
