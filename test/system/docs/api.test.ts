import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withTables } from "../../../scripts/docs.ts";
import { errors } from "../../../src/errors.ts";
import { deliveryCodes } from "../../../src/model/codes.ts";
import type { OpenApiDocument } from "../../../src/surfaces/api/document.ts";
import { createTestBackend } from "../../../src/surfaces/testing/backend.ts";

const folder = resolve(import.meta.dirname, "../../../docs/api");
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));
const backend = createTestBackend({ baseUrl: "https://app.example.com/forms" });
const document = backend.openapi() as OpenApiDocument;
const { settings, ...form } = await backend.forms.create({ name: "A" });
const defaults = { FormCreate: { ...form, spam: { protection: form.spam.protection } }, FormSettingsPatch: settings };
const sources = { document, errors, defaults };
const read = (file: string): string => readFileSync(resolve(folder, file), "utf8");
const all = pages.map(read).join("\n");

describe("docs/api", () => {
  it.each(pages)("%s has the tables of today; `npm run docs` writes them", async (file) => {
    await expect(withTables(read(file), sources)).toMatchFileSnapshot(resolve(folder, file));
  });

  it("shows every operation, and names every schema", () => {
    const ids = Object.values(document.paths).flatMap((byMethod) =>
      Object.values(byMethod).map(({ operationId }) => operationId),
    );
    expect(ids.filter((id) => !all.includes(`| \`${id}\` |`))).toEqual([]);
    const schemas = Object.keys(document.components.schemas);
    expect(schemas.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });

  it("explains every code of a delivery", () => {
    const page = read("deliveries.md");
    expect(deliveryCodes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("has links that lead somewhere", () => {
    const broken = pages.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
        .filter(([, target = "", anchor]) => {
          const to = target === "" ? file : basename(target);
          if (target !== "" && !pages.includes(to)) return target.startsWith("../") ? !readable(target) : true;
          const headings = [...read(to).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => slug(text));
          return anchor !== undefined && !headings.includes(anchor);
        })
        .map(([link]) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it("is linked from its first page", () => {
    const index = read("README.md");
    expect(pages.filter((file) => file !== "README.md" && !index.includes(`(${file})`))).toEqual([]);
  });

  it("refuses a table that does not exist", () => {
    const block = (words: string) => withTables(`<!-- table: ${words} -->\n<!-- /table -->`, sources);
    for (const words of [
      "nothing",
      "operations Nothing",
      "parameters nothing",
      "fields Nothing",
      "body Nothing",
      "example Nothing",
    ]) {
      expect(() => block(words), words).toThrow("there is no");
    }
    expect(block("fields FormDeleted")).toContain("| `deleted` | `true` |");
  });
});

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

function readable(target: string): boolean {
  try {
    readFileSync(resolve(folder, target));
    return true;
  } catch {
    return false;
  }
}
