import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { typeTables } from "../../scripts/types.ts";

const folder = resolve(import.meta.dirname, "../../docs");
const read = (file: string): string => readFileSync(resolve(folder, file), "utf8");
const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".md") && !file.includes("node_modules") && /<!-- (options|calls): /.test(read(file)),
);
const tables = typeTables([
  "src/index.ts",
  "src/drivers/storage/sqlite.ts",
  "src/drivers/storage/postgres.ts",
  "src/drivers/mailer/smtp.ts",
  "src/drivers/queue/bullmq.ts",
  "src/drivers/queue/postgres.ts",
]);

describe("tables from types", () => {
  it.each(pages)("%s has the tables of today; `npm run docs` writes them", async (file) => {
    await expect(tables.fill(read(file))).toMatchFileSnapshot(resolve(folder, file));
  });

  it("refuses a type that does not exist", () => {
    expect(() => tables.fill("<!-- options: Nothing -->\n<!-- /options -->")).toThrow("there is no type Nothing");
  });
});
