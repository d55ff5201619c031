import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { type CollectionSpec, collections } from "../../../../src/model/collections.ts";
import {
  fewAndMany,
  plansAsOfFew,
  rowsRead,
  type ScaledStore,
  scaledStore,
  stepsOf,
} from "../../../_support/scaled-store.ts";
import { sqliteSql } from "../../../bench/generate.mjs";
import { watchSqlite } from "../../../bench/plans.mjs";

/** What each question may read, by index. A question that names no more than these reads no table from end to end. */
const indexes: Record<string, readonly RegExp[]> = {
  "newest page": [/fb_submissions_form_spam \(form_id=\? AND spam=\? AND created_at>\?\)/],
  "deep cursor page": [
    /fb_submissions_form_spam \(form_id=\? AND spam=\? AND created_at>\? AND \(created_at,id\)<\(\?,\?\)\)/,
  ],
  "spam page": [/fb_submissions_form_spam \(form_id=\? AND spam=\? AND created_at>\?\)/],
  "delivery log page": [/MERGE/, /fb_jobs_target_status \(target=\? AND status=\? AND occurred_at>\?\)/],
  "delivery log, deep": [
    /MERGE/,
    /fb_jobs_target_status \(target=\? AND status=\? AND occurred_at>\? AND \(occurred_at,id\)<\(\?,\?\)\)/,
  ],
  "delivery log, failing": [/fb_jobs_target_status \(target=\? AND status=\? AND occurred_at>\?\)/],
  "field statistics": [/MERGE/, /fb_submissions_form_spam \(form_id=\? AND spam=\? AND created_at>\?\)/],
  retrieve: [/sqlite_autoindex_fb_submissions_1 \(id=\?\)/],
  "retrieve a delivery": [/fb_jobs_submission \(submission_id=\? AND created_at>\?\)/],
};

/** How SQLite says that it reads several runs of an index side by side. */
const merged = /^(MERGE \(UNION ALL\)|LEFT|RIGHT)$/;

function storeOf(rows: number): Promise<ScaledStore> {
  const database = new DatabaseSync(":memory:");
  const watched = watchSqlite(database);
  return scaledStore(sqliteStorage({ database: watched.database }), sqliteSql(database), watched.plans, rows);
}

describe("a form with very many submissions in SQLite", () => {
  const stores = fewAndMany(storeOf);

  for (const [question, expected] of Object.entries(indexes)) {
    it(`answers "${question}" from an index, reading as much as in a small form`, async () => {
      const plans = await plansAsOfFew(stores(), question);
      const steps = stepsOf(plans);
      for (const index of expected) expect(steps.join("\n")).toMatch(index);
      for (const step of steps) {
        expect(step).toMatch(merged.test(step) ? merged : /^SEARCH /);
      }
    });
  }

  it("claims from the work list by its index, and from target to target where one target fills its front", async () => {
    const { many } = stores();
    const { webhookId } = many.facts;
    const later = Date.now() + 1e9;
    const query = { lane: "webhook", leaseMs: 1_000, limit: 8, perTarget: 8, now: later };
    const first = await many.watch(() => many.storage.claim({ ...query, exclude: [] }));
    expect(stepsOf(first).join("\n")).toMatch(/fb_jobs_due \(lane=\? AND due_at<\?\)/);
    const others = await many.watch(() => many.storage.claim({ ...query, exclude: [webhookId] }));
    expect(stepsOf(others).join("\n")).toMatch(
      /fb_jobs_due_target \(lane=\? AND target=\? AND due_at>\? AND due_at<\?\)/,
    );
    const next = await many.watch(() => many.storage.nextDueAt("webhook"));
    for (const step of stepsOf([...first, ...others, ...next])) expect(step).not.toMatch(/SCAN fb_|SCAN j\b/);
    // Nobody looks at more of a long list than the window at its front.
    expect(rowsRead(first)).toBeLessThan(300);
    expect(rowsRead(others)).toBeLessThan(300);
    expect(rowsRead(next)).toBe(1);
  });

  it("reads every page, in both directions and from any place, by the index that it names or that it is merged of", async () => {
    const { many } = stores();
    for (const [collection, spec] of Object.entries<CollectionSpec>(collections)) {
      for (const [index, { equals, sort, merges }] of Object.entries(spec.indexes)) {
        const pins = Object.fromEntries(
          equals.map((column) => [column, spec.columns[column] === "boolean" ? true : "x"]),
        );
        const read = merges ? merges.index : index;
        const pinned = spec.indexes[read]?.equals ?? [];
        const where = [...pinned.map((column) => `${column}=\\?`), `(?:${sort}>|\\(${sort},id\\))`].join(" AND ");
        const search = new RegExp(`^SEARCH fb_${collection} USING INDEX fb_${collection}_${read} \\(${where}`);
        for (const order of ["asc", "desc"] as const) {
          for (const after of [undefined, { sort: "2026-01-01T00:00:00.000Z", id: "x" }]) {
            const query = { index, equals: pins, order, after, limit: 25 };
            const plans = await many.watch(() => many.storage.page(collection, query));
            const [first = "", ...more] = stepsOf(plans);
            if (merges) expect(first).toBe("MERGE (UNION ALL)");
            const searches = [first, ...more].filter((step) => !merged.test(step));
            expect(searches).toHaveLength(merges?.values.length ?? 1);
            for (const step of searches) expect(step).toMatch(search);
            expect(plans).toHaveLength(1);
          }
        }
      }
    }
  });

  it("finds the edges of windows and counts in a merged index by its runs, without an order of its own", async () => {
    const { many } = stores();
    for (const [collection, query, pinned] of [
      ["submissions", { index: "form", equals: { form_id: many.facts.formId } }, "fb_submissions_form_spam"],
      ["jobs", { index: "target", equals: { target: many.facts.webhookId } }, "fb_jobs_target_status"],
    ] as const) {
      const where = [{ column: collection === "jobs" ? "lost" : "country", op: "in", value: ["none"] }] as const;
      const plans = await many.watch(async () => {
        await many.storage.page(collection, { ...query, where, order: "desc", limit: 25 });
        await many.storage.count(collection, { ...query, budgetMs: 60_000 });
        await many.storage.count(collection, {
          ...query,
          where,
          groupBy: { column: "form_id" },
          budgetMs: 60_000,
        });
      });
      expect(plans.length).toBeGreaterThan(6);
      for (const step of stepsOf(plans)) {
        if (step.startsWith("SEARCH")) expect(step).toMatch(new RegExp(`INDEX ${pinned} \\(`));
        else expect(step).not.toMatch(/fb_/);
      }
    }
  });
});
