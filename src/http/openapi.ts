import { z } from "zod";
import { dataHeaders, textResponse } from "../lib/response.ts";
import type { Options } from "../options.ts";
import { ErrorEnvelope } from "./envelope.ts";
import { errorExample, exampleOf } from "./examples.ts";
import { type Answer, answersOf, parametersOf } from "./operation.ts";
import { type Method, type Route, route } from "./route.ts";
import { createSchemaBook, type JsonSchema, type SchemaBook } from "./schema-book.ts";

/** An OpenAPI 3.1 document, as far as the library itself looks into it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, object>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;

interface ResponseObject {
  readonly description: string;
  readonly headers: object;
  readonly content: Content;
  readonly "x-error-codes"?: readonly string[];
}

const tags: Readonly<Record<string, string>> = {
  Forms: "Forms and everything that is configured per form.",
  Recipients: "Addresses that get a form's notification email.",
  Images: "Logos for emails and pages.",
  Submissions: "What visitors have sent, and statistics of it.",
  Webhooks: "Where a form's events are sent.",
  Deliveries: "How sending each submission to a webhook went.",
  "Data subjects": "What is held of one person, over all forms.",
  Credentials: "What a key or token is and covers.",
  Service: "The service itself.",
};

const description = `Every request but those of the tag Service carries \`Authorization: Bearer <API key or access token>\`.
JSON in and out, timestamps in ISO 8601 UTC with milliseconds. Every error is the same envelope; \`code\` is stable, \`message\` is
for people and may change. Unknown fields and parameters are refused by name.`;

/** The row that answers the document itself. */
export const openapiRoutes = {
  openapi: route({
    method: "GET",
    path: "/v1/openapi.json",
    summary: "Retrieve this document",
    tag: "Service",
    scopes: null,
    unopened: true,
    response: z.record(z.string(), z.unknown()).meta({ id: "OpenApi" }),
    errors: [],
    // Anybody may ask, so that it is written once and not for each request.
    handler: async ({ core }) =>
      textResponse(core.openapi.text(), 200, { ...dataHeaders, "cache-control": "public, max-age=300" }),
  }),
};

/** The OpenAPI document of every row, made at the first call, and as text. */
export function openapiOf(
  routes: Readonly<Record<string, object>>,
  options: Options,
): { document(): OpenApiDocument; text(): string } {
  const document = once(() => describe(routes as Readonly<Record<string, Route>>, options));
  return { document, text: once(() => JSON.stringify(document())) };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function describe(routes: Readonly<Record<string, Route>>, { baseUrl, brand, oauth }: Options): OpenApiDocument {
  const book = createSchemaBook();
  const examples: Record<string, { value: unknown }> = {};
  const paths: Record<string, Partial<Record<Lowercase<Method>, Operation>>> = {};
  for (const [name, row] of Object.entries(routes)) {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    const method = row.method.toLowerCase() as Lowercase<Method>;
    paths[path] = { ...paths[path], [method]: operationOf(name, row, book, examples, oauth !== undefined) };
  }
  const used = new Set(Object.values(routes).map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: { title: `${brand.name} Management API`, version: "1", description },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).flatMap(([tag, text]) => (used.has(tag) ? [{ name: tag, description: text }] : [])),
    paths: paths as OpenApiDocument["paths"],
    components: {
      schemas: book.schemas,
      examples,
      headers: sharedHeaders,
      securitySchemes: {
        api_key: {
          type: "http",
          scheme: "bearer",
          description: `An API key, which begins with \`${brand.keyPrefix}\`.`,
        },
        ...(oauth && {
          oauth: {
            type: "openIdConnect",
            openIdConnectUrl: `${oauth.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
            description: "An access token of the authorization server, as a bearer token.",
          },
        }),
      },
    },
  };
}

function operationOf(
  operationId: string,
  row: Route,
  book: SchemaBook,
  examples: Record<string, { value: unknown }>,
  oauth: boolean,
): Operation {
  const scopes = row.scopes ?? [];
  const parameters = parametersOf(row, book);
  const body = row.body ?? row.multipart;
  const withExample = (schema: JsonSchema) => {
    const example = exampleOf(schema);
    if (!example) return { schema };
    examples[example.name] = { value: example.value };
    return { schema, examples: { [example.name]: { $ref: `#/components/examples/${example.name}` } } };
  };
  return {
    operationId,
    summary: row.summary,
    description: scopeSentence(row),
    tags: [row.tag],
    // OpenAPI 3.1 lets any kind of scheme name what a credential must be allowed.
    security: row.scopes === null ? [] : [{ api_key: scopes }, ...(oauth ? [{ oauth: scopes }] : [])],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { [row.body ? "application/json" : "multipart/form-data"]: withExample(book.add(body, "body")) },
      },
    }),
    responses: Object.fromEntries(
      answersOf(row).map((answer) => [answer.status, responseOf(row, answer, book, withExample, examples)]),
    ),
  };
}

function responseOf(
  row: Route,
  { status, codes }: Answer,
  book: SchemaBook,
  withExample: (schema: JsonSchema) => Content[string],
  examples: Record<string, { value: unknown }>,
): ResponseObject {
  if (codes.length === 0) {
    const content: Record<string, Content[string]> = {
      "application/json": withExample(book.add(row.response, "answer")),
    };
    for (const type of row.otherTypes ?? []) content[type] = { schema: { type: "string" } };
    return { description: status < 300 ? "Done." : "Not at the moment.", headers: headersOf(status), content };
  }
  for (const code of codes) examples[code] = { value: errorExample(code, row.scopes ?? []) };
  const examplesOf = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: headersOf(status),
    content: { "application/json": { schema: book.add(ErrorEnvelope, "answer"), examples: examplesOf } },
    "x-error-codes": codes,
  };
}

const sharedHeaders = {
  "X-Request-Id": { description: "Names the request in logs and error bodies.", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer", minimum: 1 } },
  RateLimit: { description: "What is left of the rate, and when it is full again.", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The rate.", schema: { type: "string" } },
};

function headersOf(status: number): object {
  const names: (keyof typeof sharedHeaders)[] = ["X-Request-Id"];
  if (status === 429) names.push("RateLimit", "RateLimit-Policy");
  if (status === 429 || status === 503) names.push("Retry-After");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function scopeSentence({ scopes }: Route): string {
  if (scopes === null) return "Needs no credential.";
  if (scopes.length === 0) return "Needs a credential, of whatever scope.";
  return `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(" and ")}.`;
}
