import { z } from "zod";
import { ErrorEnvelope } from "../../core/http/error-schema.ts";
import { limitAddress } from "../../core/http/limits.ts";
import { type Method, type Operation, route } from "../../core/http/route.ts";
import type { Options } from "../../core/options/types.ts";
import { once } from "../../lib/once.ts";
import { dataHeaders, textResponse } from "../../lib/response.ts";
import type { Content, OpenApiDocument, OperationObject, ResponseObject } from "./document.ts";
import { type CommonDocument, documentOf } from "./document-of.ts";
import { errorExample, exampleOf } from "./examples.ts";
import { type Answer, answersOf, parametersOf } from "./operation.ts";
import { createSchemaBook, type JsonSchema, type SchemaBook } from "./schema-book.ts";

const tags: Readonly<Record<string, string>> = {
  Forms: "Forms and everything that is configured per form.",
  Recipients: "Addresses that get a form's notification email.",
  Images: "Logos for emails and pages.",
  Submissions: "What visitors have sent, the work on it, and statistics of it.",
  "Saved replies": "Texts that a team answers with.",
  "Email servers": "A team's own servers, which its forms can send over.",
  Webhooks: "Where a form's events are sent.",
  Deliveries: "How sending each submission to a webhook went.",
  Emails: "The result of each email about a submission.",
  Messages: "Answers to submissions, and the mails that come back.",
  Suppressions: "Addresses that a team's mail no longer goes to.",
  "Spam model": "What a team's marks of spam and not spam have taught.",
  "Sender domains": "The records that a domain needs before a team's forms may send from it.",
  "Data subjects": "What is held of one person, over all forms.",
  Credentials: "What a key or token is and covers.",
  Service: "The service itself.",
};

const description = `Every request but those of the tag Service carries \`Authorization: Bearer <API key or access token>\`.
JSON in and out, timestamps in ISO 8601 UTC with milliseconds. Every error is the same envelope; \`code\` is stable, \`message\` is
for people and may change. Unknown fields and parameters are refused by name.`;

/** The row that returns the document itself. */
export const openapiRoutes = {
  openapi: route({
    method: "GET",
    path: "/v1/openapi.json",
    call: "openapi",
    summary: "Retrieve the OpenAPI document",
    tag: "Service",
    scopes: null,
    unopened: true,
    response: z.record(z.string(), z.unknown()).meta({ id: "OpenApi" }),
    errors: [],
    // Anybody may ask, so that it is written once and not for each request.
    async handler({ core, http }) {
      if (http) await limitAddress(http);
      return textResponse(core.openapi.text(), 200, { ...dataHeaders, "cache-control": "public, max-age=300" });
    },
  }),
};

/** The OpenAPI document of every row, made at the first call, and as text. */
export function openapiOf(
  routes: Readonly<Record<string, Operation>>,
  options: Options,
): { document(): OpenApiDocument; text(): string } {
  const document = once(() => documentOf(describe(routes), options));
  return { document, text: once(() => JSON.stringify(document())) };
}

/** The part of the document that is the same for all backends. */
function describe(routes: Readonly<Record<string, Operation>>): CommonDocument {
  const book = createSchemaBook();
  const examples: Record<string, { value: unknown }> = {};
  const paths: Record<string, Partial<Record<Lowercase<Method>, OperationObject>>> = {};
  for (const [name, row] of Object.entries(routes)) {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    const method = row.method.toLowerCase() as Lowercase<Method>;
    paths[path] = { ...paths[path], [method]: operationOf(name, row, book, examples) };
  }
  const used = new Set(Object.values(routes).map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: { version: "1", description },
    tags: Object.entries(tags).flatMap(([tag, text]) => (used.has(tag) ? [{ name: tag, description: text }] : [])),
    paths: paths as OpenApiDocument["paths"],
    components: { schemas: book.schemas, examples, headers: sharedHeaders },
  };
}

function operationOf(
  operationId: string,
  row: Operation,
  book: SchemaBook,
  examples: Record<string, { value: unknown }>,
): OperationObject {
  const scopes = row.scopes ?? [];
  const parameters = parametersOf(row, book);
  const body = row.multipart ?? row.body;
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
    // OpenAPI 3.1 allows required scopes for any kind of scheme.
    security: row.scopes === null ? [] : [{ api_key: scopes }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !row.bodyOptional,
        content: { [row.multipart ? "multipart/form-data" : "application/json"]: withExample(book.add(body, "body")) },
      },
    }),
    responses: Object.fromEntries(
      answersOf(row).map((answer) => [answer.status, responseOf(row, answer, book, withExample, examples)]),
    ),
  };
}

function responseOf(
  row: Operation,
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
    const headers = headersOf(status, row.tagged);
    return { description: status < 300 ? "Done." : "Not at the moment.", headers, content };
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
  ETag: { description: "The version of the form and its settings, for `If-Match`.", schema: { type: "string" } },
  RateLimit: { description: "What is left of the rate, and when it is full again.", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The rate.", schema: { type: "string" } },
};

function headersOf(status: number, tagged = false): object {
  const names: (keyof typeof sharedHeaders)[] = ["X-Request-Id"];
  if (tagged) names.push("ETag");
  if (status === 429) names.push("RateLimit", "RateLimit-Policy");
  if (status === 429 || status === 503) names.push("Retry-After");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function scopeSentence({ scopes }: Operation): string {
  if (scopes === null) return "Needs no credential.";
  if (scopes.length === 0) return "Needs a credential, of whatever scope.";
  return `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(" and ")}.`;
}
