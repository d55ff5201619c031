import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../_support/bundle.ts";

const entry = "dist/client.js";
mkdirSync("node_modules/.cache", { recursive: true });
const folder = mkdtempSync("node_modules/.cache/client-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("form-backend/client in a browser", () => {
  let file: string;
  beforeAll(async () => {
    file = await bundle(entry, {
      platform: "browser",
      minify: true,
      metafile: true,
      skipNodeModulesBundle: false,
      noExternal: [/./],
    });
  });

  it("bundles without anything of Node or of the server, in less than 25 KB", () => {
    const code = readFileSync(file, "utf8");
    expect(code).not.toMatch(/node:|require\(|process\.(env|versions)|Buffer\.|createHmac|strictObject|toJSONSchema/);
    expect(Buffer.byteLength(code)).toBeLessThan(25 * 1024);
    const { inputs } = JSON.parse(readFileSync(join(dirname(file), "metafile-esm.json"), "utf8")) as { inputs: object };
    const packages = Object.keys(inputs).flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(["destr", "ofetch", "ufo"]);
  });

  it("runs as bundled", async () => {
    const { createClient, ApiError } = (await import(file)) as typeof import("../../../src/surfaces/client/index.ts");
    const asked: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(request.url);
      return Response.json(
        { error: { type: "permission_error", code: "team_inactive", message: "No." } },
        { status: 403 },
      );
    };
    const client = createClient({ baseUrl: "https://app.example.com/forms", token: "t", fetch });
    await expect(client.listForms({ limit: 3 })).rejects.toBeInstanceOf(ApiError);
    expect(asked).toEqual(["https://app.example.com/forms/v1/forms?limit=3"]);
  });
});

describe("its types", () => {
  const program = (declaration: string): string => `
    import { createClient, type ErrorCode } from "${declaration}";
    export async function run() {
      const client = createClient({ baseUrl: "https://app.example.com/forms", token: "t" });
      const page = await client.listForms({ limit: 3 });
      const theme: "fancy" | "formal" | "sweet" | undefined = page.data[0]?.after_submit.page.theme;
      for await (const { fields } of client.listSubmissions.all({ form_id: "x", read: false })) fields[0]?.value satisfies string | undefined;
      // @ts-expect-error a limit is a number
      client.listForms({ limit: "3" });
      // @ts-expect-error there is no such theme
      client.updateForm({ form_id: "x", after_submit: { page: { theme: "dark" } } });
      // @ts-expect-error there is no such code
      const code: ErrorCode = "nope";
      return { theme, code };
    }`;

  it("are whole in a program for browsers, which knows nothing of Node", () => {
    const file = join(folder, "program.ts");
    writeFileSync(file, program(join(process.cwd(), "dist/client.js")));
    const checked = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
      types: [],
    });
    const faults = ts
      .getPreEmitDiagnostics(checked)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    expect(faults).toEqual([]);
  });

  it("name no module of the table in what runs", () => {
    expect(readFileSync(entry, "utf8")).not.toMatch(/table|routes|zod/);
  });
});
