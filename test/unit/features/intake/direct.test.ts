import { describe, expect, it } from "vitest";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
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

async function world(more: object = {}) {
  const clock = testClock(Date.now());
  const b = harness({ clock, blob: s3Blob(s3().options()), files: { direct: true }, ...more });
  const { id } = await b.forms.create({ name: "Application" });
  const announce = (body: object, form = id) =>
    b.call("POST", `/f/${form}/uploads`, { key: null, body, headers: { accept: "application/json" } });
  const prepared = async (bytes: Buffer, type = "image/png", name = "a.png"): Promise<Prepared> => {
    const response = await announce({ name, size: bytes.length, type, field: "photo" });
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

  it("are removed a day later unless a post has claimed them", async () => {
    const { b, clock, prepared, send, post } = await world();
    const [kept, left] = [await prepared(PNG), await prepared(PNG)];
    await Promise.all([send(kept, PNG), send(left, PNG)]);
    await post({ a: "b", "_upload.photo": kept.upload });
    await b.sweep();
    expect(s3().keys()).toEqual(expect.arrayContaining([kept.upload, left.upload]));
    clock.set(clock.now() + DAY_MS + 60_000);
    expect((await post({ a: "b", "_upload.photo": left.upload })).status).toBe(400);
    await b.sweep();
    expect(s3().keys()).toContain(kept.upload);
    expect(s3().keys()).not.toContain(left.upload);
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
