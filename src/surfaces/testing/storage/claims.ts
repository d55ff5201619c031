import assert from "node:assert/strict";
import type { ClaimQuery, StorageDriver } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { commitMany, idsOf, job, one, padded, START, storageCase, time } from "./fixtures.ts";

const LEASE = 60_000;

/** A claim in second `n` of 2026. */
const at = (n: number, more: Partial<ClaimQuery> = {}): ClaimQuery => ({
  ...{ lane: "webhook", leaseMs: LEASE, limit: 100, exclude: [], perTarget: 100, now: START + n * 1000 },
  ...more,
});

const claimed = async (driver: StorageDriver, query: ClaimQuery): Promise<string> =>
  idsOf((await driver.claim(query)).jobs).join(" ");

export const claimCases: Suite<StorageDriver> = [
  storageCase("a claim takes what is due in its lane, earliest first", async (driver) => {
    const jobs = [
      job("d", 3),
      job("b", 1),
      job("c", 1),
      job("a", 2),
      job("exact", 5),
      job("future", 6),
      job("never", null),
    ];
    await driver.commit([...jobs, job("mail", 0, { lane: "email" })]);
    assert.equal(await claimed(driver, at(5, { limit: 0 })), "");
    assert.equal(await claimed(driver, at(5, { limit: 2 })), "b c");
    assert.equal(await claimed(driver, at(5)), "a d exact");
    assert.equal(await claimed(driver, at(5)), "");
    assert.equal(await claimed(driver, at(5, { lane: "email" })), "mail");
    assert.equal(await claimed(driver, at(5, { lane: "another" })), "");
  }),

  storageCase("a claim leases: due_at, leased and the version change, nothing else does", async (driver) => {
    await driver.commit([job("j", 1, { note: "žluť 😀", attempt: 3 })]);
    const before = await one(driver, "jobs", "j");
    const { now, jobs } = await driver.claim(at(10));
    assert.equal(now, START + 10_000);
    assert.equal(jobs[0]?.version, 2);
    assert.deepEqual(jobs[0]?.value, { ...before?.value, due_at: time(70), leased: true });
    assert.deepEqual(await one(driver, "jobs", "j"), jobs[0]);
    Object.assign(jobs[0]!.value, { note: "altered by the caller" });
    assert.equal((await one(driver, "jobs", "j"))?.value.note, "žluť 😀");
  }),

  storageCase("an expired lease is claimed again, and counted as lost", async (driver) => {
    await driver.commit([job("j", 1)]);
    const [first] = (await driver.claim(at(1))).jobs;
    assert.equal(await claimed(driver, at(60)), "");
    const [second] = (await driver.claim(at(61))).jobs;
    assert.deepEqual([second?.value.lost, second?.version, second?.value.due_at], [1, 3, time(121)]);
    const [third] = (await driver.claim(at(121))).jobs;
    assert.deepEqual([third?.value.lost, third?.version], [2, 4]);
    // A worker that lost the lease can't settle.
    const settled = { ...first!.value, due_at: null, leased: false, status: "failed" };
    const settle = (expect: number): Promise<void> =>
      driver.commit([{ op: "put", collection: "jobs", id: "j", value: settled, expect }]);
    await assert.rejects(settle(first!.version), { name: "StaleWriteError" });
    await assert.rejects(settle(second!.version), { name: "StaleWriteError" });
    await settle(third!.version);
    assert.equal(await claimed(driver, at(9999)), "");
  }),

  storageCase("a job given back is not counted as lost", async (driver) => {
    await driver.commit([job("j", 1)]);
    const [first] = (await driver.claim(at(1))).jobs;
    await driver.commit([job("j", 5)]);
    const [second] = (await driver.claim(at(5))).jobs;
    assert.deepEqual([second?.value.lost, second?.version], [0, first!.version + 2]);
  }),

  storageCase("excluded targets and targets at their share get nothing more", async (driver) => {
    const target = (name: string | null): object => ({ target: name });
    await driver.commit([
      ...[1, 2, 3, 4].map((n) => job(`a${n}`, n, { ...target("A") })),
      ...[1, 2].map((n) => job(`b${n}`, 4 + n, { ...target("B") })),
      ...[1, 2, 3].map((n) => job(`c${n}`, 6 + n, { ...target("C") })),
      ...[1, 2, 3].map((n) => job(`n${n}`, 9 + n, { ...target(null) })),
    ]);
    assert.equal(await claimed(driver, at(20, { exclude: ["A", "B", "C", "missing", "' OR 1=1"], limit: 1 })), "n1");
    assert.equal(await claimed(driver, at(20, { exclude: ["A"], perTarget: 1, limit: 2 })), "b1 c1");
    assert.equal(await claimed(driver, at(20, { perTarget: 2 })), "a1 a2 b2 c2 c3 n2 n3");
    assert.equal(await claimed(driver, at(20, { exclude: ["A"] })), "");
    assert.equal(await claimed(driver, at(20)), "a3 a4");
  }),

  storageCase("a flood of one target does not starve the others", async (driver) => {
    const flood = Array.from({ length: 1500 }, (_, i) => job(`dead-${padded(i)}`, 1, { target: "dead" }));
    const healthy = ["x", "y", "z"].flatMap((target, i) =>
      [0, 1, 2].map((n) => job(`${target}${n}`, 10 + i + n * 3, { target })),
    );
    await commitMany(driver, [
      ...flood,
      ...healthy,
      job("free", 12, { target: null }),
      job("x9", 500, { target: "x" }),
    ]);
    assert.equal(await claimed(driver, at(30, { exclude: ["dead"], perTarget: 2, limit: 5 })), "x0 y0 free z0 x1");
    const mixed = idsOf((await driver.claim(at(30, { perTarget: 2 }))).jobs);
    assert.deepEqual(mixed, ["dead-00000", "dead-00001", "y1", "z1", "x2", "y2", "z2"]);
    const rest = await driver.claim(at(30, { perTarget: 2000, limit: 2000 }));
    assert.equal(rest.jobs.length, 1498);
  }),

  storageCase("1,000 concurrent claims never hand out a job twice", async (driver) => {
    const jobs = Array.from({ length: 1200 }, (_, i) => job(padded(i), i % 50, { target: `w${i % 7}` }));
    await commitMany(driver, jobs);
    const claims = await Promise.all(Array.from({ length: 1000 }, () => driver.claim(at(100, { limit: 2 }))));
    const ids = claims.flatMap((claim) => idsOf(claim.jobs));
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, 1200);
  }),

  storageCase("nextDueAt is the earliest due time of the lane", async (driver) => {
    assert.equal(await driver.nextDueAt("webhook"), null);
    await driver.commit([job("never", null), job("mail", 1, { lane: "email" })]);
    assert.equal(await driver.nextDueAt("webhook"), null);
    await driver.commit([job("b", 20), job("a", 10)]);
    assert.equal(await driver.nextDueAt("webhook"), START + 10_000);
    assert.equal(await driver.nextDueAt("email"), START + 1000);
    const [first] = (await driver.claim(at(10))).jobs;
    assert.equal(await driver.nextDueAt("webhook"), START + 20_000);
    await driver.commit([{ op: "remove", collection: "jobs", id: "b" }]);
    assert.equal(await driver.nextDueAt("webhook"), START + 10_000 + LEASE);
    const settled = { ...first!.value, due_at: null, leased: false };
    await driver.commit([{ op: "put", collection: "jobs", id: "a", value: settled, expect: first!.version }]);
    assert.equal(await driver.nextDueAt("webhook"), null);
  }),

  storageCase("without a given time the store's own clock judges", async (driver) => {
    const hour = 3_600_000;
    const around = (ms: number): object => ({ due_at: new Date(Date.now() + ms).toISOString() });
    await driver.commit([job("past", 0, { ...around(-hour) }), job("future", 0, { ...around(hour) })]);
    const { now, jobs } = await driver.claim({ lane: "webhook", leaseMs: LEASE, limit: 9, exclude: [], perTarget: 9 });
    assert.deepEqual(idsOf(jobs), ["past"]);
    assert.ok(Math.abs(now - Date.now()) < 600_000);
    assert.equal(Date.parse(String(jobs[0]?.value.due_at)), now + LEASE);
  }),
];
