import { postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { stripEachLeaf } from "../../_support/records/strip.ts";

withPostgres((pool) => {
  stripEachLeaf("PostgreSQL", async () => {
    const driver = postgresStorage({ pool, schema: freshSchema() });
    await driver.open();
    return driver;
  });
});
