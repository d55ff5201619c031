import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { runs } from "../../../_support/runs.ts";
import { unreadIsRight } from "../../../_support/unread.ts";

withPostgres((pool) => {
  unreadIsRight(
    async () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }),
    runs(PATIENT_MS, 1_200_000),
  );
});
