import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { runs } from "../../../_support/runs.ts";
import { unreadIsRight } from "../../../_support/unread.ts";

withMysql((pool) => {
  unreadIsRight(
    async () => mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS }),
    runs(PATIENT_MS, 1_200_000),
  );
});

withPostgres((pool) => {
  unreadIsRight(
    async () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }),
    runs(PATIENT_MS, 1_200_000),
  );
});
