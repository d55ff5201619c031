import { describe, expect, it } from "vitest";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { createFormBackend, memoryStorage } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";
import { useS3 } from "../../../_support/s3-server.ts";

const { s3 } = useS3();
const DAY_MS = 24 * 60 * 60_000;
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
  Buffer.alloc(20_000),
]);

interface Prepared {
  readonly upload: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly expires_at: string;
}

interface InParts extends Prepared {
  readonly parts: readonly { readonly url: string; readonly from: number; readonly size: number }[];
}
const MB = 1024 * 1024;

/** A plan for files of any size. */
const large = { plans: { unlimited: { max_file_size: null, max_total_file_size: null } } };

async function world(more: object = {}) {
  const clock = testClock(Date.now());
  const b = harness({ clock, blob: s3Blob(s3().options()), files: { direct: true }, ...more });
  const { id } = await b.forms.create({ name: "Application" });
  const announce = (body: object, form = id) =>
    b.call("POST", `/f/${form}/uploads`, { key: null, body, headers: { accept: "application/json" } });
  const prepared = async (bytes: Buffer, type = "image/png", name = "a.png", form = id): Promise<Prepared> => {
    const response = await announce({ name, size: bytes.length, type, field: "photo" }, form);
    expect(response.status).toBe(201);
    return response.json as Prepared;
  };
  const send = async ({ url, method, headers }: Prepared, bytes: Buffer): Promise<number> =>
    (await fetch(url, { method, headers, body: new Uint8Array(bytes) })).status;
  const post = (body: object, form = id) =>
    b.call("POST", `/f/${form}`, { key: null, body, headers: { accept: "application/json" } });
  const only = async () => (await b.submissions.list(id)).data;
  return { b, id, clock, announce, prepared, send, post, only };
}

describe("direct uploads", () => {
  it("go to the store and are claimed by the post", async () => {
    const { prepared, send, post, only } = await world();
    const before = Date.now();
    const one = await prepared(PNG);
    expect(one.method).toBe("PUT");
    expect(Date.parse(one.expires_at) - before).toBeGreaterThan(14 * 60_000);
    expect(Date.parse(one.expires_at) - before).toBeLessThan(16 * 60_000);
    expect(await send(one, PNG)).toBe(200);
    const response = await post({ name: "Ann", "_upload.photo": one.upload });
    expect([response.status, response.json]).toMatchObject([200, {}]);
    const [submission] = await only();
    expect(submission).toMatchObject({
      fields: [{ key: "name", value: "Ann" }],
      attachments: [{ key: "photo", mime_type: "image/png" }],
    });
    // Once.
    const again = await post({ name: "Ben", "_upload.photo": one.upload });
    expect([again.status, again.json]).toMatchObject([400, { error: { code: "invalid_parameter" } }]);
    expect(await only()).toHaveLength(1);
  });

  it("are sent again with their post, and that gets the first answer under the same key only", async () => {
    const { prepared, send, post, only } = await world();
    const one = await prepared(PNG);
    await send(one, PNG);
    const body = { name: "Ann", "_upload.photo": one.upload, _idempotency_key: "k" };
    const first = await post(body);
    const again = await post(body);
    expect([again.status, again.json]).toEqual([200, first.json]);
    const mismatch = await post({ ...body, name: "Ben" });
    expect([mismatch.status, mismatch.json.error.code]).toEqual([422, "idempotency_mismatch"]);
    for (const key of ["other", ""]) {
      const refused = await post({ ...body, _idempotency_key: key });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("another post has claimed")]);
    }
    expect((await post({ ...body, "_upload.photo": "", "_upload.elsewhere": one.upload })).status).toBe(400);
    expect(await only()).toHaveLength(1);
  });

  it("are sent again under our own key where the answer of the commit was lost", async () => {
    const storage = memoryStorage();
    let state: "up" | "losing" | "down" = "up";
    const { prepared, send, post, only } = await world({
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      storage: {
        ...storage,
        async get(collection: never, ids: readonly string[]) {
          if (state === "down") throw new StoreDownError("the server did not answer");
          return storage.get(collection, ids);
        },
        async commit(writes: Parameters<typeof storage.commit>[0]) {
          await storage.commit(writes);
          if (
            state !== "losing" ||
            !writes.some((write) => "collection" in write && write.collection === "submissions")
          )
            return;
          state = "down";
          throw new StoreDownError("the connection was cut");
        },
      },
    });
    const one = await prepared(PNG);
    await send(one, PNG);
    const body = { name: "Ann", "_upload.photo": one.upload };
    state = "losing";
    const lost = await post(body);
    expect(lost.status).toBe(503);
    state = "up";
    const again = await post({ ...body, _idempotency_key: lost.json.error.idempotency_key });
    expect([again.status, again.json.status]).toEqual([200, "success"]);
    const [submission, ...more] = await only();
    expect([submission?.id, submission?.attachments?.length, more]).toEqual([again.json.submission_id, 1, []]);
  });

  it("get the first answer from another process that was faster with the same post", async () => {
    const storage = memoryStorage();
    let faster: (() => Promise<unknown>) | null = null;
    const { b, id, clock, prepared, send, post, only } = await world({
      storage: {
        ...storage,
        async commit(writes: Parameters<typeof storage.commit>[0]) {
          const work = writes.some((write) => "collection" in write && write.collection === "submissions")
            ? faster
            : null;
          faster = null;
          await work?.();
          return storage.commit(writes);
        },
      },
    });
    const other = harness({
      clock,
      storage,
      blob: s3Blob(s3().options()),
      files: { direct: true },
      baseUrl: b.baseUrl,
    });
    const one = await prepared(PNG);
    await send(one, PNG);
    const body = { name: "Ann", "_upload.photo": one.upload, _idempotency_key: "k" };
    let first: unknown;
    faster = async () => {
      first = (await other.post(id, body, { accept: "application/json" })).json;
    };
    const second = await post(body);
    expect([second.status, second.json]).toEqual([200, first]);
    expect(await only()).toHaveLength(1);
    await other.close();
  });

  it("stay where a change brings them again, and are exchanged for others", async () => {
    const { b, id, prepared, send, post, only } = await world();
    await b.forms.update(id, { settings: { edit: { enabled: true } } });
    const [one, two, three] = [await prepared(PNG), await prepared(PNG), await prepared(PNG)];
    for (const upload of [one, two, three]) await send(upload, PNG);
    const { edit_url } = (await post({ name: "Ann", "_upload.photo": one.upload })).json;
    const change = async (body: object): Promise<number> => {
      const headers = { accept: "application/json", "content-type": "application/json" };
      return (await b.fetch(new Request(edit_url, { method: "POST", headers, body: JSON.stringify(body) }))).status;
    };
    const files = async () => (await only())[0]?.attachments.map(({ url }) => /file_[0-9a-f]+/.exec(url)?.[0]);
    const next = { name: "Ann", "_upload.photo": [one.upload, two.upload] };
    expect([await change(next), await files()]).toEqual([200, [one.upload, two.upload]]);
    expect([await change(next), (await only())[0]?.revisions?.length]).toEqual([200, 1]);
    expect([await change({ name: "Ann", "_upload.photo": [two.upload] }), await files()]).toEqual([200, [two.upload]]);
    expect(s3().keys()).not.toContain(one.upload);
    // Another submission's.
    await post({ name: "Ben", "_upload.photo": three.upload });
    expect(await change({ name: "Ann", "_upload.photo": [three.upload] })).toBe(400);
    expect(s3().keys()).toContain(three.upload);
  });

  it("are claimed by a submission in process as well, beside files of its own", async () => {
    const { b, id, prepared, send, only } = await world();
    const one = await prepared(PNG);
    await send(one, PNG);
    const fields = { name: "Ann", "_upload.photo": [one.upload, ""] };
    const files = [{ key: "cv", name: "cv.txt", content: Buffer.from("text"), mime_type: "text/plain" }];
    const made = await b.submit(id, { fields, files, idempotency_key: "k" });
    expect(made.fields).toEqual([{ key: "name", value: "Ann" }]);
    expect(made.files.map(({ key }) => key)).toEqual(["cv", "photo"]);
    expect((await b.submit(id, { fields, files, idempotency_key: "k" })).id).toBe(made.id);
    await expect(b.submit(id, { fields })).rejects.toMatchObject({ code: "invalid_parameter", param: "_upload" });
    await expect(b.submit(id, { fields: { "_upload.photo": "file_1" } })).rejects.toMatchObject({
      param: "_upload.photo",
    });
    expect(await only()).toHaveLength(1);
  });

  it("take several files of a field, in a multipart post too", async () => {
    const { b, id, prepared, send, only } = await world();
    const [one, two] = [await prepared(PNG), await prepared(PNG)];
    await Promise.all([send(one, PNG), send(two, PNG)]);
    const body = new FormData();
    body.append("_upload.photo", one.upload);
    body.append("_upload.photo", two.upload);
    body.append("_upload.other", "");
    const response = await b.fetch(
      new Request(`${b.baseUrl}/f/${id}`, { method: "POST", body, headers: { accept: "application/json" } }),
    );
    expect(response.status).toBe(200);
    expect((await only())[0]?.attachments).toHaveLength(2);
  });

  it("of two posts at once, one gets the file", async () => {
    const { prepared, send, post, only } = await world();
    const one = await prepared(PNG);
    await send(one, PNG);
    const answers = await Promise.all([1, 2, 3].map((n) => post({ n, "_upload.photo": one.upload })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await only()).toHaveLength(1);
  });

  it.each([
    [{ name: "a.png", size: 0, type: "image/png", field: "f" }, 400, "size"],
    [{ name: "a.png", size: "1", type: "image/png", field: "f" }, 400, "size"],
    [{ size: 1, type: "image/png", field: "f" }, 400, "name"],
    [{ name: "a.png", size: 1, type: "image/png" }, 400, "field"],
    [{ name: "a.png", size: 1, type: "image/png", field: "f".repeat(201) }, 400, "field"],
    [{ name: "a.svg", size: 1, type: "image/svg+xml", field: "f" }, 415, "f"],
    [{ name: "a.png", size: 10 * 1024 ** 4, type: "image/png", field: "f" }, 413, "f"],
  ])("refuse what no post could bring: %j", async (body, status, param) => {
    const { b, announce } = await world({
      plans: { small: { max_file_size: 50 * 1024 * 1024 } },
      defaultPlan: "small",
    });
    const response = await announce(body);
    expect([response.status, (response.json as { error: { param?: string } }).error.param]).toEqual([status, param]);
    await b.close();
  });

  it("are refused with another size than was announced", async () => {
    const { prepared, send } = await world();
    const one = await prepared(PNG);
    expect(await send(one, Buffer.concat([PNG, PNG]))).toBe(403);
  });

  it("are refused at the post: another form's, one that never came, one that is no image", async () => {
    const { b, prepared, send, post, only } = await world();
    const other = await b.forms.create({ name: "Other" });
    const one = await prepared(PNG);
    await send(one, PNG);
    expect((await post({ "_upload.photo": one.upload }, other.id)).status).toBe(400);
    expect((await post({ "_upload.elsewhere": one.upload })).status).toBe(400);
    expect((await post({ "_upload.photo": "file_unknown" })).status).toBe(400);
    expect((await post({ "_upload.photo": "../../etc" })).status).toBe(400);
    const missing = await prepared(PNG);
    const absent = await post({ a: "b", "_upload.photo": missing.upload });
    expect([absent.status, absent.text]).toEqual([400, expect.stringContaining("has not arrived")]);
    const svg = await prepared(SVG);
    expect(await send(svg, SVG)).toBe(200);
    const active = await post({ a: "b", "_upload.photo": svg.upload });
    expect([active.status, active.json]).toMatchObject([415, { error: { code: "file_type_not_allowed" } }]);
    expect(await only()).toEqual([]);
    expect((await b.submissions.list(other.id)).data).toEqual([]);
  });

  it("of which one says that it is an image and is none: nothing of it stays", async () => {
    const { prepared, send, post } = await world();
    const svg = await prepared(SVG);
    await send(svg, SVG);
    expect((await post({ "_upload.photo": svg.upload })).status).toBe(415);
    expect(s3().keys()).not.toContain(svg.upload);
    expect((await post({ "_upload.photo": svg.upload })).status).toBe(400);
  });

  it("can't be replaced once a post has claimed them, though their address is still valid", async () => {
    const { b, prepared, send, post, only } = await world();
    const one = await prepared(PNG);
    await send(one, PNG);
    expect((await post({ a: "b", "_upload.photo": one.upload })).status).toBe(200);
    const other = Buffer.concat([SVG, Buffer.alloc(PNG.length - SVG.length, " ")]);
    expect(await send(one, other)).toBe(404);
    const [submission] = await only();
    const url = submission?.attachments?.[0]?.url ?? "";
    const kept = await b.handle(new Request(url), { ip: "203.0.113.9" });
    expect(Buffer.from(await kept.arrayBuffer()).equals(PNG)).toBe(true);
  });

  it("in parts go on with those that are missing", async () => {
    const { b, announce, post, only } = await world(large);
    const file = Buffer.concat([PNG, Buffer.alloc(20 * 1024 * 1024 - PNG.length, 7)]);
    const what = { name: "a.png", size: file.length, type: "image/png", field: "photo", parts: true };
    const first = (await announce(what)).json as InParts;
    expect(first.parts.map(({ from, size }) => [from / MB, size / MB])).toEqual([
      [0, 8],
      [8, 8],
      [16, 4],
    ]);
    expect(first.url).toBe(first.parts[0]?.url);
    const put = async ({ url, from, size }: InParts["parts"][number], more = 0): Promise<number> => {
      const body = new Uint8Array(file.subarray(from, from + size + more));
      return (await fetch(url, { method: "PUT", headers: first.headers, body })).status;
    };
    expect(await put(first.parts[1] as never)).toBe(200);
    // A part has the size that was said, and no other.
    expect(await put(first.parts[0] as never, 1)).toBe(403);
    expect((await post({ a: "b", "_upload.photo": first.upload })).text).toContain("has not arrived");
    const second = (await announce({ ...what, upload: first.upload })).json as InParts;
    expect([second.upload, second.parts.map(({ from }) => from / MB)]).toEqual([first.upload, [0, 16]]);
    for (const part of second.parts) expect(await put(part)).toBe(200);
    expect(((await announce({ ...what, upload: first.upload })).json as InParts).parts).toEqual([]);
    expect((await post({ a: "b", "_upload.photo": first.upload })).status).toBe(200);
    const [attachment] = (await only())[0]?.attachments ?? [];
    expect(attachment?.mime_type).toBe("image/png");
    const kept = await b.handle(new Request(attachment?.url ?? ""), { ip: "203.0.113.9" });
    expect(Buffer.from(await kept.arrayBuffer()).equals(file)).toBe(true);
  });

  it("of another form, field or size don't go on, and begin anew", async () => {
    const { b, announce } = await world(large);
    const other = await b.forms.create({ name: "Other" });
    const what = { name: "a.png", size: 9 * MB, type: "image/png", field: "photo", parts: true };
    const first = (await announce(what)).json as InParts;
    for (const response of [
      await announce({ ...what, upload: first.upload }, other.id),
      await announce({ ...what, field: "else", upload: first.upload }),
      await announce({ ...what, size: 10 * MB, upload: first.upload }),
      await announce({ ...what, upload: "file_unknown" }),
    ]) {
      expect(response.status).toBe(201);
      expect((response.json as InParts).upload).not.toBe(first.upload);
    }
  });

  it("go in one request where the store does not list parts, and the log says so once", async () => {
    const warnings: string[] = [];
    const blob = s3Blob(s3().options());
    const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
    const unlisted = { ...blob, parts: blob.parts && { ...blob.parts, stored: async () => null } };
    const { announce, send, post, only } = await world({ blob: unlisted, logger });
    for (const parts of [true, false]) {
      const what = { name: "a.png", size: PNG.length, type: "image/png", field: "photo", parts };
      const one = (await announce(what)).json as InParts;
      expect(one.parts).toBeUndefined();
      expect(await send(one, PNG)).toBe(200);
      expect((await post({ "_upload.photo": one.upload })).status).toBe(200);
    }
    expect(await only()).toHaveLength(2);
    expect(warnings.filter((text) => text.includes("s3:ListMultipartUploadParts"))).toHaveLength(1);
  });

  it("have at most a hundred parts, which is all that a response names", async () => {
    const { announce } = await world(large);
    const what = { name: "a.mp4", size: 10 * 1024 * MB, type: "video/mp4", field: "film", parts: true };
    const { parts } = (await announce(what)).json as InParts;
    expect(parts.length).toBeLessThanOrEqual(100);
    expect(parts.reduce((sum, { size }) => sum + size, 0)).toBe(what.size);
  });

  it("of a deleted team leave nothing in the store", async () => {
    const { b, prepared, send, clock, announce } = await world();
    await b.teams.create({ id: "other", name: "Other", owner: { email: "o@example.com", email_verified: true } });
    const form = await b.forms.create({ name: "Other", team_id: "other" });
    const one = await prepared(PNG, "image/png", "a.png", form.id);
    await send(one, PNG);
    const begun = s3().uploads().length;
    expect(begun).toBeGreaterThan(0);
    await announce({ name: "b.png", size: 9, type: "image/png", field: "photo" }, form.id);
    await b.teams.delete("other");
    for (let n = 0; n < 10 && s3().uploads().length > 0; n++) {
      clock.set(clock.now() + 60 * 60_000);
      await b.sweep();
    }
    expect([s3().uploads(), s3().keys().includes(one.upload)]).toEqual([[], false]);
  });

  it("are removed a day later unless a post has claimed them", async () => {
    const { b, clock, prepared, send, post } = await world();
    const [kept, left] = [await prepared(PNG), await prepared(PNG)];
    await Promise.all([send(kept, PNG), send(left, PNG)]);
    await post({ a: "b", "_upload.photo": kept.upload });
    await b.sweep();
    expect(s3().keys()).toContain(kept.upload);
    expect(s3().uploads()).toHaveLength(1);
    clock.set(clock.now() + DAY_MS + 60_000);
    expect((await post({ a: "b", "_upload.photo": left.upload })).status).toBe(400);
    await b.sweep();
    expect(s3().keys()).toContain(kept.upload);
    expect(s3().keys()).not.toContain(left.upload);
    expect(s3().uploads()).toEqual([]);
  });

  it("are not found without the option, which needs a driver that can do it", async () => {
    const { announce, post } = await world({ files: {} });
    expect((await announce({ name: "a", size: 1, type: "image/png", field: "f" })).status).toBe(404);
    expect((await post({ "_upload.photo": "file_1" })).status).toBe(400);
    expect(() =>
      createFormBackend({ baseUrl: "https://a.example/f", storage: memoryStorage(), files: { direct: true } }),
    ).toThrow("option `files.direct`: needs `blob`");
  });

  it("have a rate of their own", async () => {
    const { announce } = await world({ rateLimit: { uploads: { points: 2, seconds: 60 } } });
    const body = { name: "a.png", size: 1, type: "image/png", field: "f" };
    const statuses = [await announce(body), await announce(body), await announce(body)].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 429]);
  });
});
