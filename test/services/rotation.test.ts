import { afterAll, beforeAll, beforeEach } from "vitest";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../_support/postgres.ts";
import { rotation } from "../_support/rotation.ts";

describePostgres("a change of `secret` with two processes on one PostgreSQL", () => {
  let database: TemporaryDatabase;
  let n = 0;
  beforeAll(async () => {
    database = await temporaryDatabase();
  });
  beforeEach(() => {
    n += 1;
  });
  afterAll(() => database?.drop());
  rotation(() => postgresStorage({ pool: database.pool, schema: `rotation_${n}` }));
});
