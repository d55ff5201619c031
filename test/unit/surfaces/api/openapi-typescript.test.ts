import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import type { OpenApiDocument } from "../../../../src/surfaces/api/document.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";

// A user's program: nothing but the generated types and openapi-fetch.
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

export async function run(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

  const { data: form } = await client.POST("/v1/forms", { body: { name: "Contact", folder_id: null } });
  if (!form) throw new Error("no form");
  const path = { form_id: form.id };
  // @ts-expect-error a recipient has no field of this name
  client.POST("/v1/forms/{form_id}/self-email-notification/recipients", { params: { path }, body: { adress: "ann@example.com" } }).catch(() => {});
  const { data: webhook } = await client.POST("/v1/forms/{form_id}/webhooks", { params: { path }, body: { url: "https://example.com/hook" } });
  const { data: patched } = await client.PATCH("/v1/forms/{form_id}", {
    params: { path },
    body: { after_submit: { page: { theme: "sweet" } }, validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] } },
  });
  const theme: "fancy" | "formal" | "sweet" | undefined = patched?.after_submit.page.theme;

  const logo = new Blob([Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")]);
  const { data: image } = await client.POST("/v1/forms/{form_id}/images", {
    params: { path },
    body: { file: "", use: "after_submit_logo" },
    bodySerializer: ({ use }) => {
      const parts = new FormData();
      parts.set("use", use);
      parts.set("file", logo, "logo.png");
      return parts;
    },
  });

  const { data: page } = await client.GET("/v1/forms/{form_id}/submissions", { params: { path, query: { limit: 1, read: false, status: "all" } } });
  const { data: all } = await client.GET("/v1/submissions", { params: { query: { form_id: [form.id] } } });
  const { data: csv } = await client.GET("/v1/forms/{form_id}/submissions/export", { params: { path }, parseAs: "text" });
  const { data: count } = await client.GET("/v1/forms/{form_id}/submissions/count", { params: { path, query: { group_by: "day" } } });

  const { error, response } = await client.GET("/v1/forms/{form_id}", { params: { path: { form_id: "nope" } } });
  const code: components["schemas"]["Error"]["error"]["code"] | undefined = error?.error.code;
  const { error: refused } = await client.GET("/v1/forms", { params: { query: { limit: 101 } } });
  const { data: health } = await client.GET("/v1/health");
  return { form, webhook, theme, image, page, all, csv, count, code, status: response.status, param: refused?.error.param, health: health?.status };
}
`;

let folder: string;
let backend: TestBackend;
let server: Server;

beforeAll(async () => {
  backend = createTestBackend({ baseUrl: "http://localhost:1/forms" });
  server = createServer(formBackend(backend)).listen(0);
  mkdirSync("node_modules/.cache", { recursive: true });
  folder = mkdtempSync("node_modules/.cache/openapi-");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.close();
  await backend.close();
});

it("types made by openapi-typescript fit a program over openapi-fetch, which works on a live server", async () => {
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}/forms`;
  const document = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as OpenApiDocument;
  writeFileSync(join(folder, "schema.d.ts"), astToString(await openapiTS(document as never)));
  const file = join(folder, "program.ts");
  writeFileSync(file, program);
  expect(faultsOf(file)).toEqual([]);

  const compiled = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  writeFileSync(join(folder, "program.mjs"), compiled.outputText);
  const { run } = (await import(join(process.cwd(), folder, "program.mjs"))) as {
    run: (baseUrl: string, key: string) => Promise<Record<string, unknown>>;
  };
  const result = await run(baseUrl, backend.key);

  expect(result).toMatchObject({
    form: { name: "Contact", folder_id: null },
    webhook: { url: "https://example.com/hook", enabled: true, secret: expect.stringMatching(/^whsec_/) },
    theme: "sweet",
    image: { mime_type: "image/png", width: 1 },
    page: { data: [], has_more: false, next_cursor: null },
    all: { data: [] },
    count: { count: 0, exact: true, groups: [] },
    code: "form_not_found",
    status: 404,
    param: "limit",
    health: "ok",
  });
  expect(result["csv"]).toContain("id,created_at,spam");
});

/** What the TypeScript compiler has to say of a file, under `strict`. */
function faultsOf(file: string): string[] {
  const checked = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: ["node"],
  });
  return ts.getPreEmitDiagnostics(checked).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
