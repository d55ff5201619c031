import { describe, expect, it } from "vitest";
import type { Logger } from "../../../src/core/options/types.ts";
import type { StorageDriver, Value } from "../../../src/drivers/storage/types.ts";
import type { CollectionName } from "../../../src/model/collections.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../backend.ts";
import { allOf, kinds, pathsOf } from "./kinds.ts";
import { type Populated, populate } from "./populate.ts";

/** Each record is read some hundred times, on a machine that may be busy. */
const PATIENT_MS = 180_000;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A value of another type than the leaf's. */
const ofAnotherType = (value: unknown): unknown => (typeof value === "string" ? 7 : Array.isArray(value) ? {} : "text");

/** A value of the leaf's type that no schema takes today. */
function outOfRange(value: unknown): unknown {
  if (typeof value === "string") return `no\u0000 such\r\n ${"x".repeat(20_000)}`;
  if (typeof value === "number") return -1.5;
  if (Array.isArray(value)) return Array.from({ length: 200 }, () => value[0]);
  return typeof value === "object" ? { ...value, from_a_newer_version: { deep: [1] } } : undefined;
}

function valueAt(value: Value, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
}

function withLeaf(value: Value, path: string, leaf: unknown): Value {
  const copy = structuredClone(value);
  const keys = path.split(".");
  const last = keys.pop() as string;
  const owner = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy);
  owner[last] = leaf;
  return copy;
}

/**
 * Writes wrong values into each leaf of a record of each kind, as somebody with a database client would, and reads every list.
 * `open` returns a driver over an empty store.
 */
export function spoilEachLeaf(name: string, open: () => Promise<StorageDriver>): void {
  describe(`records on ${name} with a wrong leaf`, () => {
    it.each(kinds)(
      "$collection: fail alone and by name, and every list is still answered",
      async ({ collection, row }) => {
        const storage = await open();
        const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
        const b = harness({ storage, clock, logger: silent, senderDomains: ["acme.test"] }, { holds: false });
        const made = await populate(b);
        const key = await b.keyWith("all", { team_id: made.team });
        const target = row(made, await allOf(storage, collection, made));
        if (!target) throw new Error(`populate() makes no row of ${collection}`);
        let refusals = 0;
        for (const path of pathsOf(target.value)) {
          const before = valueAt(target.value, path);
          if (before === null) continue;
          for (const leaf of [ofAnotherType(before), outOfRange(before)]) {
            if (leaf === undefined) continue;
            const put = { op: "put", collection, id: target.id, value: withLeaf(target.value, path, leaf) } as const;
            // Some stores refuse what an index can't sort; such a record does not come to be.
            const taken = await storage.commit([put]).then(
              () => true,
              () => false,
            );
            if (!taken) continue;
            // The process forgets what it has read; no job runs.
            clock.set(clock.now() + 3_000);
            const said = `${collection}.${path} = ${JSON.stringify(leaf).slice(0, 40)}`;
            const errors = await readAll(b, made, { collection, id: target.id }, key, said);
            for (const error of errors) {
              expect(error, said).toContain(`"${target.id}" of ${collection} can't be read: \`${path}`);
            }
            refusals += errors.length;
          }
        }
        if (hasOwnAddress(collection)) expect(refusals).toBeGreaterThan(0);
        await b.close();
      },
      PATIENT_MS,
    );
  });
}

const hasOwnAddress = (collection: CollectionName): boolean =>
  !["webhook_states", "files", "images", "pending_submissions", "drafts"].includes(collection);

/** Reads every list, and each record at its own address. Returns what the addresses of single records were refused with. */
async function readAll(
  b: Harness,
  made: Populated,
  { collection, id }: { readonly collection: CollectionName; readonly id: string },
  key: string,
  said: string,
): Promise<string[]> {
  const [first = ""] = made.submissions;
  await Promise.all([
    b.jobs.list(),
    b.jobs.page({ form_id: made.form }),
    b.teams.list(),
    b.keys.list(),
    b.emailServers.list(),
    b.submissions.list(null),
  ]);
  expect((await b.forms.list()).data.length, said).toBeGreaterThan(0);
  expect((await b.forms.list({ team_id: made.team })).data.length, said).toBeGreaterThan(0);
  const inProcess = [
    () => b.teams.get(made.team),
    () => b.keys.get(made.key.id),
    () => b.emailServers.get(made.server),
    () => b.forms.get(made.form),
    () => b.submissions.get(made.form, first),
    () => b.submissions.list(made.form, { status: "all" }),
    () => b.webhooks.list(made.form),
    ...(collection === "jobs" ? [() => b.jobs.get(id)] : []),
  ];
  const errors: string[] = [];
  for (const call of inProcess) {
    await call().catch((error: Error & { status?: number }) => {
      if (error.status === undefined || error.status >= 500) errors.push(error.message);
    });
  }
  for (const path of [
    "/v1/forms",
    "/v1/submissions?status=all",
    `/v1/forms/${made.form}`,
    `/v1/forms/${made.form}/settings`,
    `/v1/forms/${made.form}/submissions?status=all`,
    `/v1/forms/${made.form}/submissions/${first}`,
    `/v1/forms/${made.consentForm}/submissions?status=pending`,
    `/v1/forms/${made.form}/webhooks`,
    `/v1/forms/${made.form}/webhooks/${made.webhook.id}/deliveries`,
    `/v1/forms/${made.form}/emails`,
  ]) {
    const { status, json, text } = await b.call("GET", path, { key });
    // The credential's own team comes before every list.
    const list = collection !== "teams" && !path.includes(made.form);
    if (list) expect(status, `${said}: GET ${path}: ${text}`).toBe(200);
    if (status >= 500) errors.push(json.error.message);
  }
  return errors;
}
