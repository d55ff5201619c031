import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, withPostgres } from "../../../_support/postgres-schema.ts";
import { keepNewerMembers } from "../../../_support/records/newer.ts";
import { stripEachLeaf } from "../../../_support/records/strip.ts";

withPostgres((pool) => {
  for (const test of [stripEachLeaf, keepNewerMembers]) {
    test("PostgreSQL", async () => {
      const driver = postgresStorage({ pool, schema: freshSchema() });
      await driver.open();
      return driver;
    });
  }
});

withMysql((pool) => {
  for (const test of [stripEachLeaf, keepNewerMembers]) {
    test("MariaDB", async () => {
      const driver = mysqlStorage({ pool, prefix: freshPrefix() });
      await driver.open();
      return driver;
    });
  }
});
