import { unzipSync } from "fflate";
import readExcel from "read-excel-file/node";
import { describe, expect, it } from "vitest";
import { type Cell, xlsxOf } from "../../../../src/lib/xlsx.ts";
import de from "../../../../src/texts/locales/de.ts";
import { inboxHarness } from "../../surfaces/inbox/_inbox.ts";

const sheetsOf = (bytes: ArrayBuffer) => readExcel(Buffer.from(bytes));
/** The lines of the first sheet. */
const read = async (bytes: ArrayBuffer): Promise<readonly (readonly unknown[])[]> =>
  (await sheetsOf(bytes))[0]?.data ?? [];

async function world(zone = "Europe/Berlin") {
  const backend = inboxHarness({ time_zone: zone }, { rateLimit: false, locales: [] });
  const form = await backend.forms.create({ name: 'Anfrage "Heizung" / Büro', spam: { protection: false } });
  const file = (query: string, user: object = { id: "ann", name: "Ann", role: "admin", team_ids: ["default"] }) =>
    backend.handle(
      new Request(`${backend.baseUrl}/inbox/f/${form.id}/export?${query}`, {
        headers: { "x-user": encodeURIComponent(JSON.stringify(user)) },
      }),
      { ip: "203.0.113.9" },
    );
  return { backend, form, file };
}

/** Values that a spreadsheet makes something else of, unless they are text. */
const awkward = [
  "004711",
  "12E5",
  "=1+1",
  "+49 40 123",
  "2026-10-31",
  "TRUE",
  "1,5",
  " spaces ",
  "a\nb",
  "👩‍👩‍👧 \u0007 _x0041_ <&>",
];

describe("a file for Excel", () => {
  it("has every value as the text that was sent, and times as those of the reader's wall clock", async () => {
    const { backend, form, file } = await world();
    const at = Date.parse("2026-10-31T22:30:00.000Z");
    await backend.clock.advance(at - backend.clock.now());
    for (const value of awkward) await backend.submit(form.id, { fields: { number: value, email: "ann@example.com" } });
    const response = await file("format=xlsx&order=asc");
    expect(response.status).toBe(200);
    const [header, ...rows] = await read(await response.arrayBuffer());
    expect(header?.slice(0, 4)).toEqual(["created_at", "number", "email", "attachments"]);
    expect(rows.map((row) => row[1])).toEqual(awkward.map((value) => value.trim()));
    // A spreadsheet knows no zones: its number is that of the wall clock.
    expect(rows[0]?.[0]).toEqual(new Date("2026-10-31T23:30:00.000Z"));
  });

  it("is named like its form, and has the columns that were chosen", async () => {
    const { backend, form, file } = await world();
    await backend.submit(form.id, { fields: { a: "1", b: "2", c: "3" } });
    const response = await file("format=xlsx&columns=c&columns=a&columns=id&columns=unknown");
    const name = decodeURIComponent(
      /filename\*=UTF-8''(\S+)/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "",
    );
    expect(name).toMatch(/^Anfrage Heizung Büro \d{4}-\d\d-\d\d\.xlsx$/);
    const [header, row] = await read(await response.arrayBuffer());
    expect(header).toEqual(["c", "a", "id"]);
    expect(row?.slice(0, 2)).toEqual(["3", "1"]);
  });

  it("is a CSV with semicolons for languages that write commas in numbers, and with commas for others", async () => {
    const backend = inboxHarness({}, { rateLimit: false, locales: [de] });
    const form = await backend.forms.create({ name: "Contact" });
    await backend.submit(form.id, { fields: { a: "1;2", b: "3,4" } });
    const person = (locale: string) => backend.as({ id: "ann", name: "Ann", role: "admin", locale });
    const lines = async (locale: string) =>
      (await person(locale).get(`/f/${form.id}/export?format=csv&columns=a&columns=b`)).text.trim().split("\r\n");
    expect(await lines("de")).toEqual(["a;b", '"1;2";3,4']);
    expect(await lines("en")).toEqual(["a,b", '1;2,"3,4"']);
  });

  it("goes on in a further sheet, and cuts only what no cell can have", async () => {
    const pages = async function* (): AsyncGenerator<(() => readonly Cell[])[]> {
      for (let page = 0; page < 5; page++) yield [0, 1, 2].map((n) => () => [`${page}.${n}`, "x".repeat(40_000)]);
    };
    let ended = 0;
    const sheet = {
      name: "A/very*long?name of a form that no tab can have",
      header: ["n", "long"],
      rows: pages(),
      purpose: "a test",
      most: 8,
    };
    const bytes = await new Response(await xlsxOf(sheet, () => ended++)).arrayBuffer();
    expect(ended).toBe(1);
    const sheets = await sheetsOf(bytes);
    expect(sheets).toHaveLength(3);
    expect(sheets.every(({ sheet }) => sheet.length <= 31 && !/[/*?]/.test(sheet))).toBe(true);
    const all = sheets.flatMap(({ data }) => data);
    const rows = all.filter(([n]) => n !== "n");
    expect(rows.map(([n]) => n)).toEqual([0, 1, 2, 3, 4].flatMap((page) => [0, 1, 2].map((n) => `${page}.${n}`)));
    expect(rows.every(([, long]) => String(long).length === 32_767)).toBe(true);
    expect(Object.keys(unzipSync(new Uint8Array(bytes)))).toContain("[Content_Types].xml");
  });
});
