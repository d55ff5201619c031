import type { DatabaseSync } from "node:sqlite";
import { DatabaseSync as Photo } from "@photostructure/sqlite";
import { createPool } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeOf, printedRest, printedSchema } from "../../../../src/drivers/storage/_schema/print.ts";
import type { Database, Tool } from "../../../../src/drivers/storage/_schema/tables.ts";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { collections } from "../../../../src/model/collections.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import {
  drizzleStatements,
  prismaMysqlStatements,
  prismaStatements,
  prismaValidates,
} from "../../../_support/schema-tools.ts";

/** A name that the tools print, and that each test replaces by its own. */
const PLACE = "zz_place_";
const MARIA = /mariadb/i;

/** The statements of a tool for an empty database, then what the tool can't hold. */
async function statementsOf(tool: Tool, database: Database): Promise<readonly string[]> {
  const printed = { tool, database, place: placeOf(database, PLACE) };
  const text = printedSchema(printed);
  if (tool === "sql") return split(text);
  const dialect = database === "postgres" ? "postgresql" : database === "sqlite" ? "sqlite" : "mysql";
  const made =
    tool === "drizzle"
      ? await drizzleStatements(dialect, text)
      : dialect === "mysql"
        ? prismaMysqlStatements(text)
        : await prismaStatements(dialect, text, printed.place);
  return [...made, ...split(printedRest(printed))];
}

/** Statements that end with `;` at the end of a line; the bodies of functions have such lines inside `$$`. */
function split(text: string): string[] {
  const statements: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    open += `${line}\n`;
    const isInside = open.split("$$").length % 2 === 0;
    if (!line.endsWith(";") || isInside) continue;
    statements.push(open.trim().replace(/;$/, ""));
    open = "";
  }
  return statements.filter((statement) => !/^(BEGIN|COMMIT)$/.test(statement));
}

/** Tables in a place of their own, and a store that only checks them. */
interface Made {
  readonly place: string;
  store(): StorageDriver;
  run(sql: string): Promise<unknown>;
}

interface Kind {
  readonly database: Database;
  make(statements: readonly string[]): Promise<Made>;
}

const tableIn = ({ database }: Kind, place: string, name: string): string =>
  database === "postgres" ? `${place}.${name}` : `${place}${name}`;

const at = (statements: readonly string[], place: string): string[] =>
  statements.map((statement) => statement.replaceAll(PLACE, place));

function declareFor(kind: Kind, tools: readonly Tool[]): void {
  const { database, make } = kind;
  describe.each(tools)(`${database}, tables made by %s`, (tool) => {
    let made: Made;
    beforeAll(async () => {
      made = await make(await statementsOf(tool, database));
    }, 120_000);

    it("open() finds everything, and changes nothing", async () => {
      const storage = made.store();
      await storage.open();
      await storage.close();
    });

    if (tool === "sql") return;
    for (const c of storageSuite) {
      it(c.name, async () => {
        for (const collection of Object.keys(collections)) {
          await made.run(`DELETE FROM ${tableIn(kind, made.place, collection)}`);
        }
        await c.run(() => made.store());
      }, 120_000);
    }
  });

  describe(`${database}, with \`migrate: false\``, () => {
    it("open() names the first of what an empty database lacks, and the command that prints it", async () => {
      const { store, place } = await make([]);
      const flag = database === "postgres" ? "schema" : "prefix";
      await expect(store().open()).rejects.toThrow(
        new RegExp(
          `lacks the table .*, and \\d+ more\\. Run what \`npx form-backend schema --database ${database} --${flag} ${place} --sql\` prints`,
        ),
      );
    });

    const table = (place: string, name: string): string => tableIn(kind, place, name);
    const index = (place: string): string =>
      database === "postgres"
        ? `DROP INDEX ${place}.jobs_due`
        : database === "sqlite"
          ? `DROP INDEX ${place}jobs_due`
          : `ALTER TABLE ${place}jobs DROP INDEX due`;
    it.each<[string, (place: string) => string, RegExp]>([
      ["a table", (place) => `DROP TABLE ${table(place, "audit")}`, /lacks the table \w*audit\. Run/],
      ["an index", index, /lacks the index due of \w*jobs \(lane, due_at, id, target\)\. Run/],
      [
        "a column",
        (place) => `ALTER TABLE ${table(place, "submissions")} RENAME COLUMN updated_at TO changed_at`,
        /lacks the column \w*submissions\.updated_at, the index form_updated of/,
      ],
      [
        "a row",
        (place) => `DELETE FROM ${table(place, "migrations")} WHERE id = 3`,
        /lacks the rows 3 of \w*migrations/,
      ],
    ])("open() names %s that is missing", async (_, sql, message) => {
      const { store, place, run } = await make(await statementsOf("sql", database));
      await run(sql(place));
      await expect(store().open()).rejects.toThrow(message);
    });
  });
}

withPostgres((pool) => {
  const kind: Kind = {
    database: "postgres",
    async make(statements) {
      const schema = freshSchema();
      for (const statement of at(statements, schema)) await pool.query(statement);
      const store = () => postgresStorage({ pool, schema, timeoutMs: PATIENT_MS, migrate: false });
      return { store, place: schema, run: (sql) => pool.query(sql) };
    },
  };
  declareFor(kind, ["sql", "drizzle", "prisma"]);

  it("postgres: open() names a function that is missing, and a type or collation that is wrong", async () => {
    const { store, place, run } = await kind.make(await statementsOf("sql", "postgres"));
    await run(`DROP FUNCTION ${place}.write_forms`);
    await expect(store().open()).rejects.toThrow("lacks the function write_forms. Run");
    await run(`ALTER TABLE ${place}.forms ALTER COLUMN data TYPE jsonb`);
    await run(`ALTER TABLE ${place}.keys ALTER COLUMN hash TYPE text COLLATE "und-x-icu"`);
    await expect(store().open()).rejects.toThrow(
      'lacks the collation "C" of the column keys.hash, now und-x-icu, the right type of the column forms.data, now jsonb',
    );
  });
});

withMysql((pool) => {
  let isMaria = true;
  beforeAll(async () => {
    const [rows] = await pool.query("SELECT VERSION() AS version");
    isMaria = MARIA.test((rows as { version: string }[])[0]?.version ?? "");
  });
  const several = createPool({ uri: MYSQL_URL, multipleStatements: true });
  afterAll(() => several.end());
  const kind: Kind = {
    database: "mariadb",
    async make(statements) {
      if (!isMaria) throw new Error("these tests print for MariaDB");
      const prefix = freshPrefix();
      for (const statement of at(statements, prefix)) await several.query(statement);
      const store = () => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS, migrate: false });
      return { store, place: prefix, run: (sql) => several.query(sql) };
    },
  };
  declareFor(kind, ["sql", "drizzle", "prisma"]);

  it("mysql: open() names a collation that would confuse ids", async () => {
    const { store, place, run } = await kind.make(await statementsOf("sql", "mariadb"));
    await run(`ALTER TABLE ${place}keys MODIFY hash VARCHAR(320) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
    await expect(store().open()).rejects.toThrow(
      `lacks the collation utf8mb4_nopad_bin of the column ${place}keys.hash, now utf8mb4_general_ci`,
    );
  });

  it("mysql: Prisma accepts the models", async () => {
    for (const database of ["mysql", "mariadb"] as const) {
      const models = printedSchema({ tool: "prisma", database, place: "fb_" });
      const { ok, output } = await prismaValidates("mysql", models);
      expect(output).toContain("is valid");
      expect(ok).toBe(true);
    }
  }, 300_000);
});

const Sqlite =
  (process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: typeof DatabaseSync } | undefined)?.DatabaseSync ??
  (Photo as unknown as typeof DatabaseSync);
declareFor(
  {
    database: "sqlite",
    async make(statements) {
      const database = new Sqlite(":memory:");
      for (const statement of statements) database.exec(statement);
      const store = () => sqliteStorage({ database, prefix: PLACE, migrate: false });
      return { store, place: PLACE, run: async (sql) => database.exec(sql) };
    },
  },
  ["sql", "drizzle", "prisma"],
);
