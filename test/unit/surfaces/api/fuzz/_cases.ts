import fc from "fast-check";
import type { Content, Parameter } from "../../../../../src/surfaces/api/document.ts";
import {
  hostileJson,
  hostileText,
  type JsonSchema,
  type Known,
  nearValid,
  resolved,
  type Schemas,
  valid,
} from "./_values.ts";

/** One request of an operation, and the one thing of it that is not as the document says, where there is only one. */
export interface Case {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly body: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: { readonly text: string; readonly type: string };
  /** Dot path of the one value that was put in place of a good one. */
  readonly fault: string | null;
}

export interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
}

interface Target {
  readonly in: "path" | "query" | "body";
  readonly at: readonly string[];
  readonly values: fc.Arbitrary<unknown>;
}

/** Requests of an operation: good ones, with one value replaced, with several, and with bodies that are no JSON object. */
export function casesOf(
  operation: Described,
  schemas: Schemas,
  known: Known,
  ids: Readonly<Record<string, string>>,
): fc.Arbitrary<Case> {
  const parameters = operation.parameters ?? [];
  const bodySchema = operation.requestBody && (Object.values(operation.requestBody.content)[0]?.schema as JsonSchema);
  const path = Object.fromEntries(
    parameters.filter((p) => p.in === "path").map(({ name }) => [name, ids[name] as string]),
  );
  const queries = parameters.filter((p) => p.in === "query");
  const good: fc.Arbitrary<Case> = fc.record({
    path: fc.constant(path),
    query: fc
      .record(
        Object.fromEntries(queries.map(({ name, schema }) => [name, valid(schema, schemas, known, `?${name}`)])),
        { requiredKeys: [] },
      )
      .map((query) =>
        Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : asText(name, value))),
      ),
    body: bodySchema ? valid(bodySchema, schemas, known) : fc.constant(undefined),
    fault: fc.constant(null),
  });

  const targets: Target[] = [
    ...Object.keys(path).map((name): Target => ({ in: "path", at: [name], values: hostileText })),
    ...queries.map(
      ({ name, schema }): Target => ({
        in: "query",
        at: [name],
        values: fc.oneof(hostileText, nearValid(schema, schemas)),
      }),
    ),
    { in: "query", at: ["unknown"], values: hostileText },
    ...(bodySchema ? bodyTargets(bodySchema, schemas) : []),
  ];
  const change = fc.constantFrom(...targets).chain((target) => target.values.map((value) => ({ target, value })));
  const one = fc
    .tuple(good, change)
    .map(([base, { target, value }]) => ({ ...put(base, target, value), fault: target.at.join(".") }));
  const several = fc
    .tuple(good, fc.array(change, { minLength: 2, maxLength: 5 }))
    .map(([base, changes]) => changes.reduce((sum, { target, value }) => put(sum, target, value), base));
  const kinds = [
    { weight: 3, arbitrary: good },
    { weight: 8, arbitrary: one },
    { weight: 2, arbitrary: several },
  ];
  if (bodySchema) {
    const raw = fc.record({ text: rawBody, type: rawType });
    kinds.push({ weight: 1, arbitrary: fc.tuple(good, raw).map(([base, given]) => ({ ...base, raw: given })) });
  }
  return fc.oneof(...kinds);
}

/** Every place of a body: each member at each depth, members of list entries, and in each object members that are unknown. */
function bodyTargets(given: JsonSchema, schemas: Schemas, at: readonly string[] = []): Target[] {
  const schema = resolved(given, schemas);
  const here: Target[] =
    at.length > 0 ? [{ in: "body", at, values: fc.oneof(hostileJson, nearValid(schema, schemas)) }] : [];
  if (schema.items) return [...here, ...bodyTargets(schema.items, schemas, [...at, "0"])];
  if (!schema.properties) return here;
  const unknown = ["unknown", "__proto__", "constructor", "id", "type", "Name", ""]
    .filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
    .map((name): Target => ({ in: "body", at: [...at, name], values: fc.constantFrom<unknown>("x", null, {}) }));
  const removed = (schema.required ?? []).map(
    (name): Target => ({ in: "body", at: [...at, name], values: fc.constant(undefined) }),
  );
  const inner = Object.entries(schema.properties).flatMap(([name, member]) =>
    bodyTargets(member, schemas, [...at, name]),
  );
  return [...here, ...inner, ...removed, ...unknown];
}

function put(base: Case, target: Target, value: unknown): Case {
  const [name = ""] = target.at;
  if (target.in === "path")
    return isSegment(String(value)) ? { ...base, path: { ...base.path, [name]: String(value) } } : base;
  if (target.in === "query") {
    const kept = base.query.filter(([key]) => key !== name && !key.startsWith(`${name}[`));
    return { ...base, query: [...kept, ...asText(name, value)] };
  }
  return { ...base, body: withValue(structuredClone(base.body), target.at, value) };
}

/** `.` and `..` are other paths, and nothing at all is one too. */
const isSegment = (text: string): boolean => !/^(\.|%2e){0,2}$/i.test(text);

function withValue(body: unknown, [key = "", ...rest]: readonly string[], value: unknown): unknown {
  const isIndex = key === "0";
  const holder = isIndex
    ? Array.isArray(body)
      ? body
      : []
    : typeof body === "object" && body !== null && !Array.isArray(body)
      ? body
      : {};
  const next =
    rest.length > 0 ? withValue(Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined, rest, value) : value;
  // `holder.__proto__ = …` would set no member.
  return Object.defineProperty(holder, key, { value: next, enumerable: true, configurable: true, writable: true });
}

function asText(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((entry) => [name, String(entry)]);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => asText(`${name}[${key}]`, inner));
  return [[name, String(value)]];
}

const rawBody = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "{",
    "}",
    '{"a":',
    "[]",
    "null",
    "1",
    '"text"',
    "{}",
    "{}{}",
    "\ufeff{}",
    '{"name":"a","name":"b"}',
    '{"__proto__":{"a":1}}',
    "a=b",
    "-0",
    "1e999",
    ...['name="file"; filename="a.png"', 'name="file"', 'name=""', "name=use; filename*=utf-8''%ff", ""].map(
      (part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n\r\nabc\r\n--x--\r\n`,
    ),
    ...[
      "--x",
      "--x--",
      "--x\r\n\r\n--x\r\n",
      `--x\r\nA: ${"b".repeat(100_000)}`,
      "--x\r\nContent-Disposition: form-data",
    ],
  ),
  fc.constantFrom(
    `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
    `{"a":${"{".repeat(5_000)}`,
    `"${"x".repeat(1024 * 1024)}"`,
  ),
  hostileJson.map((value) => JSON.stringify(value)),
);
const rawType = fc.constantFrom(
  "application/json",
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "*/*",
);
