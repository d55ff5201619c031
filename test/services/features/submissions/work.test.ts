import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { workCases } from "../../../_support/work/cases.ts";

withPostgres((pool) => workCases(() => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS })));
withMysql((pool) => workCases(() => mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS })));
