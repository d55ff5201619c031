import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { jsonRows } from "../../../../src/surfaces/import/index.ts";
import { rawInbound } from "../../../../src/surfaces/inbound/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { DOMAIN, SECRET } from "../../../_support/inbound-world.ts";
import { encryption } from "../../../_support/privacy.ts";
import { contentOf, exportedLines } from "../../../_support/team-content.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const options = {
  rateLimit: false,
  encryption,
  from: "Acme <forms@acme.test>",
  plans: { default: { trash_days: 30 } },
  inbound: { domain: DOMAIN, providers: [rawInbound({ secret: SECRET })] },
} as const;
const TEAM = { id: "acme", name: "Acme", plan: "default" };
const form: Parameters<Harness["forms"]["create"]>[0] = {
  name: "Contact",
  spam: { protection: false },
  self_email_notification: { recipients: ["owner@acme.test"] },
  settings: { key: "contact", fields: { iban: { store: "encrypt" }, secret: { store: "encrypt" } } },
};

/** A form whose submissions have been worked on in every way. */
async function filled() {
  const b = harness(options);
  onTestFinished(() => b.close());
  await b.teams.create(TEAM);
  const { id } = await b.forms.create(form, { team_id: "acme" });
  const made: string[] = [];
  for (let n = 0; n < 8; n++) {
    await b.clock.advance(40_000_000);
    const files = [
      { key: "cv", name: `${n}.txt`, content: bytes(`file ${n}`), mime_type: "text/plain" },
      { key: "secret", name: `private ${n}.txt`, content: bytes(`sealed ${n}`), mime_type: "text/plain" },
    ];
    const fields = { email: `ann${n}@example.com`, text: `Message ${n}`, iban: `DE${n}` };
    made.push((await b.submit(id, { fields, ip: "203.0.113.7", ...(n % 2 === 0 && { files }) })).id);
  }
  await b.tick();
  const [zero, one, two, three, four, five] = made as [string, string, string, string, string, string];
  const ann = { id: "7", name: "Ann" };
  await b.submissions.addNote(id, zero, { text: "Call back", author: ann });
  await b.submissions.addNote(id, zero, { text: "Called", author: { id: "8", name: "Bo" } });
  await b.submissions.update(id, zero, { assignee: ann, labels: ["urgent", "Köln"] });
  await b.submissions.update(id, one, { state: "done", read: true });
  await b.submissions.update(id, two, { spam: true });
  await b.submissions.update(id, three, { snoozed_until: "2099-01-01T00:00:00.000Z" });
  await b.submissions.delete(id, four, { trash: true });
  await b.messages.send(id, zero, { text: "At nine.", attachments: [fileOf(await b.submissions.get(id, zero))] });
  await b.tick();
  await b.clock.advance(1_000);
  await replied(b, b.mails.at(-1)?.replyTo?.address ?? "", "reply@example.com");
  await b.messages.send(id, five, { text: "Sent tomorrow." });
  return { b, id, made };
}

const fileOf = (submission: { attachments: { url: string }[] }): string =>
  /\/files\/(file_\w+)\//.exec(submission.attachments[0]?.url ?? "")?.[1] ?? "";

async function replied(b: Harness, to: string, id: string, more = ""): Promise<void> {
  const text = `From: Ann <ann0@example.com>
To: ${to}
Message-ID: <${id}>
${more}Subject: Re: Contact
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

Thank you!
--b
Content-Type: image/png; name="map.png"
Content-Disposition: attachment; filename="map.png"
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
--b--
`;
  const headers = { authorization: `Bearer ${SECRET}`, "content-type": "message/rfc822" };
  const body = text.replaceAll("\n", "\r\n");
  const response = await b.handle(new Request(`${b.baseUrl}/inbound/raw`, { method: "POST", headers, body }));
  expect(await response.json()).toEqual({ result: "stored" });
}

/** Takes the export of the team apart, into a folder as well. */
async function taken(b: Harness): Promise<{ folder: string; files: Record<string, Uint8Array> }> {
  const folder = temporaryDirectory();
  const zip = new Uint8Array(await new Response(await b.teams.export("acme")).arrayBuffer());
  const files = unzipSync(zip);
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), data);
  }
  return { folder, files };
}

const contents = (files: Record<string, Uint8Array>) =>
  [...exportedLines(files, "contact")].map((line) => contentOf(line, files)).sort((a, b) => (a.id < b.id ? -1 : 1));
const linesOf = (files: Record<string, Uint8Array>) => files["submissions/contact.ndjson"] ?? new Uint8Array();

async function elsewhere(source: Harness) {
  const blob = memoryBlob();
  const there = harness({ ...options, blob });
  onTestFinished(() => there.close());
  await there.clock.advance(source.clock.now() - there.clock.now());
  await there.teams.create(TEAM);
  const { id } = await there.forms.create(form, { team_id: "acme" });
  return { there, id, blob };
}
const countersOf = async (b: Harness) => {
  const { data } = await b.forms.overview({ team_id: "acme", days: 90 });
  return data.map(({ id: _, created_at: __, days, ...counters }) => ({
    ...counters,
    posted: days.reduce((sum, n) => sum + n, 0),
  }));
};

describe("an export of a team that is imported elsewhere", () => {
  it("has its work, notes, messages, files, trash and counters again", async () => {
    const { b, id, made } = await filled();
    const { folder, files } = await taken(b);
    const { there, id: to } = await elsewhere(b);
    const rows = () => jsonRows(linesOf(files), { folder });
    expect(await there.submissions.import(to, rows(), { source: "acme" })).toEqual({
      imported: 8,
      skipped: 0,
      failed: [],
    });
    const again = await taken(there);
    const after = contents(again.files);
    expect(after).toEqual(contents(files));
    expect(Buffer.from(linesOf(files)).toString()).toContain('"status":"queued"');
    expect(JSON.stringify(after)).toContain('"bytes":"sealed 0"');
    expect(JSON.stringify(after)).toMatch(
      /"name":"map\.png","mime_type":"image\/png","size":70,"path":"","bytes":"[^"]*PNG/,
    );
    // The days count what did not come as spam. That people marked one later, an export does not say.
    const counters = (await countersOf(b)).map((one) => ({ ...one, posted: one.posted - 1 }));
    expect(await countersOf(there)).toEqual(counters);
    for (const where of [{ state: "done" }, { label: "Köln" }, { assignee: "7" }] as const) {
      const ids = async (backend: Harness, form_id: string) =>
        (await backend.submissions.list(form_id, where)).data.map((one) => one.id);
      expect([where, await ids(there, to)]).toEqual([where, await ids(b, id)]);
    }

    // A second run adds nothing, also of what is in the trash, and nothing is sent.
    expect(await there.submissions.import(to, rows(), { source: "acme" })).toMatchObject({ imported: 0, skipped: 8 });
    await there.tick();
    expect(there.mails).toEqual([]);
    // A mail that answers an old one finds its submission.
    const more = `In-Reply-To: <reply@example.com>\n`;
    await replied(there, `someone@${DOMAIN}`, "second@example.com", more);
    expect((await there.messages.list(to, made[0] as string)).data).toHaveLength(3);
  });

  it("has the submissions with a file and no value again, where their folder is named", async () => {
    const b = harness(options);
    onTestFinished(() => b.close());
    await b.teams.create(TEAM);
    const { id } = await b.forms.create(form, { team_id: "acme" });
    const file = { key: "cv", name: "a.txt", content: bytes("file"), mime_type: "text/plain" };
    await b.submit(id, { fields: {}, files: [file] });
    await b.submit(id, { fields: { text: "" }, files: [file] });
    const { folder, files } = await taken(b);
    const { there, id: to } = await elsewhere(b);
    expect(await there.submissions.import(to, jsonRows(linesOf(files)), { source: "acme" })).toMatchObject({
      imported: 0,
      failed: [{ message: "`fields` has no value." }, { message: "`fields` has no value." }],
    });
    const result = await there.submissions.import(to, jsonRows(linesOf(files), { folder }), { source: "acme" });
    expect(result).toEqual({ imported: 2, skipped: 0, failed: [] });
    expect(contents((await taken(there)).files)).toEqual(contents(files));
  });

  it("is taken back with its files and counters", async () => {
    const { b } = await filled();
    const { folder, files } = await taken(b);
    const { there, id, blob } = await elsewhere(b);
    const empty = await countersOf(there);
    const stored = new Set<string>();
    const { put } = blob;
    blob.put = (key, ...more) => {
      stored.add(key);
      return put(key, ...more);
    };
    await there.submissions.import(id, jsonRows(linesOf(files), { folder }), {
      source: "acme",
    });
    expect(stored.size).toBeGreaterThan(7);
    expect(await there.submissions.deleteImported(id, "acme")).toEqual({ deleted: 7 });
    const [now] = await countersOf(there);
    // What was posted is counted, as for any deletion of what is in the trash.
    expect(now?.unread).toBe(empty[0]?.unread);
    let left = 0;
    for (const key of stored) if (await blob.get(key)) left++;
    expect(left).toBe(2);
  });

  it("comes without the files where their folder is not named", async () => {
    const { b } = await filled();
    const { files } = await taken(b);
    const { there, id } = await elsewhere(b);
    await there.submissions.import(id, jsonRows(linesOf(files)), { source: "acme" });
    const { data } = await there.submissions.list(id, { status: "all" });
    expect(data.flatMap(({ attachments }) => attachments)).toEqual([]);
    expect(data.some(({ work }) => work.labels.includes("urgent"))).toBe(true);
  });
});

describe("rows with more than values", () => {
  const row = { created_at: "2026-01-01T00:00:00.000Z", fields: { email: "ann@example.com" }, source_id: "1" };
  const world = async () => {
    const b = harness({ rateLimit: false });
    onTestFinished(() => b.close());
    return { b, id: (await b.forms.create({ name: "F" })).id };
  };

  it.each([
    [{ work: { labels: ["\u0007"] } }, "work.labels.0"],
    [{ work: { state: "lost" } }, "work.state"],
    [{ work: { colour: "red" } }, "work.colour"],
    [{ notes: [{ text: "x", created_at: "2026-01-01T00:00:00Z" }] }, "notes.0.author"],
    [{ messages: [{ direction: "up" }] }, "messages.0.direction"],
    [{ trash: { trashed_at: "yesterday", expires_at: "2027-01-01T00:00:00Z" } }, "trash.trashed_at"],
    [{ files: [{ key: "cv", name: "a.txt", content: "text" }] }, "files.0.content"],
    [{ read_by: [7] }, "read_by.0"],
    [{ pending: true }, "confirmation"],
  ])("are refused where they are wrong: %j", async (more, named) => {
    const { b, id } = await world();
    const result = await b.submissions.import(id, [{ ...row, ...more, line: 3 } as never, { ...row, source_id: "2" }], {
      source: "s",
    });
    expect(result).toMatchObject({ imported: 1, failed: [{ index: 0, line: 3 }] });
    expect(result.failed[0]?.message).toContain(named);
  });

  it("a file that is missing, or that its path leads out of the folder, is reported, and nothing of its row is stored", async () => {
    const { b, id } = await world();
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "secret"), "not for the import");
    const line = (source_id: string, path: string) =>
      JSON.stringify({
        ...row,
        id: source_id,
        attachments: [{ key: "cv", name: "a.txt", mime_type: "text/plain", size: 1, path }],
      });
    const paths = ["files/file_1/a.txt", "files/../secret", "files/x/..", "/etc/passwd", "files/x/../../secret"];
    const rows = jsonRows(paths.map((path, n) => line(String(n), path)).join("\n"), { folder });
    const { imported, failed } = await b.submissions.import(id, rows, { source: "s" });
    expect([imported, failed.map(({ line: at }) => at)]).toEqual([0, [1, 2, 3, 4, 5]]);
    for (const { message } of failed) expect(message).toContain('"a.txt" can\'t be read');
    expect((await b.submissions.list(id, { status: "all" })).data).toEqual([]);
  });
});
