import { describe, it } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";

withMysql((pool) => {
  describe("mysqlStorage over a pool of mysql2", () => {
    for (const c of storageSuite)
      it(c.name, () => c.run(() => mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS })), 60_000);
  });

  describe("mysqlStorage with a uri", () => {
    for (const c of storageSuite) {
      it(
        c.name,
        () => c.run(() => mysqlStorage({ uri: MYSQL_URL, prefix: freshPrefix(), timeoutMs: PATIENT_MS })),
        60_000,
      );
    }
  });
});
