// A form with very many submissions and a delivery for each: a few are posted and delivered for real, and SQL multiplies their
// rows. So the rows are what the driver writes, whatever it writes, and a million take minutes instead of hours.
import { createServer } from "node:http";

export const SAMPLES = 20;
/** 6 of 20 are spam. */
const isSpam = (pick) => pick % 10 >= 7;
/** In texts it stands for the row's own number, which the multiplied rows get. */
const MARK = "NNNNNNN";
/** One submission every 20 s: no two have the same moment, and a million are 231 days. */
const SPACING_MS = 20_000;
const CHUNK = 50_000;

/**
 * Makes a form with a webhook and `rows` submissions. `backend` works on the store that `sql` reads and writes, takes webhooks at
 * 127.0.0.1 and reads countries from the header `x-country`; `key` may do everything. The moments go back from the backend's now.
 */
export async function generate(backend, key, sql, rows) {
  const facts = await seed(backend, key);
  await multiply(sql, facts, rows);
  return facts;
}

/** Posts and delivers the samples as visitors and workers do. */
export async function seed(backend, key) {
  const receiver = createServer((req, res) => {
    let body = "";
    req.on("data", (chunk) => (body += chunk));
    // One in twenty stays due for another attempt.
    req.on("end", () => res.writeHead(body.includes('"sample 5 ') ? 503 : 200).end());
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    const form = await backend.forms.create({ name: "Contact", self_email_notification: { enabled: false } });
    const url = `http://127.0.0.1:${receiver.address().port}/hook`;
    const webhook = await backend.webhooks.create(form.id, { url });
    for (let pick = 0; pick < SAMPLES; pick++) {
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        ...(pick % 4 > 0 && { "x-country": ["DE", "FR", "US"][pick % 3] }),
      };
      const request = new Request(form.endpoint, { method: "POST", headers, body: fieldsOf(pick) });
      const response = await backend.handle(request, { ip: "203.0.113.9" });
      if (response.status !== 200) throw new Error(`a sample was refused: ${await response.text()}`);
    }
    await backend.tick();
    const count = async (status) => (await backend.submissions.count(form.id, { status })).count;
    const spam = Array.from({ length: SAMPLES }, (_, pick) => pick).filter(isSpam).length;
    if ((await count("spam")) !== spam || (await count("all")) !== SAMPLES)
      throw new Error("samples were judged otherwise");
    return { backend, key, formId: form.id, webhookId: webhook.id };
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

function fieldsOf(pick) {
  const fields = new URLSearchParams({
    name: `Visitor ${MARK}`,
    email: `visitor.${MARK}@example.com`,
    message: `sample ${pick} ${MARK}: ${"I would like to know more about what you offer. ".repeat(4 + (pick % 5))}`,
  });
  if (pick % 2 === 0) fields.set("company", `Company ${MARK}`);
  if (pick % 3 === 0) fields.set("phone", "+49 30 1234567");
  if (pick % 5 === 0) fields.set("newsletter", "yes");
  for (let i = 0; i < pick % 4; i++) fields.append("topics", `topic ${i}`);
  if (isSpam(pick)) fields.set("_gotcha", "filled");
  return fields;
}

/** Multiplies the samples of a form until it has `rows` submissions. */
async function multiply(sql, { formId }, rows) {
  const [submissions, jobs] = [sql.table("submissions"), sql.table("jobs")];
  await takeSamples(sql, formId);
  const [{ first }] = await sql.all("SELECT min(created_at) AS first FROM sample_submissions");
  const last = Date.parse(first) - SPACING_MS;
  const more = rows - SAMPLES;
  for (let from = 0; from < more; from += CHUNK) {
    const to = Math.min(from + CHUNK, more) - 1;
    const series = sql.series(from, to, last - more * SPACING_MS, SPACING_MS);
    await sql.run(await insertion(sql, submissions, "sample_submissions", series));
    await sql.run(await insertion(sql, jobs, "sample_jobs", series));
  }
  await sql.run("DROP TABLE sample_jobs");
  await sql.run("DROP TABLE sample_submissions");
}

/** Copies the samples of a form and their deliveries into the temporary tables `sample_submissions` and `sample_jobs`. */
export async function takeSamples(sql, formId) {
  const [submissions, jobs] = [sql.table("submissions"), sql.table("jobs")];
  await sql.run(
    `CREATE TEMPORARY TABLE sample_submissions AS SELECT row_number() OVER (ORDER BY id) - 1 AS pick, s.* FROM ${submissions} s WHERE form_id = '${formId}'`,
  );
  await sql.run(
    `CREATE TEMPORARY TABLE sample_jobs AS SELECT s.pick, j.* FROM sample_submissions s JOIN ${jobs} j ON j.submission_id = s.id`,
  );
}

/**
 * `x` is the series of numbers `n` and moments `t`, `s` the sample that a number copies. `own` has columns that are not the sample's,
 * which may come from a table that `join` adds.
 */
export async function insertion(sql, table, samples, series, { own = {}, join = "" } = {}) {
  const columns = await sql.columns(table);
  const id = table.includes("jobs") ? `'msg_' || ${sql.id}` : sql.id;
  const moment = (offset) => sql.moment(offset);
  const values = columns.map((column) => {
    if (own[column]) return own[column];
    if (column === "id") return id;
    if (column === "submission_id") return sql.id;
    if (column === "created_at" || column === "updated_at") return moment(0);
    if (column === "occurred_at") return moment(137);
    if (column === "due_at") return `CASE WHEN s.due_at IS NOT NULL THEN ${moment(300_000)} END`;
    if (column === "data") return sql.replaced("s.data", MARK);
    return `s."${column}"`;
  });
  const names = columns.map((column) => `"${column}"`).join(", ");
  return `INSERT INTO ${table} (${names}) ${series} SELECT ${values.join(", ")} FROM x JOIN ${samples} s ON s.pick = x.n % ${SAMPLES} ${join} ORDER BY x.n`;
}

/** The SQL of a SQLite handle; `prefix` as the driver's. */
export function sqliteSql(database, prefix = "fb_") {
  const digits =
    "printf('%012x', x.t) || printf('%04x', x.n % 65536) || printf('%08x', (x.n * 2654435761) % 4294967296)";
  return {
    table: (name) => `${prefix}${name}`,
    run: async (text) => void database.exec(text),
    all: async (text) => database.prepare(text).all(),
    columns: async (table) =>
      database
        .prepare(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => name),
    series: (from, to, base, step) =>
      `WITH RECURSIVE x(n, t) AS (SELECT ${from}, ${base + from * step} UNION ALL SELECT n + 1, t + ${step} FROM x WHERE n < ${to})`,
    id: `(${digits})`,
    moment: (offset) =>
      `(strftime('%Y-%m-%dT%H:%M:%S', (x.t + ${offset}) / 1000, 'unixepoch') || printf('.%03dZ', (x.t + ${offset}) % 1000))`,
    replaced: (column, mark) => `replace(${column}, '${mark}', printf('%07d', x.n))`,
  };
}

/** The SQL of one PostgreSQL connection, because the samples are temporary tables. */
export function postgresSql(client, schema) {
  const types = new Map();
  return {
    table: (name) => `"${schema}".${name}`,
    run: async (text) => void (await client.query(text)),
    all: async (text) => (await client.query(text)).rows,
    async columns(table) {
      const { rows } = await client.query(
        `SELECT column_name AS name, data_type AS type FROM information_schema.columns
         WHERE table_schema = $1 AND table_name = $2 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
        [schema, table.split(".")[1]],
      );
      for (const { name, type } of rows) types.set(name, type);
      return rows.map(({ name }) => name);
    },
    series: (from, to, base, step) =>
      `WITH x AS (SELECT n, ${base}::bigint + n::bigint * ${step} AS t FROM generate_series(${from}, ${to}) AS n)`,
    id: "(lpad(to_hex(x.t), 12, '0') || lpad(to_hex(x.n % 65536), 4, '0') || lpad(to_hex((x.n::bigint * 2654435761) % 4294967296), 8, '0'))",
    moment: (offset) =>
      `to_char(to_timestamp((x.t + ${offset}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')::${types.get("created_at")}`,
    replaced: (column, mark) => `replace(${column}::text, '${mark}', lpad(x.n::text, 7, '0'))::${types.get("data")}`,
  };
}

/** The SQL of one connection to MariaDB, of mysql2's promises, whose mode then is that of the statements above. */
export async function mariadbSql(connection, prefix) {
  await connection.query("SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,PIPES_AS_CONCAT')");
  const hex = (number, digits) => `lpad(lower(hex(${number})), ${digits}, '0')`;
  return {
    table: (name) => `${prefix}${name}`,
    run: async (text) => void (await connection.query(text)),
    all: async (text) => (await connection.query(text))[0],
    async columns(table) {
      const [rows] = await connection.query(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = DATABASE() AND table_name = ? AND is_generated = 'NEVER' ORDER BY ordinal_position`,
        [table],
      );
      return rows.map(({ name }) => name);
    },
    series: (from, to, base, step) =>
      `WITH x AS (SELECT seq AS n, ${base} + seq * ${step} AS t FROM seq_${from}_to_${to})`,
    id: `(${hex("x.t", 12)} || ${hex("x.n % 65536", 4)} || ${hex("(x.n * 2654435761) % 4294967296", 8)})`,
    moment: (offset) =>
      `(date_format('1970-01-01' + INTERVAL (x.t + ${offset}) DIV 1000 SECOND, '%Y-%m-%dT%H:%i:%s') || '.' || lpad((x.t + ${offset}) % 1000, 3, '0') || 'Z')`,
    replaced: (column, mark) => `replace(${column}, '${mark}', lpad(x.n, 7, '0'))`,
  };
}
