import { expect, it, onTestFinished } from "vitest";
import { createTestBackend } from "../../../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../../../src/surfaces/testing/clock.ts";
import { deleteColumn, fileUrl, googleSheets, records, type Tab } from "../../../../_support/destinations/google.ts";
import { runs } from "../../../../_support/runs.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function world() {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const google = await googleSheets(clock.now);
  onTestFinished(google.close);
  const backend = createTestBackend({ clock, integrations: google.options, rateLimit: false, logger: quiet });
  onTestFinished(() => backend.close());
  const form = await backend.forms.create({ name: "Contact", spam: { protection: false } });
  await backend.webhooks.create(form.id, { url: fileUrl, format: "google_sheets" });
  return { clock, google, backend, form: form.id, sheet: google.tabs[0] as Tab };
}

it("moves no value, whatever a person renames, moves, adds and deletes between two writes", async () => {
  const { backend, form, sheet } = await world();
  const fields = ["a", "b", "c", "d"];
  let seed = 20_260_101;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const columns = (): number => sheet.rows[0]?.length ?? 0;
  const each = (change: (row: (string | number | boolean)[]) => void): void => {
    for (const row of sheet.rows) {
      while (row.length < columns()) row.push("");
      change(row);
    }
  };
  const isId = (place: number): boolean => String(sheet.rows[0]?.[place]).trim().toLowerCase() === "submission_id";
  const acts = [
    (place: number, other: number) => each((row) => row.splice(other, 0, ...row.splice(place, 1))),
    (place: number) => {
      const headers = sheet.rows[0] as string[];
      if (!isId(place)) headers[place] = `renamed ${random(1_000_000)}`;
    },
    (place: number) => !isId(place) && deleteColumn(sheet, place),
    (place: number) => {
      const width = columns();
      for (const row of sheet.rows) {
        while (row.length < width) row.push("");
        row.splice(place, 0, row === sheet.rows[0] ? `notes ${random(1_000_000)}` : "");
      }
      sheet.columns++;
    },
    (place: number) => {
      const headers = sheet.rows[0] as string[];
      headers[place] = ` ${String(headers[place]).toUpperCase()} `;
    },
  ];
  const all = runs(60, 2_000);
  const ids: string[] = [];
  let shared = 0;
  for (let n = 0; n < all; n++) {
    const { id } = await backend.submit(form, {
      fields: Object.fromEntries(fields.map((name) => [name, `${name}:${n}`])),
    });
    ids.push(id);
    if (n % 3 !== 2) continue;
    await backend.clock.advance(10_000);
    const headers = (sheet.rows[0] ?? []).map((one) => String(one).trim().toLowerCase());
    const place = headers.indexOf("submission_id");
    expect(sheet.rows.slice(1).map((row) => row[place])).toEqual(ids);
    // A row that was written just now has each value under its own header.
    for (const [at, row] of sheet.rows.slice(-3).entries())
      for (const name of fields) expect(row[headers.indexOf(name)]).toBe(`${name}:${n - 2 + at}`);
    acts[random(acts.length)]?.(random(columns()), random(columns()));
  }
  // The values of one column, whatever it is called by now, came from one field.
  for (let place = 0; place < columns(); place++) {
    const names = sheet.rows.slice(1).map((row) => /^([a-d]):\d+$/.exec(String(row[place] ?? ""))?.[1]);
    const found = new Set(names.filter((name) => name !== undefined));
    expect(found.size).toBeLessThanOrEqual(1);
    shared += found.size;
  }
  expect(shared).toBeGreaterThanOrEqual(fields.length);
});

it("stays below 60 requests a minute with thousands of rows due, and has them all in minutes", async () => {
  const { clock, google, backend, form, sheet } = await world();
  const all = runs(800, 10_000);
  const ids: string[] = [];
  for (let n = 0; n < all; n++) ids.push((await backend.submit(form, { fields: { n: `${n}` } })).id);
  const from = clock.now();
  await backend.clock.advance((all / 100) * 2_200 + 60_000);
  // In order within a request; a delivery that is read late is in a later one.
  expect(
    records(sheet)
      .map(({ submission_id }) => submission_id)
      .sort(),
  ).toEqual(ids);
  const times = google.got.filter(({ path }) => path !== "/token").map(({ at }) => at);
  let [first, busiest] = [0, 0];
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? 0) <= at - 60_000) first++;
    busiest = Math.max(busiest, last - first + 1);
  }
  expect(busiest).toBeLessThanOrEqual(60);
  const took = (times.at(-1) ?? 0) - from;
  console.info(`${all} rows: ${busiest} requests in the busiest minute, ${(took / 1_000).toFixed(0)} s`);
}, 300_000);
