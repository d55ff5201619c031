import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { createFormBackend, memoryStorage } from "../../../src/index.ts";

it("form-backend/openapi.json is valid, and the document of a backend whose address is not known yet", async () => {
  const document = JSON.parse(readFileSync("dist/openapi.json", "utf8")) as { servers: unknown; paths: object };
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  expect(valid, JSON.stringify(errors)).toBe(true);
  const backend = createFormBackend({
    baseUrl: "https://app.example.com/forms",
    storage: memoryStorage(),
    work: false,
  });
  await backend.ready();
  const { servers, ...rest } = backend.openapi() as Record<string, unknown>;
  expect(document).toEqual({ ...JSON.parse(JSON.stringify(rest)), servers: document.servers });
  expect(servers).toEqual([{ url: "https://app.example.com/forms" }]);
  expect(document.servers).toMatchObject([
    { url: "{base_url}", variables: { base_url: { default: "https://app.example.com/forms" } } },
  ]);
  await backend.close();
});
