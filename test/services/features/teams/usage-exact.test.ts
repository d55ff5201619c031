import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { runs } from "../../../_support/runs.ts";
import { usageCases } from "../../../_support/usage-cases.ts";

withPostgres((pool) => {
  usageCases("PostgreSQL", () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }), runs(3, 100));
});
