import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { runs } from "../../../_support/runs.ts";
import { fill, measureExports, ROWS, row, START } from "./_scale.ts";

const folder = mkdtempSync(join(tmpdir(), "form-backend-scale-"));
const path = join(folder, "forms.db");
const storage = sqliteStorage({ path });
const END = START + 31 * 24 * 60 * 60 * 1_000;
let b: Harness;
let id: string;

beforeAll(async () => {
  b = harness({ storage, rateLimit: false, clock: testClock(END) });
  id = (await b.forms.create({ name: "Busy" })).id;
  await fill(storage, id);
}, 300_000);

afterAll(async () => {
  await b.close();
  rmSync(folder, { recursive: true });
});

const get = (query: string) => b.call("GET", `/v1/forms/${id}/submissions${query}`);
const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await run();
  console.log(`${what}: ${(performance.now() - started).toFixed(1)} ms`);
  return result;
};

describe("100,000 submissions in SQLite", () => {
  it("lists the first page, and a filtered one", async () => {
    await get("");
    const page = await timed("first page of 25", () => get(""));
    expect(page.json).toMatchObject({ data: { length: 25 }, has_more: true });
    expect(page.json.data[0].fields[0].value).toBe(`Visitor ${ROWS - 1}`);
    const rare = await timed("filter that one of 100,000 passes", () => get("?field[email][eq]=visitor7@example.com"));
    expect(rare.json.data).toHaveLength(1);
    const common = await timed("filter that a third passes, page of 100", () =>
      get("?limit=100&field[topic][eq]=press"),
    );
    expect(common.json).toMatchObject({ data: { length: 100 }, has_more: true });
    const text = await timed("q over every value", () => get("?q=VISITOR%2099999&limit=100"));
    expect(text.json.data).toHaveLength(1);
  });

  it("counts them by day, exactly", async () => {
    // A count ends after five seconds and then says that it is not exact: on a busy machine, too. Slow time, and not
    // none, because the scan measures its slices.
    const real = performance.now.bind(performance);
    const began = real();
    const now = vi.spyOn(performance, "now").mockImplementation(() => began + (real() - began) / 100);
    onTestFinished(() => now.mockRestore());
    const { json } = await get("/count?group_by=day");
    expect(json).toMatchObject({ count: ROWS, exact: true });
    expect(json.groups).toHaveLength(20);
    expect(json.groups.reduce((sum: number, { count }: { count: number }) => sum + count, json.other)).toBe(ROWS);
    const filtered = await get("/count?field[topic][eq]=press&group_by=country");
    expect(filtered.json).toMatchObject({ count: 33_333, exact: true, groups: [{ key: "unknown", count: 33_333 }] });
  });

  it("walks all pages while others are inserted, no row lost or doubled", async () => {
    const seen = new Set<string>();
    let rows = 0;
    let pages = 0;
    let late = 0;
    await timed("walk of all pages of 100", async () => {
      for (let cursor = ""; ; ) {
        const { status, json } = await get(`?limit=100${cursor && `&cursor=${cursor}`}`);
        expect(status).toBe(200);
        for (const { id: one } of json.data as { id: string }[]) seen.add(one);
        rows += json.data.length;
        pages++;
        // Behind the walk, ahead of it, and in the very millisecond of its edge.
        if (pages % 10 === 0) {
          const edge = Date.parse(json.data.at(-1).created_at);
          const writes = [END, START + 1, edge].map((at) => row(id, ROWS + late++, at));
          await storage.commit(writes);
        }
        if (!json.next_cursor) break;
        cursor = json.next_cursor;
      }
    });
    expect(rows).toBe(seen.size);
    const before = Array.from({ length: ROWS }, (_, i) => row(id, i).id);
    expect(before.filter((one) => !seen.has(one))).toEqual([]);
    expect(late).toBeGreaterThan(250);
  }, 300_000);

  it("exports every row as a stream, memory growing less than 64 MB", async () => {
    const { count } = (await get("/count")).json;
    const queries = ["format=csv&q=lorem", "format=json", "format=ndjson", "format=csv"].slice(0, runs(2, 4));
    const measured = await measureExports(path, id, queries);
    for (const one of measured) console.log(JSON.stringify(one));
    expect(measured.map(({ lines }) => lines)).toEqual(
      queries.map((query) => (query.startsWith("format=csv") ? count + 1 : count)),
    );
    for (const { rss, heap, bytes } of measured) {
      expect(bytes).toBeGreaterThan(60 * 2 ** 20);
      expect(rss).toBeLessThan(64);
      expect(heap).toBeLessThan(64);
    }
  }, 300_000);
});
