import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { mysqlStorage } from "../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../_support/mysql.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../_support/postgres.ts";
import { PATIENT_MS } from "../_support/postgres-schema.ts";
import { rotation } from "../_support/rotation.ts";

withMysql((pool) => {
  describe("a change of `secret` with two processes on one MariaDB", () => {
    let prefix = "";
    beforeEach(() => {
      prefix = freshPrefix();
    });
    rotation(() => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }));
  });
});

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
