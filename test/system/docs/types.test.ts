import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { typeTables } from "../../../scripts/types.ts";
import type { Operation } from "../../../src/core/http/route.ts";
import { type ErrorCode, errors } from "../../../src/errors.ts";
import { answersOf } from "../../../src/surfaces/api/operation.ts";
import { routes } from "../../../src/surfaces/api/table.ts";
import { callOf, pairs } from "../../_support/api-pairs.ts";

/** Codes of what a call in process has none of: a credential, a rate, a body in bytes, a header; and those that any call may throw. */
const ofTransport = new Set<ErrorCode>([
  "missing_bearer",
  "invalid_key",
  "wrong_audience",
  "cross_site_request",
  "insufficient_scope",
  "team_inactive",
  "owner_unverified",
  "rate_limited",
  "payload_too_large",
  "unsupported_media_type",
  "request_timeout",
  "body_consumed",
  "version_mismatch",
  "internal_error",
  "unavailable",
]);

const folder = resolve(import.meta.dirname, "../../../docs");
const read = (file: string): string => readFileSync(resolve(folder, file), "utf8");
const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".md") && !file.includes("node_modules") && /<!-- (options|calls): /.test(read(file)),
);
const tables = typeTables([
  "src/index.ts",
  "src/surfaces/inbox/index.ts",
  "src/drivers/storage/sqlite.ts",
  "src/drivers/storage/postgres.ts",
  "src/drivers/storage/mysql.ts",
  "src/drivers/storage/libsql.ts",
  "src/drivers/storage/d1.ts",
  "src/drivers/mailer/smtp.ts",
  "src/drivers/queue/bullmq.ts",
  "src/drivers/queue/postgres.ts",
]);

describe("tables from types", () => {
  it.each(pages)("%s has the tables of today; `npm run docs` writes them", async (file) => {
    await expect(tables.fill(read(file))).toMatchFileSnapshot(resolve(folder, file));
  });

  it("says of every call what it does, and of every row's call what it throws", () => {
    const calls = new Map(tables.calls("FormBackend").map((call) => [call.path, call]));
    expect([...calls.values()].filter(({ note }) => note === "").map(({ path }) => path)).toEqual([]);
    for (const name of Object.keys(pairs) as (keyof typeof pairs)[]) {
      const call = callOf(name) ?? "";
      const row: Operation = routes[name];
      const takes = row.body ?? row.query;
      const codes = answersOf(row)
        .flatMap((answer) => answer.codes)
        .filter((code) => !ofTransport.has(code) || row.errors.includes(code))
        .filter((code) => code !== "invalid_parameter" || takes || row.errors.includes(code))
        // The host reaches every form, and its reads wait for nobody.
        .filter((code) => code !== "form_access_restricted" && code !== "scan_concurrency");
      const told = calls.get(call)?.throws ?? [];
      expect({ call, missing: codes.filter((code) => !told.includes(code)) }).toEqual({ call, missing: [] });
      expect({ call, unknown: told.filter((code) => !(code in errors)) }).toEqual({ call, unknown: [] });
    }
  });

  it("refuses a type that does not exist", () => {
    expect(() => tables.fill("<!-- options: Nothing -->\n<!-- /options -->")).toThrow("there is no type Nothing");
  });
});
