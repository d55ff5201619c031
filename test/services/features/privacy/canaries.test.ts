import { describe } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { collections } from "../../../../src/model/collections.ts";
import { canaries, type Open } from "../../../_support/canaries.ts";
import { leavesNothing } from "../../../_support/canaries-left.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

const all = canaries();
const tables = Object.keys(collections);

withPostgres((pool) => {
  const open: Open = async () => {
    const schema = freshSchema();
    return {
      store: postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }),
      async dump() {
        const found = tables.map((table) => pool.query(`SELECT t::text AS row FROM ${schema}.${table} t`));
        return (await Promise.all(found)).flatMap(({ rows }) => rows.map(({ row }) => row)).join("\n");
      },
    };
  };
  describe("nothing of a visitor, receiver or form is left in PostgreSQL", () => leavesNothing(all, open, false));
});

withMysql((pool) => {
  const open: Open = async () => {
    const prefix = freshPrefix();
    return {
      store: mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }),
      async dump() {
        const found = tables.map(async (table) => (await pool.query(`SELECT * FROM ${prefix}${table}`))[0]);
        return JSON.stringify(await Promise.all(found));
      },
    };
  };
  describe("nothing of a visitor, receiver or form is left in MariaDB", () => leavesNothing(all, open, false));
});
