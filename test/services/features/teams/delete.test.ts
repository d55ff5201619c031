import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { teamDeletionCases } from "../../../_support/team-deletion-cases.ts";

withPostgres((pool) => {
  teamDeletionCases("PostgreSQL", () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
});
