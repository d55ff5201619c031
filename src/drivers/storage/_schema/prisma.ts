import { type Described, describedTables, type Kind, listTable, type Printed } from "./tables.ts";

/** The tables as models of Prisma. */
export function prismaSchema({ database, place }: Printed): string {
  const isMysql = database === "mysql" || database === "mariadb";
  const types = isMysql ? mysql : database === "postgres" ? postgres : sqlite;
  const model = ({ collection, columns, primary, indexes }: Described): string => {
    const lines = columns.map(({ name, kind, required }) => {
      const [type, ...attributes] = (isMysql && name === "mark" ? MARK : types[kind]).split(" ");
      const isKey = primary.length === 1 && primary[0] === name;
      return ["", name, `${type}${required ? "" : "?"}`, ...(isKey ? ["@id"] : []), ...attributes].join(" ").trim();
    });
    const by = (keys: readonly string[]): string => `[${keys.join(", ")}]`;
    if (primary.length > 1) lines.push("", `@@id(${by(primary)})`);
    for (const { name, keys } of indexes) {
      const known = isMysql ? name : `${database === "sqlite" ? place : ""}${collection}_${name}`;
      lines.push(`@@index(${by(keys)}, map: "${known}")`);
    }
    lines.push(`@@map("${database === "postgres" ? collection : `${place}${collection}`}")`);
    if (database === "postgres") lines.push(`@@schema("${place}")`);
    return `model FormBackend${pascal(collection)} {\n${lines.map((line) => (line ? `  ${line}` : "")).join("\n")}\n}`;
  };
  const head =
    database === "postgres" ? [`// The datasource needs: schemas = [${JSON.stringify(place)}, …your own]`, ""] : [];
  return [...head, [...describedTables(database), listTable(database)].map(model).join("\n\n"), ""].join("\n");
}

const pascal = (name: string): string => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

const strings = { text: "String", id: "String", short: "String", time: "String" };

const postgres: Record<Kind, string> = {
  ...strings,
  small: "Int",
  integer: "BigInt",
  boolean: "Boolean",
  data: "Json @db.Json",
  stamp: "DateTime @default(now()) @db.Timestamptz",
};

/** A UUID. */
const MARK = "String @db.VarChar(36)";

const mysql: Record<Kind, string> = {
  id: "String @db.VarChar(360)",
  text: "String @db.VarChar(320)",
  time: "String @db.VarChar(40)",
  stamp: "String @db.VarChar(40)",
  // As short as in our own tables: all columns of an index of MySQL have to fit into 3,072 bytes.
  short: "String @db.VarChar(32)",
  small: "Int",
  integer: "BigInt",
  boolean: "Boolean",
  data: "String @db.LongText",
};

const sqlite: Record<Kind, string> = {
  ...strings,
  small: "Int",
  integer: "BigInt",
  boolean: "Boolean",
  data: "String",
  stamp: "String",
};
