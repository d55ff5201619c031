import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { openBytes, sealBytes } from "../../../../src/features/privacy/file-bytes.ts";
import { fileHarness, formData, json } from "../../../_support/blobs.ts";
import { encryption } from "../../../_support/privacy.ts";

const key = { id: "dk_a", bytes: new Uint8Array(32).fill(3) };
const MB = 1024 * 1024;

const through = async (
  bytes: Uint8Array,
  by: TransformStream<Uint8Array, Uint8Array>,
  step = 10_000,
): Promise<Buffer> => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
    bytes.subarray(i * step, (i + 1) * step),
  );
  return Buffer.from(await new Response(ReadableStream.from(chunks).pipeThrough(by)).arrayBuffer());
};
const pattern = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7) % 251);

describe("the bytes of a file", () => {
  it("are the same after sealing and opening, whatever their number and their chunks", async () => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
      for (const step of [7_777, 65_536, 400_000]) {
        const sealed = await through(pattern(length), sealBytes(key, "file_a"), step);
        expect(sealed.length).toBe(length + 16 * Math.max(1, Math.ceil(length / 65_536)));
        const opened = await through(sealed, openBytes(key, "file_a"), step);
        expect(opened.equals(pattern(length)), `${length} by ${step}`).toBe(true);
      }
    }
  });

  it("are refused where they were changed, cut off, swapped, lengthened, or are another file's or key's", async () => {
    const sealed = await through(pattern(200_000), sealBytes(key, "file_a"));
    const chunk = 65_552;
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed[100] as number) ^ 1, 100);
    const swapped = Buffer.concat([
      sealed.subarray(chunk, 2 * chunk),
      sealed.subarray(0, chunk),
      sealed.subarray(2 * chunk),
    ]);
    for (const bytes of [
      changed,
      swapped,
      sealed.subarray(0, -1),
      sealed.subarray(0, 2 * chunk),
      sealed.subarray(0, 3),
      Buffer.concat([sealed, Buffer.from("x")]),
      Buffer.alloc(0),
    ]) {
      await expect(through(bytes, openBytes(key, "file_a"))).rejects.toThrow();
    }
    await expect(through(sealed, openBytes(key, "file_b"))).rejects.toThrow();
    await expect(through(sealed, openBytes({ ...key, id: "dk_b" }, "file_a"))).rejects.toThrow();
  });
});

describe("a file of a field with a policy", () => {
  const CONTENT = "What nobody else may read. ".repeat(10_000);
  async function posted(store: string, options: object = {}) {
    const storage = memoryStorage();
    const b = fileHarness({ encryption, storage, ...options });
    const fields = { cv: { store: store as "hash", email: "show" as const, webhook: "show" as const } };
    const { id } = await b.forms.create({
      name: "A",
      settings: { fields },
      self_email_notification: { recipients: ["owner@example.com"] },
    });
    const answer = await b.post(id, formData([["cv", ["My secret CV.txt", CONTENT]]]), json);
    return { b, id, answer, submission_id: answer.json.submission_id as string };
  }
  const open = async (b: ReturnType<typeof fileHarness>, url: string) => {
    const response = await b.fetch(new Request(url));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it("that is encrypted is served in clear under its name by a link that does not tell it", async () => {
    const seen: unknown[] = [];
    const scan = async ({ open, ...file }: { open: () => Promise<ReadableStream<Uint8Array>> }) => {
      seen.push(file, await new Response(await open()).text());
      return "ok" as const;
    };
    const { b, id, submission_id } = await posted("encrypt", { files: { scan } });
    const { attachments } = await b.submissions.get(id, submission_id);
    expect(attachments).toMatchObject([{ key: "cv", mime_type: "text/plain" }]);
    const url = attachments[0]?.url as string;
    expect(url).not.toContain("secret");
    const { status, headers, text } = await open(b, url);
    expect([status, text]).toEqual([200, CONTENT]);
    expect(headers.get("content-length")).toBe(String(CONTENT.length));
    expect(headers.get("content-disposition")).toContain("My secret CV.txt");
    expect(seen[1]).toBe(CONTENT);
    expect(JSON.stringify(seen[0])).not.toContain("secret");
    await b.tick();
    expect(b.mails[0]?.text).toContain(url.split("?")[0]);
    await b.forms.shred(id);
    expect((await open(b, url)).status).toBe(404);
  });

  it("that is encrypted goes with its submission, and is found by an address in its name", async () => {
    const { b, id } = await posted("encrypt");
    await b.post(id, formData([["cv", ["ann@private.example, cv.txt", "x"]]]), json);
    expect(b.blobs()).toHaveLength(2);
    const body = { email: "ann@private.example" };
    expect((await b.call("POST", "/v1/data-subjects/export", { body })).json.data).toHaveLength(1);
    const { json: receipt } = await b.call("POST", "/v1/data-subjects/erase", { body });
    expect(receipt.erased).toMatchObject({ submissions: 1, files: 1 });
    expect(b.blobs()).toHaveLength(1);
  });

  it("that is dropped or hashed is judged and counted, and kept nowhere", async () => {
    for (const store of ["drop", "hash"]) {
      const { b, id, answer, submission_id } = await posted(store);
      expect(answer.status).toBe(200);
      expect(await b.submissions.get(id, submission_id)).toMatchObject({ fields: [], attachments: [] });
      expect(b.blobs()).toEqual([]);
      const refused = await b.post(id, formData([["cv", ["a.html", "<script>alert(1)</script>"]]]), json);
      expect([refused.status, refused.json.error.code]).toEqual([415, "file_type_not_allowed"]);
      const large = await b.post(id, formData([["cv", ["a.txt", new Uint8Array(11 * MB).fill(65)]]]), json);
      expect(large.status).toBe(413);
    }
  });

  it("is no link for a sink that may not see it", async () => {
    for (const store of ["plain", "encrypt"]) {
      const { b, id, submission_id } = await posted(store);
      await b.forms.update(id, { settings: { fields: { cv: { email: "omit", webhook: "mask", export: "omit" } } } });
      await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
      await b.post(id, formData([["cv", ["My secret CV.txt", CONTENT]]]), json);
      await b.tick();
      expect(JSON.stringify([b.mails, b.webhookCalls])).not.toContain("/files/");
      const { text } = await b.call("GET", `/v1/forms/${id}/submissions/export?format=json`);
      expect(text).not.toContain("/files/");
      expect((await b.submissions.get(id, submission_id)).attachments).toHaveLength(1);
    }
  });

  it("that is refused after it was sealed leaves no bytes", async () => {
    const { b, id } = await posted("encrypt", { files: { scan: async () => "infected" as const } });
    expect((await b.submissions.list(id)).data).toEqual([]);
    expect(b.blobs()).toEqual([]);
  });
});
