import type { JsonSchema } from "./schema-book.ts";

/** An OpenAPI 3.1 document, as far as the library itself looks into it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, object>>;
  };
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers: object;
  readonly content: Content;
  readonly "x-error-codes"?: readonly string[];
}
