import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { moveCases } from "../../../_support/move-cases.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

withPostgres((pool) => {
  moveCases("PostgreSQL", () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
});
withMysql((pool) => {
  moveCases("MariaDB", () => mysqlStorage({ pool, prefix: freshPrefix() }));
});
