import { afterEach, expect, it, vi } from "vitest";
import { memoryRates } from "../../../src/core/rates/rate-stores.ts";
import { packages } from "../../../src/lib/packages.ts";
import { harness } from "../../_support/backend.ts";

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

afterEach(() => vi.restoreAllMocks());

/** Makes the next load of a package fail, as while a deploy replaces `node_modules`. */
const failOnce = (name: "h3" | "memoryRates" | "re2js") =>
  vi.spyOn(packages, name).mockRejectedValueOnce(new Error("Cannot find module"));

it("of the router fails that request only", async () => {
  const b = harness({ logger });
  failOnce("h3");
  expect((await b.call("GET", "/v1/forms")).status).toBe(500);
  expect((await b.call("GET", "/v1/forms")).status).toBe(200);
});

it("of a limiter fails that count only", async () => {
  const counter = memoryRates()({ name: "perIp", points: 5, seconds: 60 } as never);
  failOnce("memoryRates");
  await expect(counter.consume("a", 1)).rejects.toThrow("Cannot find module");
  expect(await counter.consume("a", 1)).toMatchObject({ remainingPoints: 4 });
});

it("of the pattern engine fails that post only", async () => {
  const b = harness({ logger });
  const check = { type: "pattern", value: "^[a-z]+$", message: "letters" } as const;
  const { id } = await b.forms.create({ name: "A", validation: { rules: [{ field: "a", checks: [check] }] } });
  failOnce("re2js");
  expect((await b.post(id, { a: "x" })).status).toBe(500);
  expect((await b.post(id, { a: "x" })).status).toBe(200);
  expect((await b.post(id, { a: "1" })).status).toBe(422);
});
