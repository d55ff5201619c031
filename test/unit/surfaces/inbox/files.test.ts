import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { InboxOptions } from "../../../../src/surfaces/inbox/index.ts";
import { ann, inboxHarness } from "./_inbox.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const text = (content: string, name: string, key = "file") => ({ key, name, content: Buffer.from(content) });
const PDF = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n";

async function world(options: InboxOptions = {}) {
  const storage = memoryStorage();
  const backend = inboxHarness(options, { rateLimit: false, storage });
  const form = await backend.forms.create({ name: "Contact" });
  const { id } = await backend.submit(form.id, {
    fields: { name: "Bo" },
    files: [
      { key: "photo", name: "cake.png", content: PNG },
      text(PDF, "offer.pdf"),
      text("Call me after five: 1 < 2", "note.txt"),
      text("a page", "page.txt"),
      text("a drawing", "drawing.txt"),
      text("again", "note.txt", "secret"),
    ],
  });
  // A form that takes any type may have these.
  const markup: Readonly<Record<string, string>> = { "page.txt": "text/html", "drawing.txt": "image/svg+xml" };
  const row = (await storage.get("submissions", [id])).get(id) ?? expect.fail("not stored");
  const attachments = (row.value["attachments"] as { name: string; mime_type: string }[]).map((one) => ({
    ...one,
    mime_type: markup[one.name] ?? one.mime_type,
  }));
  const value = { ...row.value, attachments };
  await storage.commit([{ op: "put", collection: "submissions", id, value, expect: row.version }]);
  const files = (await backend.submissions.get(form.id, id)).files;
  const idOf = (name: string): string => /file_\w+/.exec(files.find((one) => one.name === name)?.url ?? "")?.[0] ?? "";
  const at = `/f/${form.id}/s/${id}`;
  const bytes = async (path: string, user: object = ann): Promise<Response> =>
    backend.handle(
      new Request(`${backend.baseUrl}/inbox${path}`, {
        headers: { "x-user": encodeURIComponent(JSON.stringify(user)) },
      }),
      { ip: "203.0.113.9" },
    );
  return { backend, form, id, files, idOf, at, bytes };
}

describe("files of a submission", () => {
  it("are shown in a frame, under a type that nothing runs, without scripts, and for nobody else's page", async () => {
    const { backend, idOf, at, bytes } = await world();
    for (const [name, type] of [
      ["cake.png", "image/png"],
      ["offer.pdf", "application/pdf"],
      ["note.txt", "text/plain; charset=utf-8"],
    ] as const) {
      const page = await backend.as(ann).get(`${at}/files/${idOf(name)}`);
      expect(page.status).toBe(200);
      expect(/<iframe[^>]*>/.exec(page.text)?.[0]).toContain(
        `<iframe src="${backend.baseUrl}/inbox${at}/content/${idOf(name)}" title="${name}"`,
      );
      const { status, headers } = await bytes(`${at}/content/${idOf(name)}`);
      expect([status, headers.get("content-type")]).toEqual([200, type]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'.*; sandbox; frame-ancestors 'self'$/);
      expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect(Buffer.from(await (await bytes(`${at}/content/${idOf("cake.png")}`)).arrayBuffer())).toEqual(PNG);
  });

  it("are only downloaded where they are markup, or unknown to the submission", async () => {
    const { backend, form, idOf, files, at, bytes } = await world();
    const markup = files.filter(({ mime_type }) => /html|svg|xml/.test(mime_type));
    expect(markup).toHaveLength(2);
    for (const { url } of markup) {
      const id = /file_\w+/.exec(url)?.[0] ?? "";
      expect((await bytes(`${at}/content/${id}`)).status).toBe(404);
      expect((await backend.as(ann).get(`${at}/files/${id}`)).status).toBe(404);
    }
    const other = await backend.submit(form.id, { fields: { name: "Cy" } });
    expect((await bytes(`/f/${form.id}/s/${other.id}/content/${idOf("cake.png")}`)).status).toBe(404);
    expect((await bytes(`${at}/content/${idOf("cake.png")}`, { ...ann, team_ids: ["other"] })).status).toBe(404);
    const list = (await backend.as(ann).get(at)).text;
    expect(list).toContain(`files/${idOf("offer.pdf")}"`);
    for (const { url } of markup) expect(list).not.toContain(`/files/${/file_\w+/.exec(url)?.[0]}">`);
  });

  it("come all as a zip, each under a name of its own", async () => {
    const { at, bytes } = await world();
    const response = await bytes(`${at}/files`);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="files-sub_?\w+\.zip"|^attachment/,
    );
    const zip = unzipSync(new Uint8Array(await response.arrayBuffer()));
    expect(Object.keys(zip)).toHaveLength(6);
    expect(Object.keys(zip)).toEqual(expect.arrayContaining(["cake.png", "offer.pdf", "note.txt", "note (2).txt"]));
    expect(Buffer.from(zip["cake.png"] ?? [])).toEqual(PNG);
    expect(Buffer.from(zip["note (2).txt"] ?? []).toString()).toBe("again");
  });

  it("are not there where their field is kept back", async () => {
    const { backend, form, id, files, at, bytes } = await world({ redact: { fields: ["secret"], value: () => "x" } });
    const secret = /file_\w+/.exec(files.find(({ key }) => key === "secret")?.url ?? "")?.[0] ?? "";
    expect((await bytes(`${at}/content/${secret}`)).status).toBe(404);
    expect((await backend.as(ann).get(`/f/${form.id}/s/${id}/files/${secret}`)).status).toBe(404);
    const zip = unzipSync(new Uint8Array(await (await bytes(`${at}/files`)).arrayBuffer()));
    expect(Object.keys(zip)).toHaveLength(5);
  });
});
