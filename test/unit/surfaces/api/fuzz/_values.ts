import fc from "fast-check";

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** What the document can't say of a value: rules that are code. The key is the name of the member, with `{}` for objects alone. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** The schema itself, where it only refers to one. */
export const resolved = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schema.$ref ? (schemas[schema.$ref.split("/").at(-1) ?? ""] as JsonSchema) : schema;

/** Values that the schema accepts. */
export function valid(given: JsonSchema, schemas: Schemas, known: Known, name = ""): fc.Arbitrary<unknown> {
  const schema = resolved(given, schemas);
  const special = known[schema.type === "object" ? `${name}{}` : name] ?? known[name];
  if (special) return special;
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((member) => valid(member, schemas, known)));
  if (typeof schema.type === "object")
    return fc.oneof(...schema.type.map((type) => valid({ ...schema, type }, schemas, known)));
  switch (schema.type) {
    case "string":
      return validString(schema, name);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const { items = {}, minItems = 0, maxItems = 3 } = schema;
      return fc.array(valid(items, schemas, known, `${name}[]`), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      });
    }
    case "object": {
      const members = Object.entries(schema.properties ?? {}).map(
        ([key, member]) => [key, valid(member, schemas, known, key)] as const,
      );
      return fc.record(Object.fromEntries(members), {
        requiredKeys: [...(schema.required ?? [])],
        noNullPrototype: true,
      });
    }
    default:
      throw new Error(`no values for ${JSON.stringify(given)} at ${name}`);
  }
}

function validString(
  { format, pattern, minLength = 0, maxLength = 40 }: JsonSchema,
  name: string,
): fc.Arbitrary<string> {
  if (format === "idn-email")
    return fc.constantFrom("ann@example.com", "o'neil+a/b%25@sub.example.org", "jörg@münchen.example");
  if (format === "date-time")
    return fc.constantFrom("2026-01-01T00:00:00Z", "2026-11-21T08:00:00.123Z", "1999-12-31T23:59:59+14:00");
  if (pattern) return fc.stringMatching(new RegExp(pattern, "u"));
  if (/(^|_)url$/.test(name)) {
    const urls = ["https://example.com/a?b=c#d", "http://example.org", "HTTPS://EXAMPLE.NET/%20"];
    return fc.constantFrom(...(minLength > 0 ? urls : ["", ...urls]));
  }
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40) });
}

const hostileTexts = [
  ...[
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udfff",
    "\u202eabc",
    "e\u0301",
    "\ufeff",
    "a\u2028b",
    "💩".repeat(70),
    "\n",
    "a\r\nBcc: x@example.com",
    "\t",
  ],
  ...[
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "null",
    "undefined",
    "NaN",
    "true",
    "false",
    "[object Object]",
  ],
  ...["0", "-0", "-1", "1.5", "1e3", "1e309", "0x10", "٣", "9007199254740993", "100000000000000000000000000"],
  ...[
    "' OR 1=1 --",
    "1; DROP TABLE forms",
    "<script>alert(1)</script>",
    "$".concat("{7*7}"),
    "../../etc/passwd",
    "..%2f..%2f",
    "%00",
    "%",
    "%ZZ",
    "\\",
    "/",
    "?",
    "#",
    "a/../b",
    ";",
    ",",
  ],
  ...[
    "{{name}}",
    "{{#a}}",
    "{{/a}}",
    "{{{",
    "}}",
    "{{=<% %>=}}",
    "{{> partial}}",
    "{{constructor.constructor}}",
    `${"{{#a}}".repeat(50)}${"{{/a}}".repeat(50)}`,
  ],
  ...[
    "javascript:alert(1)",
    "http://",
    "https://[::1",
    "https://user:pass@example.com/",
    "https://example.com\n",
    "file:///etc/passwd",
    "https://127.0.0.1/",
    "https://example.com:99999/",
    "//example.com",
    "HTTPS:example.com",
    "https://exa mple.com",
  ],
  ...[
    "a@b",
    "@",
    "a@example.com,b@example.com",
    '"a b"@example.com',
    "Ann <ann@example.com>",
    "a@example.com\nBcc: x@example.com",
    `${"a".repeat(65)}@example.com`,
    "a@-example.com",
    "a@[127.0.0.1]",
    "a@xn--.com",
  ],
  ...[
    "2026-13-45T99:99:99Z",
    "0000-00-00T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "-000001-01-01T00:00:00Z",
    "0000-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-11-21",
    "2026-02-30T00:00:00Z",
    "now",
  ],
  ...["(a+)+$", "[", "(?=x)", "\\1", "a{1000000}", "(".repeat(500), "^".repeat(200)],
  ...["field:", "field:__proto__", "field:a\nb", "Day", "DE,unknown", "de,,fr", "unknown,", "36501_days", "Forever"],
  ...["x".repeat(65), "x".repeat(129), "x".repeat(301), "x".repeat(1_001), "x".repeat(2_049), "é".repeat(10_001)],
];

/** Texts that have broken something somewhere, and any text at all. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xff_ff }).map((code) => String.fromCharCode(code)),
      maxLength: 20,
    }),
  },
);

const own = (key: string, value: unknown): object => Object.defineProperty({}, key, { value, enumerable: true });
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

const hostileOthers: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 1.5, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER + 2, 101, 1001],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    [1, "a", null],
    { length: 1 },
    { 0: "a" },
    nested(500),
    Array.from({ length: 600 }, () => "x"),
  ],
  ...[
    own("__proto__", { admin: true }),
    own("constructor", { prototype: {} }),
    own("toString", 1),
    own("then", 1),
    own("toJSON", "x"),
  ],
  "x".repeat(210_000),
];

/** Anything that JSON can say. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...hostileOthers) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Values at a bound of the schema and one past it, and of another type. */
export function nearValid(given: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const schema = resolved(given, schemas);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const values: unknown[] = [null];
  if (minLength !== undefined) values.push("x".repeat(minLength), "x".repeat(Math.max(minLength - 1, 0)));
  if (maxLength !== undefined) values.push("x".repeat(maxLength), "x".repeat(maxLength + 1));
  if (minimum !== undefined) values.push(minimum, minimum - 1, String(minimum));
  if (maximum !== undefined) values.push(maximum, maximum + 1, String(maximum));
  if (minItems !== undefined) values.push([]);
  if (maxItems !== undefined) values.push(Array(maxItems + 1).fill("a"), Array(maxItems).fill("a"));
  for (const text of schema.enum ?? []) values.push(String(text).toUpperCase(), `${text} `, [text]);
  if (schema.type === "boolean") values.push("true", 1, "yes");
  if (schema.type === "array") values.push("a", { 0: "a" });
  if (schema.type === "object") values.push([], "a");
  return fc.constantFrom(...values);
}
