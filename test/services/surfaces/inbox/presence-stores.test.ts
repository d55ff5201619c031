import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { presenceCases } from "../../../_support/presence-cases.ts";

withPostgres((pool) =>
  presenceCases(() => {
    const schema = freshSchema();
    return () => postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
  }),
);
withMysql((pool) =>
  presenceCases(() => {
    const prefix = freshPrefix();
    return () => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS });
  }),
);
