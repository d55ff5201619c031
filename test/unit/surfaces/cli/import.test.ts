import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withStore } from "../../../../src/surfaces/cli/store.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const CSV =
  "Sent on;Email;Message\n05/06/2024 10:00;ann@example.com;Hello\n06/06/2024;bob@example.com;Hi\nyesterday;c@example.com;Oh\n";

async function store() {
  const cwd = temporaryDirectory();
  const shell = terminal({ cwd });
  const id = await withStore(shell.io, { create: true }, async (backend) => {
    const form = await backend.forms.create({ name: "Contact", settings: { key: "contact" } });
    return form.id;
  });
  const stored = () =>
    withStore(
      shell.io,
      { create: false },
      async (backend) => (await backend.submissions.list(id, { order: "asc", limit: 100 })).data,
    );
  const put = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  return { ...shell, id, stored, put };
}

describe("submissions import", () => {
  it("reads a file, names the lines that it can't read, and adds nothing a second time", async () => {
    const { cli, put, stored } = await store();
    put("old.csv", CSV);
    const args = [
      "submissions",
      "import",
      "contact",
      "old.csv",
      "--column",
      "created_at=Sent on",
      "--date-format",
      "dmy",
    ];
    const dry = await cli(...args, "--dry-run");
    expect(dry.code).toBe(1);
    expect(dry.err).toMatch(/^line 4: .*[\s\S]*Nothing was stored\.[\s\S]*1 row could not be read/m);
    expect(await stored()).toEqual([]);

    const first = await cli(...args, "--json");
    expect(first.code).toBe(1);
    expect(parsed(first.out)).toMatchObject([{ imported: 2, skipped: 0, failed: [{ line: 4 }] }]);
    expect((await stored()).map(({ created_at, fields }) => [created_at, fields[0]?.value])).toEqual([
      ["2024-06-05T10:00:00.000Z", "ann@example.com"],
      ["2024-06-06T00:00:00.000Z", "bob@example.com"],
    ]);
    const second = await cli(...args);
    expect(second.out).toMatch(/^imported +0$/m);
    expect(second.out).toMatch(/^skipped +2$/m);
    expect(await stored()).toHaveLength(2);
  });

  it("reads our own exports", async () => {
    const { cli, put, id, stored } = await store();
    const one = {
      id: "019b76da6a00000000000001",
      created_at: "2025-01-01T00:00:00.000Z",
      fields: [{ key: "a", value: "b" }],
    };
    put("ours.ndjson", `${JSON.stringify(one)}\n`);
    expect(await cli("submissions", "import", id, "ours.ndjson")).toMatchObject({ code: 0 });
    expect(await stored()).toMatchObject([one]);
  });

  it.each([{ flags: [] }, { flags: ["--from", "form-backend"] }])(
    "reads our own CSV with $flags",
    async ({ flags }) => {
      const { cli, put, id, stored } = await store();
      const header = "id,created_at,spam,read,ip,country,user_agent,referer,message,attachments";
      put(
        "ours.csv",
        `${header}\n019b76da6a00000000000001,2025-01-01T00:00:00.000Z,false,true,192.0.2.1,DE,,,'=1+1,\n`,
      );
      expect(await cli("submissions", "import", id, "ours.csv", ...flags)).toMatchObject({ code: 0 });
      const fields = [{ key: "message", value: "=1+1" }];
      expect(await stored()).toMatchObject([{ read: true, ip: "192.0.2.1", country: "DE", fields }]);
    },
  );

  it("stores the files of a team's export in the bucket of S3_URL, as serve does", async () => {
    const { cli, put, id, stored, io } = await store();
    const puts: string[] = [];
    const bucket = createServer((req, res) => {
      if (req.method === "PUT") puts.push(req.url ?? "");
      req.resume().on("end", () => res.end());
    });
    onTestFinished(() => void bucket.close());
    await once(bucket.listen(0, "127.0.0.1"), "listening");
    const { port } = bucket.address() as AddressInfo;
    Object.assign(io.env, { S3_URL: `http://id:secret@127.0.0.1:${port}/forms` });
    for (const folder of ["submissions", "files/file_1"]) mkdirSync(join(io.cwd, folder), { recursive: true });
    put("files/file_1/cv.txt", "my cv");
    const file = { key: "cv", name: "cv.txt", mime_type: "text/plain", path: "files/file_1/cv.txt" };
    const one = {
      id: "1",
      created_at: "2025-01-01T00:00:00.000Z",
      fields: [{ key: "a", value: "b" }],
      attachments: [file],
    };
    put("submissions/contact.ndjson", JSON.stringify(one));
    const { code, err } = await cli("submissions", "import", id, "submissions/contact.ndjson");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(puts).toEqual([expect.stringMatching(/^\/forms\//)]);
    expect(await stored()).toMatchObject([{ attachments: [{ key: "cv", mime_type: "text/plain" }] }]);
  });

  it("says how far it came when it is interrupted, and goes on", async () => {
    const { cli, put, stored, io } = await store();
    const rows = Array.from({ length: 50 }, (_, n) =>
      JSON.stringify({ created_at: "2025-01-01T00:00:00Z", fields: { n } }),
    );
    put("many.ndjson", rows.join("\n"));
    const stop = new AbortController();
    let seen = 0;
    const other = terminal({
      ...io,
      signal: stop.signal,
      tty: { in: false, out: false, err: true },
      now: () => Date.now() + seen * 1_000,
      err(text) {
        // The progress, which is written for each row as time goes here.
        if (text.includes("rows read") && ++seen === 20) stop.abort(new Error("Interrupted by SIGINT."));
      },
    });
    const { code } = await other.cli("submissions", "import", "contact", "many.ndjson");
    expect(code).toBe(1);
    expect((await stored()).length).toBeLessThan(50);
    expect((await cli("submissions", "import", "contact", "many.ndjson")).code).toBe(0);
    expect(await stored()).toHaveLength(50);
  });

  it("refuses a missing file, an unknown form, column and service", async () => {
    const { cli, put } = await store();
    put("old.csv", CSV);
    expect((await cli("submissions", "import", "contact", "none.csv")).err).toMatch(/There is no file none\.csv/);
    expect((await cli("submissions", "import", "other", "old.csv", "--column", "created_at=Sent on")).err).toMatch(
      /no form/,
    );
    expect((await cli("submissions", "import", "contact", "old.csv", "--column", "when=Sent on")).code).toBe(64);
    expect((await cli("submissions", "import", "contact", "old.csv", "--from", "typo")).code).toBe(64);
    expect((await cli("submissions", "import", "contact", "old.csv")).err).toMatch(/no column with the time/);
  });
});
