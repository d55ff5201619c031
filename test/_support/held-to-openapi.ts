import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../src/surfaces/api/document.ts";

/** Throws if an answer differs from what the OpenAPI document says of its operation and status. */
export type Hold = (method: string, path: string, status: number, json: unknown) => void;

/** Schemas are compiled once, when the first answer of their kind comes. */
export function heldTo(document: OpenApiDocument): Hold {
  // Formats are annotations here: dates and addresses have tests of their own.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "openapi", ...(document as object) });
  const compiled = new Map<string, ValidateFunction>();
  const templates = Object.keys(document.paths)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`) }))
    // A fixed segment goes before a parameter.
    .sort((a, b) => a.path.split("{").length - b.path.split("{").length);
  return (method, path, status, json) => {
    const found = templates.find(({ pattern }) => pattern.test(path.split("?")[0] as string));
    const operation = found && document.paths[found.path]?.[method.toLowerCase()];
    if (!found || !operation) return;
    const response = operation.responses[status];
    if (!response) throw new Error(`${method} ${found.path} answered ${status}, which openapi.json does not name`);
    const pointer = [
      "paths",
      found.path,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ];
    const $ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"))).join("/")}`;
    if (!response.content?.["application/json"]) return;
    let validate = compiled.get($ref);
    if (!validate) {
      validate = ajv.compile({ $ref });
      compiled.set($ref, validate);
    }
    if (!validate(json)) {
      throw new Error(
        `${method} ${found.path} answered ${status} differently than openapi.json says: ${ajv.errorsText(validate.errors)}`,
      );
    }
  };
}
