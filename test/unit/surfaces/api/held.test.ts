import { expect, it } from "vitest";
import type { OpenApiDocument } from "../../../../src/surfaces/api/document.ts";
import { harness } from "../../../_support/backend.ts";
import { heldTo } from "../../../_support/held-to-openapi.ts";

it("answers of tests are held against the OpenAPI document", async () => {
  const b = harness();
  const hold = heldTo(b.openapi() as OpenApiDocument);
  const { id } = await b.forms.create({ name: "A" });
  const { json } = await b.call("GET", `/v1/forms/${id}`);
  expect(() => hold("GET", `/v1/forms/${id}?x=1`, 200, json)).not.toThrow();
  expect(() => hold("GET", `/v1/forms/${id}`, 200, { ...json, name: 5 })).toThrow("differently than openapi.json says");
  const { name: _, ...nameless } = json;
  expect(() => hold("GET", `/v1/forms/${id}`, 200, nameless)).toThrow("differently than openapi.json says");
  expect(() => hold("GET", `/v1/forms/${id}`, 418, json)).toThrow("which openapi.json does not name");
  expect(() => hold("GET", "/v1/nowhere", 404, json)).not.toThrow();
});
