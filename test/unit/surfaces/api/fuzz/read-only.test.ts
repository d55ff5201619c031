import { describe, expect, it } from "vitest";
import type { Route } from "../../../../../src/core/http/route.ts";
import type { OpenApiDocument } from "../../../../../src/surfaces/api/document.ts";
import { exampleOf } from "../../../../../src/surfaces/api/examples.ts";
import { createSchemaBook } from "../../../../../src/surfaces/api/schema-book.ts";
import { routes } from "../../../../../src/surfaces/api/table.ts";
import { harness } from "../../../../_support/backend.ts";
import { type JsonSchema, resolved, type Schemas } from "./_values.ts";

const document = harness().openapi() as OpenApiDocument;
const schemas = document.components.schemas as Schemas;
const patches = Object.entries(routes as unknown as Record<string, Route>).filter(
  ([, { method }]) => method === "PATCH",
);

/** Paths of an answer's members that the request does not take, each as deep as the request knows its holder. */
function readOnly(answer: JsonSchema, request: JsonSchema, at: readonly string[] = []): string[][] {
  const known = resolved(request, schemas).properties ?? {};
  return Object.entries(resolved(answer, schemas).properties ?? {}).flatMap(([name, member]) => {
    const path = [...at, name];
    const taken = known[name];
    if (!taken) return [path];
    return resolved(taken, schemas).properties ? readOnly(member, taken, path) : [];
  });
}

/** Every object of a request, where something unknown could stand. */
const holders = (request: JsonSchema, at: readonly string[] = []): string[][] => [
  [...at],
  ...Object.entries(resolved(request, schemas).properties ?? {}).flatMap(([name, member]) =>
    resolved(member, schemas).properties ? holders(member, [...at, name]) : [],
  ),
];

const holding = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight(
    (inner: unknown, name) => Object.defineProperty({}, name, { value: inner, enumerable: true }),
    value,
  );

describe.each(patches)("%s refuses by its dot path", (id, row) => {
  const book = createSchemaBook();
  const request = book.add(row.body!, "body") as JsonSchema;
  const answer = book.add(row.response, "answer");
  const example = exampleOf(answer)?.value;
  const paths = readOnly(answer as JsonSchema, request);

  async function patch(body: unknown) {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    const submission = await b.submit(form.id, { fields: { a: "1" } });
    const reply = await b.savedReplies.create({ name: "Thanks", text: "Hello" });
    const ids: Record<string, string> = {
      form_id: form.id,
      webhook_id: webhook.id,
      submission_id: submission.id,
      reply_id: reply.id,
    };
    return b.call(
      "PATCH",
      row.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? ""),
      { body },
    );
  }

  it(`has members that can't be changed, and an example of them`, () => {
    expect(paths.length, id).toBeGreaterThan(0);
    expect(example).toBeDefined();
  });

  it.each(paths.map((path) => [path.join("."), path] as const))(
    "read-only %s, even with the value that it has",
    async (param, path) => {
      const value = path.reduce((inner, name) => Reflect.get(inner as object, name), example);
      const { status, json } = await patch(holding(path, value ?? null));
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
      expect(json.error.message).toMatch(/^`[\w.]+` is (read-only|not set here)/);
    },
  );

  it.each(
    holders(request).flatMap((at) =>
      ["unknown", "__proto__", "constructor"].map((name) => [[...at, name].join("."), [...at, name]] as const),
    ),
  )("unknown %s", async (param, path) => {
    const { status, json } = await patch(holding(path, "x"));
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });

  it("nothing, where nothing is sent", async () => {
    expect((await patch({})).status).toBe(200);
  });
});
