import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Route } from "../../../../src/core/http/route.ts";
import { errors } from "../../../../src/errors.ts";
import type { OpenApiDocument } from "../../../../src/surfaces/api/document.ts";
import { exampleOf } from "../../../../src/surfaces/api/examples.ts";
import { createSchemaBook } from "../../../../src/surfaces/api/schema-book.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import { harness } from "../../../_support/backend.ts";

const rows = Object.entries(routes) as unknown as [string, Route][];
const documentOf = (options = {}): OpenApiDocument => harness(options).openapi() as OpenApiDocument;
const document = documentOf();
const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);
const operation = (id: string) => operations.find(({ operationId }) => operationId === id)!;

describe("GET /v1/openapi.json", () => {
  it("answers the document to anybody, as backend.openapi() does", async () => {
    const b = harness();
    const { status, json } = await b.call("GET", "/v1/openapi.json", { key: null });
    expect(status).toBe(200);
    expect(json).toEqual(JSON.parse(JSON.stringify(b.openapi())));
  });

  it("is valid OpenAPI 3.1 to a public validator, with and without OAuth", async () => {
    for (const options of [{}, { oauth: { issuer: "https://id.example.com/", audience: "api" } }]) {
      const validator = new Validator();
      const { valid, errors: faults } = await validator.validate(structuredClone(documentOf(options)) as never);
      expect(faults, JSON.stringify(faults)).toBeUndefined();
      expect([valid, validator.version]).toEqual([true, "3.1"]);
      // Every $ref leads somewhere.
      expect(() => validator.resolveRefs()).not.toThrow();
    }
  });

  it("has its server from `baseUrl` and its title from `brand.name`", () => {
    const { servers, info } = documentOf({ baseUrl: "https://app.example.com/forms/", brand: { name: "Acme" } });
    expect([servers, info.title]).toEqual([[{ url: "https://app.example.com/forms" }], "Acme Management API"]);
  });

  it("knows how to authenticate: API keys always, access tokens where OAuth is configured", () => {
    expect(document.components.securitySchemes["api_key"]).toMatchObject({ type: "http", scheme: "bearer" });
    expect(Object.keys(document.components.securitySchemes)).toEqual(["api_key"]);
    const withOauth = documentOf({ oauth: { issuer: "https://id.example.com/", audience: "api" } });
    expect(withOauth.components.securitySchemes["oauth"]).toMatchObject({
      type: "openIdConnect",
      openIdConnectUrl: "https://id.example.com/.well-known/openid-configuration",
    });
    expect(withOauth.paths["/v1/forms"]?.["get"]?.security).toEqual([
      { api_key: ["forms:read"] },
      { oauth: ["forms:read"] },
    ]);
  });
});

describe.each(rows)("operation %s", (id, row) => {
  const described = operation(id);

  it("stands at its method and path, under its tag, with its scopes", () => {
    expect([described.method, described.path]).toEqual([row.method, row.path.replace(/:(\w+)/g, "{$1}")]);
    expect([described.summary, described.tags]).toEqual([row.summary, [row.tag]]);
    expect(described.security).toEqual(row.scopes === null ? [] : [{ api_key: row.scopes }]);
    expect(document.tags.map(({ name }) => name)).toContain(row.tag);
  });

  it("names every parameter of its path and query", () => {
    const names = (place: string) => (described.parameters ?? []).filter((p) => p.in === place).map(({ name }) => name);
    const keys = (schema: z.ZodType | undefined) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
    expect(names("path")).toEqual([...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    expect(names("path").sort()).toEqual(keys(row.params).sort());
    expect(names("query")).toEqual(keys(row.query));
  });

  it("has each of its error codes at its status, with an example", () => {
    for (const code of row.errors) {
      const response = described.responses[errors[code].status];
      expect(response?.["x-error-codes"], code).toContain(code);
    }
    for (const [status, response] of Object.entries(described.responses)) {
      const codes = (response["x-error-codes"] ?? []) as (keyof typeof errors)[];
      for (const code of codes) expect(errors[code].status, code).toBe(Number(status));
      const examples = response.content["application/json"]?.examples ?? {};
      if (codes.length > 0) expect(Object.keys(examples)).toEqual(codes);
    }
  });

  it("shows an example of what it takes and answers, which its schema accepts", () => {
    const book = createSchemaBook();
    // A multipart body is described by its parts, and its row takes what is made of them.
    for (const schema of [row.multipart ?? row.body, row.response]) {
      if (!schema) continue;
      const example = exampleOf(book.add(schema, schema === row.response ? "answer" : "body"));
      expect(example, `an example of ${id}`).not.toBeNull();
      const parsed = schema.safeParse(example?.value);
      expect(parsed.error?.issues, example?.name).toBeUndefined();
      if (schema === row.response) expect(parsed.data).toEqual(example?.value);
      expect(document.components.examples[example?.name ?? ""]?.value).toEqual(example?.value);
    }
  });
});

describe("the document", () => {
  it("has an operation for every row and no other", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(rows.map(([id]) => id).sort());
  });

  it("implies the codes that every operation behind a credential has", () => {
    expect(operation("me").responses["401"]?.["x-error-codes"]).toEqual([
      "missing_bearer",
      "invalid_key",
      "wrong_audience",
    ]);
    expect(operation("me").responses["403"]?.["x-error-codes"]).toEqual(["team_inactive", "owner_unverified"]);
    expect(operation("updateForm").responses["403"]?.["x-error-codes"]).toEqual([
      "insufficient_scope",
      "cross_site_request",
      "form_access_restricted",
      "team_inactive",
      "owner_unverified",
      "plan_restricted",
    ]);
    const statuses = Object.keys(operation("updateForm").responses);
    expect(statuses).toEqual(["200", "400", "401", "403", "404", "408", "412", "413", "415", "429", "500", "503"]);
    expect(Object.keys(operation("health").responses)).toEqual(["200", "400", "500", "503"]);
  });

  it("keeps answers open for more members, and requests closed", () => {
    const { Form, FormPatch, SubmissionBulk } = document.components.schemas;
    expect(JSON.stringify(Form)).not.toContain("additionalProperties");
    expect([FormPatch?.["additionalProperties"], SubmissionBulk?.["additionalProperties"]]).toEqual([false, false]);
  });

  it("says defaults of bodies in words, so that generated types leave those members optional", () => {
    expect(document.components.schemas["WebhookCreate"]).not.toHaveProperty("required");
    expect(document.components.schemas["WebhookCreate"]).toMatchObject({
      properties: { enabled: { type: "boolean", description: "Default: true." } },
    });
    expect(JSON.stringify(document.components.schemas)).not.toContain('"default":');
  });

  it("writes patterns that mean the same without flags", () => {
    const { Form } = document.components.schemas;
    const colour = (
      Form as {
        properties: { after_submit: { properties: { page: { properties: Record<string, { pattern: string }> } } } };
      }
    ).properties.after_submit.properties.page.properties["primary_color"]!.pattern;
    for (const value of ["#FFF", "#abc", "#2563EB"]) expect(value).toMatch(new RegExp(colour, "u"));
  });

  it("refuses two schemas under one name", () => {
    const book = createSchemaBook();
    book.add(z.object({ a: z.string() }).meta({ id: "Twice" }), "answer");
    expect(() => book.add(z.object({ b: z.string() }).meta({ id: "Twice" }), "answer")).toThrow("named Twice");
  });
});
