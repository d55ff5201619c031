// A delivery that keeps the promise of ours, as somebody who knows PostgreSQL writes it: one join reads the submission with its webhook,
// and one statement stores the result, its log entry and the webhook's state.
import { createHmac } from "node:crypto";
import pg from "pg";
import { postgres } from "../services.mjs";

/** A webhook has 8 attempts in flight and a process 64, as ours has by default. */
const WEBHOOKS = 8;
const message = "word ".repeat(180);

/** Makes the tables and fills them; answers the payloads of the jobs, the task, and what it has stored. */
export async function openPromised({ DATABASE, RECEIVER }, jobs) {
  const pool = new pg.Pool({ ...postgres, max: 10 });
  const name = (table) => `"${DATABASE}".${table}`;
  await pool.query(`
    CREATE SCHEMA IF NOT EXISTS "${DATABASE}";
    CREATE TABLE ${name("webhooks")} (id int PRIMARY KEY, form int, url text, secret text, enabled boolean, failures int, last_ok timestamptz);
    CREATE TABLE ${name("submissions")} (id int PRIMARY KEY, form int, created_at timestamptz, spam boolean, fields jsonb);
    CREATE TABLE ${name("deliveries")} (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(), submission int, webhook int, status text, http_status int, attempts int, ended_at timestamptz
    );
    CREATE INDEX ON ${name("deliveries")} (submission);
    CREATE INDEX ON ${name("deliveries")} (webhook, ended_at DESC);
    CREATE TABLE ${name("attempts")} (delivery uuid, at timestamptz, ms int, status int);
    CREATE INDEX ON ${name("attempts")} (delivery);
  `);
  for (let i = 0; i < WEBHOOKS; i++) {
    const secret = `whsec_${Buffer.alloc(32, i).toString("base64")}`;
    await pool.query(`INSERT INTO ${name("webhooks")} VALUES ($1, $1, $2, $3, true, 0, null)`, [
      i,
      `${RECEIVER}/hook/${i}`,
      secret,
    ]);
  }
  await pool.query(
    `INSERT INTO ${name("submissions")}
     SELECT n, n % ${WEBHOOKS}, now(), false,
       jsonb_build_array(
         jsonb_build_object('key', 'n', 'value', n::text), jsonb_build_object('key', 'name', 'value', 'Ann Example'),
         jsonb_build_object('key', 'email', 'value', 'ann@example.com'), jsonb_build_object('key', 'message', 'value', $2::text))
     FROM generate_series(0, $1::int - 1) n`,
    [jobs, message],
  );
  const read = {
    name: "read",
    text: `SELECT s.form, s.created_at, s.spam, s.fields, w.url, w.secret, w.enabled
           FROM ${name("submissions")} s JOIN ${name("webhooks")} w ON w.id = $2 WHERE s.id = $1`,
  };
  // A webhook that was well stays untouched, so that 64 results don't wait for one row.
  const store = {
    name: "store",
    text: `WITH ended AS (
             INSERT INTO ${name("deliveries")} (submission, webhook, status, http_status, attempts, ended_at)
             VALUES ($1, $2, $3, $4, $5, now()) RETURNING id
           ), logged AS (
             INSERT INTO ${name("attempts")} SELECT id, now(), $6, $4 FROM ended
           )
           UPDATE ${name("webhooks")} SET failures = 0, last_ok = now()
           WHERE id = $2 AND (failures > 0 OR last_ok IS NULL OR last_ok < now() - interval '1 minute')`,
  };
  return {
    payload: (n) => ({ submission: n, webhook: n % WEBHOOKS }),
    async deliver({ submission, webhook }, { job }, post) {
      const { rows } = await pool.query({ ...read, values: [submission, webhook] });
      const [row] = rows;
      if (!row?.enabled) return;
      const data = {
        id: submission.toString(16).padStart(24, "0"),
        form_id: String(row.form).padStart(11, "0"),
        created_at: row.created_at.toISOString(),
        spam: row.spam,
        ...{ ip: null, country: null, user_agent: null, referer: null },
        fields: row.fields,
        attachments: [],
      };
      const body = JSON.stringify({ type: "submission.created", timestamp: data.created_at, data });
      const started = Date.now();
      const status = await post(row.url, body, signed(job.id, body, row.secret));
      const values = [submission, webhook, "succeeded", status, job.attempts, Date.now() - started];
      await pool.query({ ...store, values });
    },
    async stored() {
      const { rows } = await pool.query(
        `SELECT (SELECT count(*)::int FROM ${name("deliveries")} WHERE status = 'succeeded') AS results,
                (SELECT count(*)::int FROM ${name("attempts")}) AS logged`,
      );
      return rows[0];
    },
    close: () => pool.end(),
  };
}

/** Both signatures of ours: Standard Webhooks, and the older `t=…,v1=…`. */
function signed(id, body, secret) {
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const standard = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const older = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standard}`,
    "x-service-signature": `t=${timestamp},v1=${older}`,
  };
}
