import { expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { describePostgres, temporaryDatabase } from "../../../_support/postgres.ts";
import { encodings, privateForm, SSN } from "../../../_support/privacy.ts";

describePostgres("protected fields in PostgreSQL", () => {
  for (const store of ["encrypt", "hash", "drop", "plain"]) {
    it(`under ${store}: a dump of every table ${store === "plain" ? "holds" : "holds no"} plain value`, async () => {
      const database = await temporaryDatabase();
      const storage = postgresStorage({ pool: database.pool });
      const { b, id } = await privateForm({ store }, { storage }, { auto_response: { enabled: true } });
      await b.forms.update(id, { settings: { fields: { email: { store: store as "hash" } } } });
      await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
      const email = "ann.unheard-of@private.example";
      const fields = { ssn: SSN, email, name: "a name in clear", _subject: `About ${SSN}`, _replyto: email };
      const headers = { accept: "application/json", "idempotency-key": "k" };
      expect((await b.post(id, fields, headers)).status).toBe(200);
      b.answerWebhooks(500);
      await b.tick();
      const dump = await dumpOf(database.pool);
      expect(dump).toContain("a name in clear");
      for (const value of [SSN, email]) {
        const found = encodings(value).filter((text) => dump.includes(text));
        expect(found.length > 0).toBe(store === "plain");
      }
      expect((await b.submissions.list(id)).data).toHaveLength(1);
      await b.close();
      await database.drop();
    });
  }
});

/** Every row of every table of the library's, as text, with the statistics that the planner keeps of their columns. */
async function dumpOf(pool: { query(text: string): Promise<{ rows: Record<string, unknown>[] }> }): Promise<string> {
  await pool.query("analyze");
  const { rows: tables } = await pool.query(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const texts: string[] = [];
  for (const name of [...tables.map(({ name }) => String(name)), "pg_stats"]) {
    const { rows } = await pool.query(`select t::text as line from ${name} t`);
    texts.push(...rows.map(({ line }) => String(line)));
  }
  expect(tables.length).toBeGreaterThan(5);
  return texts.join("\n");
}
