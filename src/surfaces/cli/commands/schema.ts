import { Option } from "commander";
import type { Database, Tool } from "../../../drivers/storage/_schema/tables.ts";
import type { Register } from "../declare.ts";
import { databaseOf } from "../drivers.ts";
import { misuse } from "../failure.ts";

interface Given {
  readonly drizzle?: true;
  readonly prisma?: true;
  readonly sql?: true;
  readonly database?: Database;
  readonly schema?: string;
  readonly prefix?: string;
  readonly rest?: true;
}

/** `schema`. */
export const schemaCommands: Register = (program, { store, action }) => {
  store(
    program
      .command("schema")
      .description("Print the tables of the store for your own migrations. Open the store with `migrate: false` then.")
      .option("--drizzle", "print a file for Drizzle")
      .option("--prisma", "print models for Prisma")
      .option("--sql", "print SQL")
      .option("--rest", "print, as SQL, what a schema of Drizzle or Prisma can't hold; run it after their migration")
      .addOption(
        new Option("--database <kind>", "the database; default: that of DATABASE_URL, or postgres").choices([
          "postgres",
          "mysql",
          "mariadb",
          "sqlite",
        ]),
      )
      .option("--schema <name>", "the schema of the tables in PostgreSQL (default: form_backend)")
      .option("--prefix <text>", "the prefix of the tables in MySQL and SQLite (default: fb_)"),
  ).action(
    action(async ({ io, json, show }, given: Given) => {
      const tool = toolOf(given);
      const database = given.database ?? databaseOf(io.env) ?? "postgres";
      const isPostgres = database === "postgres";
      if (given.prefix !== undefined && isPostgres) throw misuse("PostgreSQL has a schema of its own: use --schema.");
      if (given.schema !== undefined && !isPostgres) throw misuse("--schema is for PostgreSQL: use --prefix.");
      if (given.rest && tool === "sql")
        throw misuse("--rest goes with --drizzle or --prisma: --sql prints everything.");
      const { placeOf, printedRest, printedSchema } = await import("../../../drivers/storage/_schema/print.ts");
      const place = checked(() => placeOf(database, given.schema ?? given.prefix));
      const text = given.rest ? printedRest({ tool, database, place }) : printedSchema({ tool, database, place });
      await (json ? show({ database, tool, text }) : io.out(text));
    }),
  );
};

function toolOf({ drizzle, prisma, sql }: Given): Tool {
  const tools = [drizzle && "drizzle", prisma && "prisma", sql && "sql"].filter((tool) => tool !== undefined);
  const [tool] = tools;
  if (tools.length !== 1 || !tool) throw misuse("Choose one of --drizzle, --prisma and --sql.");
  return tool as Tool;
}

function checked(place: () => string): string {
  try {
    return place();
  } catch (error) {
    throw misuse((error as Error).message.replace(/^\[form-backend\] /, ""));
  }
}
