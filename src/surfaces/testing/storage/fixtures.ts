import type { StorageDriver, Stored, Value, Write } from "../../../drivers/storage/types.ts";
import type { Case } from "../suite.ts";

/** A case with an open driver that is closed afterwards, also when the case fails. */
export function storageCase(name: string, run: (driver: StorageDriver) => Promise<void>): Case<StorageDriver> {
  return {
    name,
    async run(create) {
      const driver = await create();
      try {
        await driver.open();
        await run(driver);
      } finally {
        await driver.close();
      }
    },
  };
}

export const START = Date.UTC(2026, 0, 1);

/** The n-th second of 2026 as the store keeps times. */
export const time = (n: number): string => new Date(START + n * 1000).toISOString();

export const put = (collection: string, id: string, value: Value, expect?: number | null): Write => ({
  op: "put",
  collection,
  id,
  value,
  expect,
});

export const field = (key: string, value: string): { key: string; value: string } => ({ key, value });

/** A submission of form `f1` made in second `n`. */
export function submission(id: string, n: number, more: Value = {}): Write {
  const columns = { form_id: "f1", team_id: "t1", created_at: time(n), updated_at: time(n), spam: false, read: false };
  return put("submissions", id, {
    ...columns,
    country: null,
    attached: false,
    aside: null,
    sender: null,
    fields: [],
    ...more,
  });
}

/** A webhook job that is due in second `n`, or never. */
export function job(id: string, n: number | null, more: Value = {}): Write {
  const place = { lane: "webhook", target: "w1", form_id: "f1", submission_id: "s1" };
  const state = { status: "pending", due_at: n === null ? null : time(n), leased: false, lost: 0, occurred_at: null };
  return put("jobs", id, { ...place, ...state, created_at: time(0), attempt: 0, ...more });
}

/** A number as text of one width, so that text order is number order. */
export const padded = (n: number): string => String(n).padStart(5, "0");

/** Commits many writes, 200 at a time. */
export async function commitMany(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  for (let i = 0; i < writes.length; i += 200) await driver.commit(writes.slice(i, i + 200));
}

export async function one(driver: StorageDriver, collection: string, id: string): Promise<Stored | undefined> {
  return (await driver.get(collection, [id])).get(id);
}

export const idsOf = (rows: readonly Stored[]): string[] => rows.map((row) => row.id);
