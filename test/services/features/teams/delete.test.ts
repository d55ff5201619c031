import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { teamDeletionCases } from "../../../_support/team-deletion-cases.ts";

withPostgres((pool) => {
  teamDeletionCases("PostgreSQL", () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
});
withMysql((pool) => {
  teamDeletionCases("MariaDB", () => mysqlStorage({ pool, prefix: freshPrefix() }));
});
