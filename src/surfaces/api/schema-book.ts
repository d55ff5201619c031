import { z } from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** JSON Schemas of one document: a schema with `meta({ id })` is written once, and referred to everywhere else. */
export interface SchemaBook {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Returns the schema as it is written at its place of use. Throws if JSON Schema can't express it. */
  add(schema: z.ZodType, use: Use): JsonSchema;
}

type Use = "parameters" | "body" | "answer";

export function createSchemaBook(): SchemaBook {
  const schemas: Record<string, JsonSchema> = {};
  const added = new Map<z.ZodType, Partial<Record<Use, JsonSchema>>>();
  return {
    schemas,
    add(schema, use) {
      const known = added.get(schema)?.[use];
      if (known) return known;
      const { $defs = {}, ...root } = converted(schema, use);
      for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
        if (schemas[id] && JSON.stringify(schemas[id]) !== JSON.stringify(definition)) {
          throw new Error(`[form-backend] two schemas are named ${id}; give one of them another \`meta({ id })\``);
        }
        schemas[id] = definition;
      }
      added.set(schema, { ...added.get(schema), [use]: root });
      return root;
    },
  };
}

/** With references as OpenAPI writes them. */
function converted(schema: z.ZodType, use: Use): JsonSchema {
  const io = use === "answer" ? "output" : "input";
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => adjust(jsonSchema, use) });
  return JSON.parse(JSON.stringify(made).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as JsonSchema;
}

function adjust(json: Record<string, unknown>, use: Use): void {
  const { override } = json;
  if (override !== undefined) {
    const { description } = json;
    for (const keyword of Object.keys(json)) delete json[keyword];
    Object.assign(json, override, description !== undefined && { description });
  }
  // Responses may get more members in future, so readers must not refuse them.
  if (use === "answer" && json["additionalProperties"] === false) delete json["additionalProperties"];
  if (use !== "parameters" && "default" in json) {
    // In words, because generators of clients take a member with a default for one that is always there.
    const words = `Default: ${JSON.stringify(json["default"])}.`;
    if (use === "body") json["description"] = [json["description"], words].filter(Boolean).join(" ");
    delete json["default"];
  }
  // Every whole number of JavaScript: true, and of no use to a reader.
  if (json["minimum"] === Number.MIN_SAFE_INTEGER) delete json["minimum"];
  if (json["maximum"] === Number.MAX_SAFE_INTEGER) delete json["maximum"];
}
