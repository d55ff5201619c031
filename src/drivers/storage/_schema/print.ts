import { migrations as mysqlMigrations, mysqlSchemaSql } from "../_mysql/migrations.ts";
import { createFunctions } from "../_postgres/functions.ts";
import {
  checkedSchema,
  DEFAULT_SCHEMA,
  indexSql,
  postgresMigrations,
  migrations as postgresSteps,
} from "../_postgres/migrations.ts";
import { qualified, sqlTypes } from "../_postgres/table.ts";
import { indexName, quote, tableName } from "../_sql/sql.ts";
import { currentTables, tables } from "../_sql/tables.ts";
import { migrations as sqliteMigrations, stepsOf } from "../_sqlite/migrations.ts";
import { collationOf, drizzleSchema } from "./drizzle.ts";
import { prismaSchema } from "./prisma.ts";
import { type Database, type Described, describedTables, type Printed } from "./tables.ts";

/** The place as the stores have it by default. Throws a `TypeError` for a name that can't be one. */
export function placeOf(database: Database, given?: string): string {
  if (database === "postgres") return checkedSchema(given ?? DEFAULT_SCHEMA);
  const prefix = given ?? "fb_";
  if (/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(prefix)) return prefix;
  throw new TypeError(
    `[form-backend] ${database}: prefix "${prefix}" may contain only letters, digits and _, 32 at most`,
  );
}

/** The tables for a host's own migrations. */
export function printedSchema(printed: Printed): string {
  const { tool, database, place } = printed;
  if (tool === "drizzle") return drizzleSchema(printed);
  if (tool === "prisma") return prismaSchema(printed);
  if (database === "postgres") return postgresMigrations({ schema: place });
  const statements =
    database === "sqlite"
      ? stepsOf(place, sqliteMigrations, new Date().toISOString())
      : mysqlSchemaSql(place, collationOf(database));
  return `${statements.join(";\n")};\n`;
}

/** As SQL, what the schema of a tool can't hold. It may run again. */
export function printedRest(printed: Printed): string {
  const { database, place, tool } = printed;
  const described = describedTables(database);
  const statements =
    database === "postgres"
      ? [...(tool === "prisma" ? prismaPostgres(place, described) : []), ...postgresRest(place)]
      : database === "sqlite"
        ? [...(tool === "prisma" ? prismaSqlite(place, described) : []), ...sqliteRest(place)]
        : [...(tool === "prisma" ? prismaMysql(printed, described) : []), ...mysqlRest(place)];
  return `${statements.join(";\n")};\n`;
}

/** Functions, and the list of migrations. */
function postgresRest(schema: string): string[] {
  const functions = Object.entries(tables).flatMap(([id, frozen]) => createFunctions(schema, frozen, Number(id)));
  const rows = postgresSteps.map(({ id, name, breaking }) => `(${id}, '${name}', ${breaking})`);
  return [
    ...functions.map((sql) => sql.replace(/^CREATE FUNCTION/, "CREATE OR REPLACE FUNCTION")),
    `INSERT INTO ${qualified(schema, "migrations")} (id, name, breaking) VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING`,
  ];
}

const sqliteRest = (prefix: string): string[] => {
  const rows = sqliteMigrations.map(
    ({ id, name, breaking }) => `(${id}, '${name}', ${Number(breaking)}, '${new Date().toISOString()}')`,
  );
  return [
    `INSERT OR IGNORE INTO ${quote(`${prefix}migrations`)} (id, name, breaking, applied_at) VALUES ${rows.join(", ")}`,
  ];
};

const mysqlRest = (prefix: string): string[] => {
  const rows = mysqlMigrations.map(
    ({ id, name, breaking }) => `(${id}, '${name}', ${Number(breaking)}, '${new Date().toISOString()}', UUID())`,
  );
  return [
    `INSERT IGNORE INTO \`${prefix}migrations\` (id, name, breaking, applied_at, mark) VALUES ${rows.join(", ")}`,
  ];
};

/** Prisma knows neither collations nor partial indexes; it leaves both alone later. */
function prismaPostgres(schema: string, described: readonly Described[]): string[] {
  return described.flatMap(({ collection, columns, indexes }) => {
    const texts = columns.filter(({ kind }) => ["id", "text", "short", "time"].includes(kind));
    const changes = texts.map(({ name }) => `ALTER COLUMN ${name} TYPE ${sqlTypes.text}`);
    return [
      `ALTER TABLE ${qualified(schema, collection)} ${changes.join(", ")}`,
      ...indexes.flatMap((index) => [
        `DROP INDEX IF EXISTS ${qualified(schema, `${collection}_${index.name}`)}`,
        indexSql(schema, { collection, ...index }),
      ]),
    ];
  });
}

const prismaSqlite = (prefix: string, described: readonly Described[]): string[] =>
  described.flatMap(({ collection, indexes }) =>
    indexes.flatMap(({ name, keys, sort }) => [
      `DROP INDEX IF EXISTS ${indexName(prefix, collection, name)}`,
      `CREATE INDEX ${indexName(prefix, collection, name)} ON ${tableName(prefix, collection)} (${keys.join(", ")}) WHERE ${sort} IS NOT NULL`,
    ]),
  );

/** It knows neither collations nor computed columns. */
function prismaMysql({ database, place }: Printed, described: readonly Described[]): string[] {
  const collation = collationOf(database);
  const table = (collection: string): string => `\`${place}${collection}\``;
  const jobs = currentTables.has("jobs")
    ? [
        `ALTER TABLE ${table("jobs")} MODIFY due_lane VARCHAR(32) CHARACTER SET utf8mb4 COLLATE ${collation} GENERATED ALWAYS AS (IF(due_at IS NULL, NULL, lane)) STORED`,
      ]
    : [];
  return [
    ...described.map(
      ({ collection }) => `ALTER TABLE ${table(collection)} CONVERT TO CHARACTER SET utf8mb4 COLLATE ${collation}`,
    ),
    ...jobs,
  ];
}
