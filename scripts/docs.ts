/** Tables of docs/api, made from the OpenAPI document. `npm run docs` writes them, and a test fails while they are old. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Schema;
  }[];
  readonly responses: Readonly<Record<string, { readonly "x-error-codes"?: readonly string[] }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

type ErrorTable = Readonly<
  Record<string, { readonly status: number; readonly type: string; readonly message: string }>
>;

/** What tables are made from. */
export interface Sources {
  /** The OpenAPI document. */
  readonly document: object;
  readonly errors: ErrorTable;
  /** What a request's members are when they are not sent, by the name of its schema. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** The text with every block `<!-- table: KIND NAME -->` … `<!-- /table -->` made anew. Throws on a block that it does not know. */
export function withTables(text: string, sources: Sources): string {
  const tables = tablesOf(sources);
  return text.replace(/<!-- table: (\w+)(?: (.+?))? -->\n[\s\S]*?<!-- \/table -->/g, (_, kind: string, name = "") => {
    const make = tables[kind as keyof typeof tables];
    if (!make) throw new Error(`there is no table of ${kind}`);
    return `<!-- table: ${kind}${name && ` ${name}`} -->\n${make(name)}\n<!-- /table -->`;
  });
}

function tablesOf({ document, errors, defaults }: Sources) {
  const { paths, components } = document as Document;
  const { schemas, examples } = components;
  const schemaOf = (name: string): Schema => {
    const schema = schemas[name];
    if (!schema) throw new Error(`there is no schema ${name}`);
    return schema;
  };
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  /** Operations by their tag or their own name, several separated by commas. */
  const chosen = (names: string) =>
    names.split(", ").flatMap((name) => {
      const found = operations.filter(({ tags, operationId }) => operationId === name || tags.includes(name));
      if (found.length === 0) throw new Error(`there is no operation or tag ${name}`);
      return found;
    });
  const named = (name: string) => chosen(name)[0] as (typeof operations)[number];
  const everywhere = new Set([...codesOf(named("me")), "insufficient_scope"]);
  const withBody = new Set(codesOf(named("exportDataSubject")).filter((name) => !everywhere.has(name)));

  return {
    operations: (names: string) =>
      table(
        ["Request", "Does", "Scope", "Client"],
        chosen(names).map(({ method, path, summary, security, operationId }) => [
          `\`${method} ${path}\``,
          summary,
          security.length === 0 ? "no credential" : code(security[0]?.["api_key"] ?? []) || "any",
          `\`${operationId}\``,
        ]),
      ),
    parameters: (name: string) =>
      table(
        ["Parameter", "Takes", "Default", "Notes"],
        (named(name).parameters ?? [])
          .filter((parameter) => parameter.in === "query")
          .map(({ name, schema, description }) => [
            `\`${name}\``,
            typeOf(schema),
            schema.default === undefined ? "" : `\`${schema.default}\``,
            description ?? "",
          ]),
      ),
    /** Members of an answer. */
    fields: (name: string) =>
      table(
        ["Field", "Type", "Notes"],
        membersOf(schemaOf(name)).map(({ path, schema, required }) => [
          `\`${path}\``,
          typeOf(schema),
          [schema.description, required ? "" : "May be missing."].filter(Boolean).join(" "),
        ]),
      ),
    /** Members of a request. */
    body: (name: string) =>
      table(
        ["Field", "Takes", "Default", "Notes"],
        membersOf(schemaOf(name)).map(({ path, schema, required }) => {
          const [, notes = "", inWords] = /^(.*?) ?(?:Default: (.*)\.)?$/s.exec(schema.description ?? "") ?? [];
          const value = path
            .split(".")
            .reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], defaults[name]);
          const otherwise = inWords ?? (value === undefined ? undefined : JSON.stringify(value));
          return [`\`${path}\``, typeOf(schema), required ? "required" : otherwise ? `\`${otherwise}\`` : "", notes];
        }),
      ),
    errors: (names: string) =>
      table(
        ["Operation", "Additional errors"],
        chosen(names).map((operation) => [
          `\`${operation.operationId}\``,
          code(codesOf(operation).filter((name) => !everywhere.has(name) && !withBody.has(name))) || "none",
        ]),
      ),
    codes: () => {
      const used = new Set(operations.flatMap(codesOf));
      const rows = Object.entries(errors).filter(
        ([name]) => used.has(name) || /^(method_)?not_(found|allowed)$/.test(name),
      );
      return table(
        ["Status", "`type`", "`code`", "Message"],
        rows.map(([name, { status, type, message }]) => [String(status), `\`${type}\``, `\`${name}\``, message]),
      );
    },
    common: () =>
      [
        ["Can come from", "Codes"],
        ["---", "---"],
        ["any request with a credential", code([...everywhere])],
        ["any request with a body", code([...withBody])],
      ]
        .map((cells) => `| ${cells.join(" | ")} |`)
        .join("\n"),
    example: (name: string) => {
      if (!examples[name]) throw new Error(`there is no example ${name}`);
      return ["```json", JSON.stringify(examples[name].value, null, 2), "```"].join("\n");
    },
  };
}

interface Member {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Every member; those of an object stand under its path, those of a list's entries behind `[]`. */
function membersOf({ properties = {}, required = [] }: Schema, at = ""): Member[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = at + name;
    const own: Member = { path, schema, required: required.includes(name) };
    const object = schema.anyOf?.find((member) => member.properties);
    if (object) return [own, ...membersOf(object, `${path}.`)];
    if (schema.items?.properties) return [own, ...membersOf(schema.items, `${path}[].`)];
    return schema.properties ? membersOf(schema, `${path}.`) : [own];
  });
}

const codesOf = ({ responses }: Operation): string[] =>
  Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []);

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.enum) return schema.enum.length > 20 ? "one of those below" : code(schema.enum.map(String));
  if ("const" in schema) return schema.const === "" ? '`""`' : `\`${schema.const}\``;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (typeof schema.type === "object") return schema.type.map((type) => typeOf({ ...schema, type })).join(" or ");
  if (schema.items) {
    const [one = "", ...rest] = typeOf(schema.items).split(" of ");
    const many =
      schema.items.enum || schema.items.$ref ? one : one.replace(/s?$/, one.endsWith("address") ? "ses" : "s");
    return `list of ${[`${bounds(schema.minItems, schema.maxItems)} ${many}`.trim(), ...rest].join(" of ")}`;
  }
  switch (schema.type) {
    case "string": {
      if (schema.format === "date-time") return "timestamp";
      if (schema.format === "idn-email") return "email address";
      if (schema.format === "binary") return "file";
      const length = bounds(schema.minLength, schema.maxLength);
      return length ? `text of ${length} characters` : "text";
    }
    case "integer":
    case "number": {
      const size = bounds(schema.minimum, schema.maximum);
      return [schema.type === "integer" ? "whole number" : "number", size].filter(Boolean).join(", ");
    }
    default:
      return schema.type ?? "anything";
  }
}

function bounds(min: number | undefined, max: number | undefined): string {
  if (min && max !== undefined) return `${min} to ${max}`;
  if (max !== undefined) return `at most ${max}`;
  return min ? `at least ${min}` : "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column that says nothing is left out.
  const kept = head.flatMap((_, i) => (rows.some((row) => row[i]) ? [i] : []));
  const line = (cells: readonly string[]) => `| ${kept.map((i) => cells[i]?.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
