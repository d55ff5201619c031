import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import type { Answer } from "../../../_support/backend.ts";
import { fault, type Submitted, submitted } from "./_submissions.ts";

const DAY = 24 * 60 * 60 * 1_000;
const count = (b: Submitted, query = ""): Promise<Answer> =>
  b.call("GET", `/v1/forms/${b.id}/submissions/count${query}`);

/** Posts at these moments, in order. */
async function at(b: Submitted, ...moments: string[]): Promise<void> {
  for (const moment of moments) {
    await b.clock.advance(Date.parse(moment) - b.clock.now());
    await b.submit(b.id, { fields: { n: "1" } });
  }
}

describe("GET /v1/forms/{form_id}/submissions/count", () => {
  it("answers {count, exact} under the filters of the list", async () => {
    const b = await submitted();
    await b.submitted({ email: "ann@example.com" }, { country: "DE" });
    await b.submitted({ email: "bob@example.com" });
    await b.submitted({ email: "spam@example.com" }, { spam: true });
    expect((await count(b)).json).toEqual({ count: 2, exact: true });
    expect((await count(b, "?status=all")).json).toEqual({ count: 3, exact: true });
    expect((await count(b, "?status=spam")).json).toEqual({ count: 1, exact: true });
    expect((await count(b, "?q=bob")).json).toEqual({ count: 1, exact: true });
    expect((await count(b, "?country=DE")).json).toEqual({ count: 1, exact: true });
    expect((await count(b, "?field[email][starts_with]=ann&status=all")).json).toEqual({ count: 1, exact: true });
    expect((await count(b, "?created_after=2030-01-01T00:00:00Z")).json).toEqual({ count: 0, exact: true });
    expect(await b.submissions.count(b.id, { status: "all" })).toEqual({ count: 3, exact: true });
  });

  it("group_by=day, UTC", async () => {
    const b = await submitted();
    await at(b, "2026-11-20T23:59:59.999Z", "2026-11-21T00:00:00.000Z", "2026-11-21T12:00:00.000Z");
    expect((await count(b, "?group_by=day")).json).toEqual({
      count: 3,
      exact: true,
      groups: [
        { key: "2026-11-21", count: 2 },
        { key: "2026-11-20", count: 1 },
      ],
      other: 0,
    });
  });

  it("group_by=week, by ISO 8601: Monday to Sunday, the year of the Thursday", async () => {
    const b = await submitted();
    const weeks: [string, string][] = [
      ["2026-01-01", "2026-W01"],
      ["2026-01-04", "2026-W01"],
      ["2026-01-05", "2026-W02"],
      ["2026-11-21", "2026-W47"],
      ["2026-12-31", "2026-W53"],
      ["2027-01-03", "2026-W53"],
      ["2027-01-04", "2027-W01"],
      ["2028-12-31", "2028-W52"],
      ["2029-01-01", "2029-W01"],
      ["2029-12-31", "2030-W01"],
    ];
    await at(b, ...weeks.map(([day]) => `${day}T10:00:00.000Z`));
    const { json } = await count(b, "?group_by=week");
    const expected = new Map<string, number>();
    for (const [, week] of weeks) expected.set(week, (expected.get(week) ?? 0) + 1);
    expect(new Map(json.groups.map(({ key, count }: { key: string; count: number }) => [key, count]))).toEqual(
      expected,
    );
    expect(json.groups.slice(0, 2)).toEqual([
      { key: "2026-W01", count: 2 },
      { key: "2026-W53", count: 2 },
    ]);
  });

  it("group_by=month", async () => {
    const b = await submitted();
    await at(b, "2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z");
    expect((await count(b, "?group_by=month")).json.groups).toEqual([
      { key: "2026-11", count: 1 },
      { key: "2026-12", count: 1 },
    ]);
  });

  it("group_by=country, spam, read", async () => {
    const b = await submitted();
    const first = await b.submitted({ n: "1" }, { country: "DE" });
    await b.submitted({ n: "2" }, { country: "DE" });
    await b.submitted({ n: "3" });
    await b.submitted({ n: "4" }, { spam: true });
    await b.submissions.update(b.id, first, { read: true });
    expect((await count(b, "?group_by=country")).json.groups).toEqual([
      { key: "DE", count: 2 },
      { key: "unknown", count: 1 },
    ]);
    expect((await count(b, "?group_by=spam&status=all")).json.groups).toEqual([
      { key: "false", count: 3 },
      { key: "true", count: 1 },
    ]);
    expect((await count(b, "?group_by=read")).json.groups).toEqual([
      { key: "false", count: 2 },
      { key: "true", count: 1 },
    ]);
  });

  it("group_by=field:NAME, the first value of the field; those without it are `other`", async () => {
    const b = await submitted();
    await b.submitted({ "a:b[c]": ["x", "y"] });
    await b.submitted({ "a:b[c]": "x" });
    await b.submitted({ "a:b[c]": "", n: "1" });
    await b.submitted({ n: "1" });
    const query = `?group_by=${encodeURIComponent("field:a:b[c]")}`;
    expect((await count(b, query)).json).toEqual({
      count: 4,
      exact: true,
      groups: [
        { key: "x", count: 2 },
        { key: "", count: 1 },
      ],
      other: 1,
    });
  });

  it("answers the 20 largest groups, ties by key, and the rest as `other`", async () => {
    const b = await submitted();
    for (let i = 0; i < 25; i++) await b.submit(b.id, { fields: { v: String(i).padStart(2, "0") } });
    for (let i = 0; i < 2; i++) await b.submit(b.id, { fields: { v: "24" } });
    const { json } = await count(b, "?group_by=field:v");
    expect(json).toMatchObject({ count: 27, exact: true, other: 5 });
    expect(json.groups).toHaveLength(20);
    expect(json.groups[0]).toEqual({ key: "24", count: 3 });
    expect(json.groups[1]).toEqual({ key: "00", count: 1 });
    expect(json.groups[19]).toEqual({ key: "18", count: 1 });
  });

  it("gives the store 5 s, and says exact: false when they were not enough", async () => {
    const budgets: number[] = [];
    const storage = memoryStorage();
    const b = await submitted({
      storage: {
        ...storage,
        count: (collection, query) => {
          budgets.push(query.budgetMs);
          return storage.count(collection, { ...query, budgetMs: 0 });
        },
      },
    });
    for (let i = 0; i < 1_500; i++) await b.submit(b.id, { fields: { n: "x" } });
    const { status, json } = await count(b, "?q=x&group_by=day");
    expect(status).toBe(200);
    expect(json.exact).toBe(false);
    expect(json.count).toBeGreaterThan(0);
    expect(json.count).toBeLessThan(1_500);
    expect(budgets).toEqual([5_000]);
  });

  for (const by of ["", "year", "Day", "field", "field:", `field:${"n".repeat(201)}`, "created_at", "form_id"]) {
    it(`400 invalid_parameter on group_by: ${by.slice(0, 20)}`, async () => {
      expect(fault(await count(await submitted(), `?group_by=${by}`))).toEqual([400, "invalid_parameter", "group_by"]);
    });
  }

  it("400 invalid_parameter on what belongs to a list only", async () => {
    const b = await submitted();
    for (const param of ["limit", "cursor", "order"]) {
      expect(fault(await count(b, `?${param}=1`))).toEqual([400, "invalid_parameter", param]);
    }
  });

  it("has 20 of the 31 days of a month, the earliest ones where all are equal", async () => {
    const b = await submitted();
    for (let i = 0; i < 31; i++) {
      await b.clock.advance(DAY);
      await b.submit(b.id, { fields: { n: "1" } });
    }
    const { json } = await count(b, "?group_by=day");
    expect(json).toMatchObject({ count: 31, other: 11 });
    expect(json.groups[0]).toEqual({ key: "2026-01-02", count: 1 });
  });
});
