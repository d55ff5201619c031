import { expect, it } from "vitest";
import { loadPackages, packages } from "../../../src/lib/packages.ts";

it("loads the other packages one after the other, and stops where the backend closes", async () => {
  let asked = 0;
  await loadPackages(() => ++asked > 3);
  expect(asked).toBe(4);
  asked = 0;
  await loadPackages(() => ++asked < 0);
  expect(asked).toBe(Object.keys(packages).length);
});
