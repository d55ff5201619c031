import { describe, expect, it } from "vitest";
import { type CsvOptions, type CsvPreset, csvRows, type ImportFile } from "../../../../src/surfaces/import/index.ts";

async function read(file: ImportFile, options?: CsvPreset | CsvOptions): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of csvRows(file, options)) {
    // Without the members that no column has.
    rows.push(JSON.parse(JSON.stringify(row, (_, value) => (value === false ? undefined : value))));
  }
  return rows;
}
const fails = (file: ImportFile, options?: CsvPreset | CsvOptions): Promise<string> =>
  read(file, options).then(
    () => "nothing failed",
    (error: Error) => error.message,
  );
const at = "2025-01-31T09:30:00.000Z";

describe("csvRows", () => {
  it("reads Formspree's export: id, date, fields by name", async () => {
    const csv = 'id,date,email,message\n1,2025-01-31T09:30:00,a@example.com,"Hi,\nthere"\n2,2025-01-31 09:30,,b\n';
    expect(await read(csv, "formspree")).toEqual([
      {
        created_at: at,
        source_id: "1",
        line: 2,
        fields: [
          { key: "email", value: "a@example.com" },
          { key: "message", value: "Hi,\nthere" },
        ],
      },
      { created_at: at, source_id: "2", line: 4, fields: [{ key: "message", value: "b" }] },
    ]);
  });

  it.each<[CsvPreset, string]>([
    ["netlify", "number,created_at,ip,user_agent,referrer"],
    ["basin", "ID,Created At,IP Address,User Agent,Referrer"],
    ["web3forms", "id,submitted_at,ip,userAgent,pageUrl"],
    ["getform", "hashId,Submission Date,IP,User-Agent,Referer"],
    ["forminit", "hashId,submissionDate,ip,user_agent,referrer"],
  ])("knows the columns of %s, however they are written", async (preset, header) => {
    expect(await read(`${header},name\n7,2025-01-31T09:30:00Z,192.0.2.1,UA,https://a.test/,Ann\n`, preset)).toEqual([
      {
        created_at: at,
        source_id: "7",
        ip: "192.0.2.1",
        user_agent: "UA",
        referer: "https://a.test/",
        line: 2,
        fields: [{ key: "name", value: "Ann" }],
      },
    ]);
  });

  it("reads any file by a mapping: columns, names, dates of a zone, several values in a cell, spam", async () => {
    const csv = "Sent;Junk;Topic;Secret;Mail\n31.01.2025 10:30;yes;a|b;x;ann@example.com\n";
    const options: CsvOptions = {
      columns: { created_at: "Sent", spam: "Junk" },
      rename: { Mail: "email", Secret: null },
      date_format: "dmy",
      time_zone: "Europe/Berlin",
      separator: "|",
    };
    expect(await read(csv, options)).toEqual([
      {
        created_at: at,
        spam: true,
        line: 2,
        fields: [
          { key: "Topic", value: "a" },
          { key: "Topic", value: "b" },
          { key: "email", value: "ann@example.com" },
        ],
      },
    ]);
  });

  it.each([
    ["\t", "date\tname\n2025-01-31T09:30Z\tAnn\n"],
    [";", "date;name, both;more\n2025-01-31T09:30Z;Ann\n"],
  ])("finds the delimiter %j by itself", async (_, csv) => {
    expect(await read(csv)).toEqual([
      expect.objectContaining({ created_at: at, fields: [expect.objectContaining({ value: "Ann" })] }),
    ]);
  });

  it("takes a BOM, CRLF, empty lines, UTF-16, and characters cut by chunks", async () => {
    const text = "date,größe\r\n\r\n2025-01-31T09:30Z,Größe 😀\r\n";
    const bytes = Buffer.from(`\uFEFF${text}`);
    async function* single() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    const utf16 = Buffer.from(`\uFEFF${text}`, "utf16le");
    for (const file of [bytes, single(), utf16, text, new Blob([bytes]).stream()]) {
      expect(await read(file)).toEqual([
        expect.objectContaining({ created_at: at, fields: [{ key: "größe", value: "Größe 😀" }] }),
      ]);
    }
  });

  it("takes lines that are shorter than the header, and reports those that are longer", async () => {
    const csv = "date,a,b\n2025-01-31,1\n2025-01-31,1,2,3\n2025-01-31,1,2\n";
    expect(await read(csv)).toEqual([
      expect.objectContaining({ fields: [{ key: "a", value: "1" }], line: 2 }),
      { unreadable: "The line has 4 cells, and the header has 3.", line: 3 },
      expect.objectContaining({ line: 4 }),
    ]);
  });

  it("leaves a wrong date for the import to report, with its line", async () => {
    expect(await read("date,a\nyesterday,1\n3/4/2025,2\n")).toEqual([
      expect.objectContaining({ created_at: "yesterday", line: 2 }),
      expect.objectContaining({ created_at: "3/4/2025", line: 3 }),
    ]);
  });

  it("leaves formulas of other exports as they are: our own export guards them", async () => {
    expect(await read("date,a\n2025-01-31,=1+1\n")).toEqual([
      expect.objectContaining({ fields: [{ key: "a", value: "=1+1" }] }),
    ]);
  });

  it("reads quotes in the midst of a cell, names that come twice, and columns without a name", async () => {
    const csv = 'date,a,a,,date\n2025-01-31,5" pipe,"x" y,z,soon\n';
    expect(await read(csv)).toEqual([
      expect.objectContaining({
        fields: [
          { key: "a", value: '5" pipe' },
          { key: "a", value: '"x" y' },
          { key: "column 4", value: "z" },
          { key: "date", value: "soon" },
        ],
      }),
    ]);
  });

  it("takes 1,000 columns and refuses 1,001", async () => {
    const csv = (count: number): string => {
      const names = Array.from({ length: count - 1 }, (_, n) => `f${n}`).join(",");
      return `date,${names}\n2025-01-31,${names}\n`;
    };
    const [row] = (await read(csv(1_000))) as { fields: unknown[] }[];
    expect(row?.fields).toHaveLength(999);
    expect(await fails(csv(1_001))).toBe(
      "[form-backend] csv: the header has 1001 columns, and an import takes at most 1000.",
    );
  });

  it("says what is wrong with a file", async () => {
    expect(await fails("")).toContain("the file is empty");
    expect(await fails("name,mail\nAnn,a@example.com\n")).toMatch(
      /no column with the time.*columns: \{ created_at.*"name", "mail"/,
    );
    expect(await fails("a,b\n1,2\n", { columns: { created_at: "Sent" } })).toContain('the header has no column "Sent"');
    expect(await fails("a\n1\n", "typeform" as CsvPreset)).toContain('there is no preset "typeform"');
    expect(await fails("a\n1\n", "form-backend")).toContain("not that of an export of this library");
    expect(await fails('date,a\n2025-01-31,1\n2025-01-31,"open\n2025-01-31,3\n')).toContain("begins in line 3");
  });

  it("holds no more than a record of a file without an end, and stops at a quote that nobody closes", async () => {
    let sent = 0;
    async function* endless() {
      yield 'date,a\n2025-01-31,1\n2025-01-31,"open';
      for (;;) yield "x".repeat(65_536 + 0 * sent++);
    }
    expect(await fails(endless())).toContain("a quote is opened in the record that begins in line 3");
    expect(sent * 65_536).toBeLessThan(16 * 1024 * 1024);
  });

  it("passes on the error of a file, and reads no further than it is asked", async () => {
    let sent = 0;
    async function* broken() {
      yield "date,a\n2025-01-31,1\n";
      throw new Error("EIO");
    }
    expect(await fails(broken())).toBe("EIO");
    async function* endless() {
      yield "date,a\n";
      for (;;) {
        sent++;
        yield "2025-01-31,1\n".repeat(1_000);
      }
    }
    let rows = 0;
    for await (const _ of csvRows(endless())) if (++rows === 5_000) break;
    expect(sent).toBeLessThan(200);
  });
});
