import { type Column, type Described, describedTables, type Kind, listTable, type Printed } from "./tables.ts";

/** The tables as a file of Drizzle. */
export function drizzleSchema({ database, place }: Printed): string {
  const tables = [...describedTables(database), listTable(database)];
  const { core, own, header, types, table } = dialects(database, place);
  const used = new Set<string>();
  const bodies = tables.map((described) => {
    const columns = described.columns.map((column) => {
      const isKey = described.primary.length === 1 && described.primary[0] === column.name;
      const type = types[column.kind];
      const call = type(column.name);
      const [name] = /^\w+/.exec(call) ?? [""];
      used.add(name);
      return `    ${column.name}: ${call}${isKey ? ".primaryKey()" : column.required ? ".notNull()" : ""}${generated(column, used)},`;
    });
    const extras = extrasOf(described, database, place, used);
    const name = `formBackend${pascal(described.collection)}`;
    const more = extras.length > 0 ? `,\n  (t) => [\n${extras.map((line) => `    ${line},`).join("\n")}\n  ]` : "";
    return `export const ${name} = ${table(described.collection)},\n  {\n${columns.join("\n")}\n  }${more},\n);`;
  });
  const builtin = [...used].filter((name) => !own.some((line) => line.startsWith(`const ${name} `)) && name !== "sql");
  const isIn = (name: string) => own.some((line) => line.includes(name)) || header.some((line) => line.includes(name));
  const imported = [
    ...builtin,
    ...["customType", "pgSchema", "pgTable", "mysqlTable", "sqliteTable"].filter(
      (name) => isIn(`${name}<`) || isIn(`${name}(`) || table("").startsWith(name),
    ),
  ];
  return [
    ...(used.has("sql") ? ['import { sql } from "drizzle-orm";'] : []),
    `import { ${[...new Set(imported)].sort().join(", ")} } from "drizzle-orm/${core}";`,
    "",
    ...own,
    ...header,
    bodies.join("\n\n"),
    "",
  ].join("\n");
}

const pascal = (name: string): string => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

function generated({ isLane }: Column, used: Set<string>): string {
  if (!isLane) return "";
  used.add("sql");
  return '.generatedAlwaysAs(sql`(if(due_at is null,null,lane))`, { mode: "stored" })';
}

function extrasOf(
  { collection, primary, indexes }: Described,
  database: Printed["database"],
  place: string,
  used: Set<string>,
): string[] {
  const keys = (names: readonly string[]): string => names.map((name) => `t.${name}`).join(", ");
  const lines: string[] = [];
  if (primary.length > 1) {
    used.add("primaryKey");
    lines.push(`primaryKey({ columns: [${keys(primary)}] })`);
  }
  for (const { name, keys: by, sort } of indexes) {
    used.add("index");
    const isMysql = database === "mysql" || database === "mariadb";
    if (!isMysql) used.add("sql");
    const known = database === "sqlite" ? `${place}${collection}_${name}` : isMysql ? name : `${collection}_${name}`;
    // A condition of its own makes a query of the work list select one of two indexes.
    const condition = database === "postgres" && collection === "jobs" && name === "due" ? "> ''" : "IS NOT NULL";
    lines.push(`index("${known}").on(${keys(by)})${isMysql ? "" : `.where(sql\`${sort} ${condition}\`)`}`);
  }
  return lines;
}

interface Dialect {
  readonly core: string;
  /** Declarations of types that Drizzle lacks. */
  readonly own: readonly string[];
  readonly header: readonly string[];
  readonly types: Record<Kind, (name: string) => string>;
  table(collection: string): string;
}

function dialects(database: Printed["database"], place: string): Dialect {
  if (database === "sqlite") {
    const text = (name: string) => `text("${name}")`;
    const integer = (name: string) => `integer("${name}")`;
    const kinds = { text, id: text, short: text, time: text, data: text, stamp: text };
    return {
      core: "sqlite-core",
      own: [],
      header: [],
      types: { ...kinds, integer, small: integer, boolean: integer },
      table: (collection) => `sqliteTable(\n  "${place}${collection}"`,
    };
  }
  if (database === "postgres") {
    const text = (name: string) => `exactText("${name}")`;
    const isPublic = place === "public";
    return {
      core: "pg-core",
      own: [
        "/** Compared and ordered by code points. */",
        `const exactText = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });`,
        "",
      ],
      header: isPublic ? [] : [`export const formBackend = pgSchema("${place}");`, ""],
      types: {
        text,
        id: text,
        short: text,
        time: text,
        small: (name) => `integer("${name}")`,
        integer: (name) => `bigint("${name}", { mode: "number" })`,
        boolean: (name) => `boolean("${name}")`,
        data: (name) => `json("${name}")`,
        stamp: (name) => `timestamp("${name}", { withTimezone: true }).defaultNow()`,
      },
      table: (collection) => `${isPublic ? "pgTable" : "formBackend.table"}(\n  "${collection}"`,
    };
  }
  const collation = collationOf(database);
  const text = (length: number) => (name: string) => `exact${length}("${name}")`;
  const exact = (length: number): string =>
    `const exact${length} = customType<{ data: string }>({ dataType: () => "varchar(${length}) CHARACTER SET utf8mb4 COLLATE ${collation}" });`;
  return {
    core: "mysql-core",
    own: [
      "/** Compared byte by byte, with spaces at the end. */",
      ...[360, 320, 40, 32].map(exact),
      `const json = customType<{ data: string }>({ dataType: () => "longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin" });`,
      `const uuid = customType<{ data: string }>({ dataType: () => "varchar(36)" });`,
      "",
    ],
    header: [],
    types: {
      id: text(360),
      text: text(320),
      time: text(40),
      stamp: text(40),
      short: (name) => (name === "mark" ? `uuid("${name}")` : text(32)(name)),
      small: (name) => `int("${name}")`,
      integer: (name) => `bigint("${name}", { mode: "number" })`,
      boolean: (name) => `tinyint("${name}")`,
      data: (name) => `json("${name}")`,
    },
    table: (collection) => `mysqlTable(\n  "${place}${collection}"`,
  };
}

/** The collation that compares byte by byte, with spaces at the end. */
export const collationOf = (database: Printed["database"]): string =>
  database === "mysql" ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
