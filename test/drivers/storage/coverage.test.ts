import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../../src/drivers/storage");

it("every storage driver has a run of the suite", () => {
  const drivers = readdirSync(folder).filter((name) =>
    /export function \w+Storage\(/.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(drivers).toEqual(expect.arrayContaining(["memory.ts", "sqlite.ts", "unstorage.ts"]));
  for (const driver of drivers) {
    const test = join(import.meta.dirname, driver.replace(/\.ts$/, ".test.ts"));
    expect(existsSync(test), `${driver} needs test/drivers/storage/${driver.replace(/\.ts$/, ".test.ts")}`).toBe(true);
    expect(readFileSync(test, "utf8"), driver).toMatch(/of storageSuite\)/);
  }
});
