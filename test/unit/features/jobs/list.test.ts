import { describe, expect, it } from "vitest";
import { findJob, getJob, type JobsPageQuery, listJobs, pageJobs } from "../../../../src/features/jobs/list.ts";
import { time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { coreWithJobs } from "./_rows.ts";

const ids = (views: readonly { id: string }[]): string[] => views.map(({ id }) => id);

/** Deliveries of two forms: one for each second of 2026, in this order. */
async function world() {
  const { core, add } = await coreWithJobs();
  const failed = { status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX" };
  await add("hook", null, { created_at: time(1), status: "succeeded" });
  await add("mail", null, { created_at: time(2), kind: "owner_email", to: "ann@example.com", ...failed });
  await add("second", null, { created_at: time(3), submission_id: "s2", ...failed });
  await add("other form", null, { created_at: time(4), form_id: "f2", submission_id: "s3", ...failed });
  return { core, add };
}

describe("the list of deliveries", () => {
  it("has those that match, newest first", async () => {
    const { core } = await world();
    const of = async (query: object) => ids(await listJobs(core, query));
    expect(await of({})).toEqual(["other form", "second", "mail", "hook"]);
    expect(await of({ form_id: "f1" })).toEqual(["second", "mail", "hook"]);
    expect(await of({ form_id: "f1", status: "failed" })).toEqual(["second", "mail"]);
    expect(await of({ status: "failed" })).toEqual(["other form", "second", "mail"]);
    expect(await of({ submission_id: "s1" })).toEqual(["mail", "hook"]);
    expect(await of({ submission_id: "s1", form_id: "f2" })).toEqual([]);
    expect(await of({ submission_id: "s1", status: "failed" })).toEqual(["mail"]);
    expect(await of({ kind: "owner_email" })).toEqual(["mail"]);
    expect(await of({ kind: "webhook", status: "failed", form_id: "f1" })).toEqual(["second"]);
    expect(await of({ since: time(3) })).toEqual(["other form", "second"]);
  });

  it("ends at 1,000", async () => {
    const { core, add } = await coreWithJobs();
    for (let n = 0; n < 1_001; n++) await add(`job${n}`, null, { created_at: time(n) });
    const found = ids(await listJobs(core, {}));
    expect([found.length, found.at(0), found.at(-1)]).toEqual([1_000, "job1000", "job1"]);
  });

  it("shows each with its addressee and its attempts, as one delivery by itself is shown", async () => {
    const { core, add } = await world();
    const attempt = { at: time(1), ms: 5, status: "failed", code: "ERROR_WEBHOOK_TIMEOUT" };
    await add("tried", null, { created_at: time(5), attempts: [attempt], occurred_at: time(5), attempt: 1 });
    const [tried, , , mail] = await listJobs(core, {});
    expect(tried).toEqual({
      ...{ id: "tried", kind: "webhook", target: "w1", webhook_id: "w1", form_id: "f1", submission_id: "s1" },
      ...{ status: "pending", code: "PENDING", attempt: 1, occurred_at: time(5), attempts: [attempt] },
    });
    expect(mail).toMatchObject({ id: "mail", target: "ann@example.com", attempts: [] });
    expect(await getJob(core, "tried")).toEqual(tried);
    expect((await findJob(core, "mail")).value.kind).toBe("owner_email");
    const missing = { code: "not_found", message: "There is no job with this id." };
    await expect(getJob(core, "none")).rejects.toMatchObject(missing);
    await expect(findJob(core, "none")).rejects.toMatchObject(missing);
  });

  it("refuses what it does not know, by name", async () => {
    const { core } = await coreWithJobs();
    for (const [query, param] of [
      [{ stauts: "failed" }, "stauts"],
      [{ kind: "telegram" }, "kind"],
      [{ status: "gone" }, "status"],
      [{ since: "yesterday" }, "since"],
    ] as const)
      await expect(listJobs(core, query as object)).rejects.toMatchObject({ code: "invalid_parameter", param });
  });
});

describe("a page of a form's deliveries", () => {
  it("has those that match, and its cursor leads on only with the same query", async () => {
    const { core } = await world();
    const page = async (query: JobsPageQuery) => {
      const { data, ...rest } = await pageJobs(core, query);
      return { data: ids(data), ...rest };
    };
    const end = { has_more: false, next_cursor: null };
    expect(await page({ form_id: "f1" })).toEqual({ data: ["second", "mail", "hook"], ...end });
    expect(await page({ form_id: "f1", status: "failed" })).toEqual({ data: ["second", "mail"], ...end });
    expect(await page({ form_id: "f1", kind: "webhook" })).toEqual({ data: ["second", "hook"], ...end });
    expect(await page({ form_id: "f1", submission_id: "s1" })).toEqual({ data: ["mail", "hook"], ...end });
    expect(await page({ form_id: "f1", submission_id: "s3" })).toEqual({ data: [], ...end });
    const narrow = { form_id: "f1", submission_id: "s1", kind: "webhook", status: "failed" } as const;
    expect(await page(narrow)).toEqual({ data: [], ...end });
    const first = await page({ form_id: "f1", limit: 2 });
    expect(first).toEqual({ data: ["second", "mail"], has_more: true, next_cursor: expect.any(String) });
    const cursor = first.next_cursor as string;
    expect(await page({ form_id: "f1", limit: 2, cursor })).toEqual({ data: ["hook"], ...end });
    // A page that ends with the last delivery has no next page.
    expect(await page({ form_id: "f1", limit: 3 })).toEqual({ data: ["second", "mail", "hook"], ...end });
    for (const other of [{ form_id: "f2" }, { submission_id: "s1" }, { kind: "webhook" }, { status: "failed" }])
      await expect(page({ form_id: "f1", cursor, ...other } as JobsPageQuery)).rejects.toMatchObject({
        code: "invalid_parameter",
        param: "cursor",
      });
  });

  it("has 25 unless it is told otherwise, and 100 at most", async () => {
    const { core, add } = await coreWithJobs();
    for (let n = 0; n < 101; n++) await add(`job${n}`, null, { created_at: time(n) });
    expect((await pageJobs(core, { form_id: "f1" })).data).toHaveLength(25);
    expect((await pageJobs(core, { form_id: "f1", limit: 100 })).data).toHaveLength(100);
  });
});
