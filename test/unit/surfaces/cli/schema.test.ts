import { describe, expect, it } from "vitest";
import { collections } from "../../../../src/model/collections.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const schema = (env: Record<string, string>, ...args: string[]) => terminal({ env }).cli("schema", ...args);

describe("schema prints every table", () => {
  const tools = ["--drizzle", "--prisma", "--sql"];
  const databases = ["postgres", "mysql", "mariadb", "sqlite"];
  it.each(tools.flatMap((tool) => databases.map((database) => [tool, database] as const)))(
    "%s for %s",
    async (tool, database) => {
      const { code, out } = await schema({}, tool, "--database", database);
      expect(code).toBe(0);
      for (const collection of [...Object.keys(collections), "migrations"]) {
        const name = database === "postgres" ? collection : `fb_${collection}`;
        expect(out).toMatch(new RegExp(`["\`]${name}["\`]`));
      }
    },
  );

  it("of the database in DATABASE_URL, otherwise of PostgreSQL", async () => {
    expect((await schema({}, "--sql")).out).toContain('CREATE SCHEMA IF NOT EXISTS "form_backend"');
    const url = { DATABASE_URL: "mysql://u:hidden@h/d" };
    expect((await schema(url, "--sql")).out).toContain("COLLATE utf8mb4_0900_bin");
    expect((await schema(url, "--sql", "--database", "mariadb")).out).toContain("COLLATE utf8mb4_nopad_bin");
    expect((await schema(url, "--drizzle", "--database", "sqlite")).out).toContain("drizzle-orm/sqlite-core");
  });

  it("under the names that the stores are given", async () => {
    expect((await schema({}, "--drizzle", "--schema", "forms")).out).toContain('pgSchema("forms")');
    const { out } = await schema({}, "--prisma", "--database", "sqlite", "--prefix", "app_");
    expect(out).toContain('@@map("app_submissions")');
    expect(out).toContain('map: "app_submissions_form_spam"');
  });

  it("in `public` without a schema of its own", async () => {
    const { out } = await schema({}, "--drizzle", "--schema", "public");
    expect(out).toContain("pgTable(");
    expect(out).not.toContain("pgSchema");
  });

  it("and, with --rest, what the tool can't hold", async () => {
    const drizzle = (await schema({}, "--drizzle", "--rest")).out;
    expect(drizzle).toContain('CREATE OR REPLACE FUNCTION "form_backend"."write_forms"');
    expect(drizzle).toContain("ON CONFLICT DO NOTHING");
    expect(drizzle).not.toContain("ALTER TABLE");
    const prisma = (await schema({}, "--prisma", "--rest")).out;
    expect(prisma).toContain('ALTER COLUMN id TYPE text COLLATE "C"');
    expect(prisma).toContain("WHERE due_at > ''");
  });

  it("as one line of JSON", async () => {
    const [printed] = parsed((await schema({}, "--sql", "--database", "sqlite", "--json")).out);
    expect(printed).toMatchObject({ database: "sqlite", tool: "sql" });
    expect(printed?.["text"]).toContain('CREATE TABLE "fb_forms"');
  });
});

describe("schema is refused with 64", () => {
  it.each<[string[], RegExp]>([
    [[], /Choose one of --drizzle, --prisma and --sql/],
    [["--drizzle", "--sql"], /Choose one of/],
    [["--sql", "--database", "oracle"], /Allowed choices are postgres, mysql, mariadb, sqlite/],
    [["--sql", "--prefix", "x_"], /PostgreSQL has a schema of its own: use --schema/],
    [["--sql", "--database", "mysql", "--schema", "x"], /use --prefix/],
    [["--sql", "--rest"], /--sql prints everything/],
    [["--sql", "--schema", "a b"], /schema "a b" must be up to 63 letters/],
    [["--sql", "--database", "sqlite", "--prefix", "a'b"], /may contain only letters/],
  ])("%j", async (args, message) => {
    const { code, err } = await schema({}, ...args);
    expect(err).toMatch(message);
    expect(code).toBe(64);
  });
});
