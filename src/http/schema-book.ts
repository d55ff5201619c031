import { z } from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** JSON Schemas of one document: what has a `meta({ id })` stands once, and everything else refers to it. */
export interface SchemaBook {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The schema as it is written where it is used. Throws on what JSON Schema can't say. */
  add(schema: z.ZodType, use: Use): JsonSchema;
}

type Use = "parameters" | "body" | "answer";

export function createSchemaBook(): SchemaBook {
  const schemas: Record<string, JsonSchema> = {};
  return {
    schemas,
    add(schema, use) {
      const io = use === "answer" ? "output" : "input";
      const {
        $schema: _,
        $defs = {},
        ...root
      } = moved(
        z.toJSONSchema(schema, {
          io,
          override: ({ jsonSchema }) => adjust(jsonSchema as Record<string, unknown>, use),
        }),
      );
      for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
        const known = schemas[id];
        if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
          throw new Error(`[form-backend] two schemas are named ${id}; give one of them another \`meta({ id })\``);
        }
        schemas[id] = definition;
      }
      return root;
    },
  };
}

/** References as OpenAPI writes them. */
const moved = (schema: object): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as JsonSchema;

function adjust(json: Record<string, unknown>, use: Use): void {
  const { override } = json;
  if (override !== undefined) {
    const { description } = json;
    for (const keyword of Object.keys(json)) delete json[keyword];
    Object.assign(json, override, description !== undefined && { description });
  }
  // Answers may get more members one day, so that readers must not refuse them.
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
