import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { type BlobDriver, memoryStorage } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { gif, jpeg, pixelGif, pixelPng, png, svg, webpLossless, webpLossy } from "./_images.ts";

const MB = 1024 * 1024;
const mail = ["self_email_notification_logo", "auto_response_logo"];
const page = ["after_submit_logo", "after_submit_logo_dark"];

interface Upload {
  file?: Uint8Array | string;
  use?: string;
  name?: string;
  as?: string;
  type?: string;
  more?: [string, string | Blob][];
}

function parts({
  file = pixelPng,
  use = "after_submit_logo",
  name,
  as = "logo.png",
  type = "image/png",
  more = [],
}: Upload): FormData {
  const form = new FormData();
  if (file !== "") form.append("file", new Blob([file as string], { type }), as);
  if (use !== "") form.append("use", use);
  if (name !== undefined) form.append("name", name);
  for (const [key, value] of more) form.append(key, value as string);
  return form;
}

async function send(
  b: Harness,
  body: FormData | ReadableStream<Uint8Array> | string,
  { id, key = b.key, type }: { id?: string; key?: string; type?: string } = {},
) {
  const form = id ?? (await b.forms.create({ name: "A" })).id;
  const request = new Request(`${b.baseUrl}/v1/forms/${form}/images`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { "content-type": type }) },
    body,
    duplex: "half",
  } as RequestInit);
  const response = await b.fetch(request);
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, json: (await response.json()) as any };
}
const upload = (b: Harness, what: Upload, options?: { id?: string; key?: string }) => send(b, parts(what), options);
const fetchImage = (b: Harness, url: string, method = "GET") => b.fetch(new Request(url, { method }));

/** A blob driver that says what it holds. */
function watchedBlob() {
  const held = new Set<string>();
  const memory = memoryBlob();
  const driver: BlobDriver = {
    ...memory,
    put: async (key, body, meta) => {
      const done = await memory.put(key, body, meta);
      held.add(key);
      return done;
    },
    remove: async (key) => {
      held.delete(key);
      await memory.remove(key);
    },
  };
  return { driver, held };
}

describe("an upload", () => {
  it("answers 201 with the image, and leaves the form as it was", async () => {
    const b = harness();
    const before = await b.forms.create({ name: "A" });
    const { status, json } = await upload(b, { file: png(640, 480, 1_000), name: "Brand_logo-1" }, { id: before.id });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^img_[0-9a-f]{24}$/),
      url: `${b.baseUrl}/files/${json.id}/Brand_logo-1.png`,
      use: "after_submit_logo",
      name: "Brand_logo-1",
      mime_type: "image/png",
      size: 33 + 1_000,
      width: 640,
      height: 480,
    });
    expect(await b.forms.get(before.id)).toEqual(before);
    const patched = await b.call("PATCH", `/v1/forms/${before.id}`, {
      body: { after_submit: { page: { logo_url: json.url } } },
    });
    expect(patched.json.after_submit.page.logo_url).toBe(json.url);
  });

  it.each([
    ["Mein Löwe (final).v2.PNG", "mein-lowe-final-v2"],
    ["../../etc/passwd", "passwd"],
    ["日本.png", "image"],
    ["---.png", "image"],
    ["under_score.png", "under_score"],
    [`${"long".repeat(40)}.png`, "long".repeat(16)],
    ["<script>.png", "script"],
  ])("of %s without a name is called %s", async (as, name) => {
    const { json } = await upload(harness(), { as });
    expect([json.name, json.url.split("/").at(-1)]).toEqual([name, `${name}.png`]);
  });

  const files = {
    "image/png": pixelPng,
    "image/jpeg": jpeg(3, 2),
    "image/gif": pixelGif,
    "image/webp": webpLossy(3, 2),
    "image/svg+xml": svg(),
  };
  const table = [...mail, ...page].flatMap((use) =>
    Object.entries(files).map(([type, file]) => {
      const taken = page.includes(use) || !/webp|svg/.test(type);
      return [use, type, taken ? 201 : 400, file] as const;
    }),
  );

  it.each(table)("for %s of %s is %i", async (use, type, expected, file) => {
    const { status, json } = await upload(harness(), { use, file, type: "application/octet-stream", as: "x" });
    expect(status).toBe(expected);
    if (expected === 201) expect([json.use, json.mime_type]).toEqual([use, type]);
    else expect(json.error).toMatchObject({ type: "invalid_request_error", code: "invalid_parameter", param: "file" });
  });

  it("is judged by its content, whatever its name and type say", async () => {
    const b = harness();
    const honest = await upload(b, { file: gif(5, 4), as: "photo.jpg", type: "image/jpeg" });
    expect([honest.json.mime_type, honest.json.url.endsWith("/photo.gif")]).toEqual(["image/gif", true]);
    for (const file of [
      "<!doctype html><script>alert(1)</script>",
      "%PDF-1.7",
      "plain",
      "\x7fELF",
      "GIF89",
      "RIFFxxxxWEBP",
    ]) {
      const { status, json } = await upload(b, { file, as: "logo.png", type: "image/png" });
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "file"]);
    }
    const lied = await upload(b, { use: "auto_response_logo", file: webpLossless(2, 2), as: "a.png" });
    expect(lied.json.error).toMatchObject({ param: "file", message: expect.stringContaining("PNG, JPG, GIF") });
  });

  it.each<[string, Upload, string]>([
    ["the image is missing", { file: "" }, "file"],
    ["the image is empty", { file: new Uint8Array() }, "file"],
    ["the image is a text field", { file: "", more: [["file", "hello"]] }, "file"],
    ["the image is sent under another name", { file: "", more: [["image", new Blob([pixelPng])]] }, "image"],
    ["`use` is missing", { use: "" }, "use"],
    ["`use` is unknown", { use: "favicon" }, "use"],
    ["`use` is in another case", { use: "After_submit_logo" }, "use"],
    ["`name` is empty", { name: "" }, "name"],
    ["`name` has 65 characters", { name: "a".repeat(65) }, "name"],
    ["`name` has 4,000 characters", { name: "a".repeat(4_000) }, "name"],
    ["`name` has a dot", { name: "logo.png" }, "name"],
    ["`name` has a slash", { name: "../a" }, "name"],
    ["`name` has a letter of another alphabet", { name: "лого" }, "name"],
    ["a part is unknown", { more: [["alt", "x"]] }, "alt"],
    ["`use` is sent twice", { more: [["use", "after_submit_logo"]] }, "use"],
    ["two images are sent", { more: [["file", new Blob([pixelPng])]] }, "file"],
    ["an SVG loads style from elsewhere", { file: svg("<style>@import 'https://example.com/a.css';</style>") }, "file"],
    ["an SVG declares entities", { file: `<!DOCTYPE svg [<!ENTITY a "a">]>${svg("<text>&a;</text>")}` }, "file"],
    ["a side has 10,001 pixels", { file: png(10_001, 1) }, "file"],
    ["a side has 20,000 pixels", { file: jpeg(2, 20_000) }, "file"],
    ["it has more than 40 megapixels", { file: png(8_000, 5_001) }, "file"],
    ["an SVG has a side of 10,001", { file: svg("", 'width="10001" height="1"') }, "file"],
  ])("is 400 when %s", async (_, what, param) => {
    const b = harness({ blob: memoryBlob() });
    const { status, json } = await upload(b, what);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(json.error.message).toContain(`\`${param}\``);
  });

  it("is taken at each bound", async () => {
    const b = harness();
    for (const what of [
      { name: "a".repeat(64) },
      { file: png(10_000, 4_000) },
      { file: png(8_000, 5_000) },
      { file: png(1, 1, 5 * MB - 33) },
    ]) {
      expect((await upload(b, what)).status).toBe(201);
    }
  });

  it("is 413 beyond 5 MB, and 404 before anything is said about the image", async () => {
    const b = harness();
    for (const size of [5 * MB - 32, 6 * MB]) {
      const { status, json } = await upload(b, { file: png(1, 1, size) });
      expect([status, json.error.code]).toEqual([413, "payload_too_large"]);
    }
    expect((await upload(b, { file: png(1, 1, 6 * MB) }, { id: "none" })).json.error.code).toBe("form_not_found");
  });

  it("is cut off as its bytes arrive, however they are announced", async () => {
    const b = harness();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 0)
          controller.enqueue(
            Buffer.from('--X\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
          );
        controller.enqueue(new Uint8Array(64 * 1024));
        sent += 64 * 1024;
        if (sent > 64 * MB) controller.close();
      },
    });
    const { status } = await send(b, body, { type: "multipart/form-data; boundary=X" });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(6 * MB);
  });

  it.each<[string, string, string, number, string]>([
    ["JSON", "application/json", "{}", 415, "unsupported_media_type"],
    ["urlencoded", "application/x-www-form-urlencoded", "use=x", 415, "unsupported_media_type"],
    ["another multipart", "multipart/mixed; boundary=X", "--X--", 415, "unsupported_media_type"],
    ["multipart without a boundary", "multipart/form-data", "--X--", 400, "invalid_parameter"],
    [
      "multipart that is cut off",
      "multipart/form-data; boundary=X",
      '--X\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      400,
      "invalid_parameter",
    ],
    ["an empty multipart", "multipart/form-data; boundary=X", "--X--\r\n", 400, "invalid_parameter"],
    ["no body", "multipart/form-data; boundary=X", "", 400, "invalid_parameter"],
    [
      "a thousand parts",
      "multipart/form-data; boundary=X",
      `${'--X\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(1_000)}--X--`,
      400,
      "invalid_parameter",
    ],
  ])("as %s is refused", async (_, type, body, status, code) => {
    const answer = await send(harness(), body, { type });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it("needs a plan with images", async () => {
    const { driver, held } = watchedBlob();
    const b = harness({ blob: driver });
    await b.teams.create({ id: "acme", name: "Acme", plan: "free" });
    const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
    const key = await b.keyWith("all", { team_id: "acme" });
    const refused = await upload(b, {}, { id: form.id, key });
    expect([refused.status, refused.json.error.code]).toEqual([403, "plan_restricted"]);
    const wrongFirst = await upload(b, { use: "favicon" }, { id: form.id, key });
    expect(wrongFirst.json.error.code).toBe("invalid_parameter");
    // Nobody reads an SVG for a team that may have no images.
    const declared = svg("<style>@import 'https://example.com/a.css';</style>");
    const unread = await upload(b, { file: declared, type: "image/svg+xml", as: "logo.svg" }, { id: form.id, key });
    expect([unread.status, unread.json.error.code]).toEqual([403, "plan_restricted"]);
    expect(held.size).toBe(0);
    await b.teams.update("acme", { plan: "unlimited" });
    expect((await upload(b, {}, { id: form.id, key })).status).toBe(201);
  });

  it("leaves no bytes behind when its row can't be written, and none when it is refused", async () => {
    const { driver, held } = watchedBlob();
    const storage = memoryStorage();
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const b = harness({
      blob: driver,
      logger,
      storage: {
        ...storage,
        commit: async (writes) => {
          if (writes.some((write) => "collection" in write && write.collection === "images"))
            throw new Error("disk full");
          await storage.commit(writes);
        },
      },
    });
    expect((await upload(b, {})).status).toBe(503);
    await upload(b, { file: "no image" });
    expect(held.size).toBe(0);
  });

  it("keeps its bytes while its row may still come, and the sweep removes those that no row came for", async () => {
    const { driver, held } = watchedBlob();
    const storage = memoryStorage();
    let isMade = true;
    const b = harness({
      blob: driver,
      storage: {
        ...storage,
        commit: async (writes) => {
          const isImage = writes.some((write) => "collection" in write && write.collection === "images");
          if (!isImage || isMade) await storage.commit(writes);
          if (isImage) throw new StoreDownError("the answer was lost", { nothingWritten: false });
        },
      },
    });
    const form = await b.forms.create({ name: "A" });
    expect((await upload(b, {}, { id: form.id })).status).toBe(503);
    isMade = false;
    expect((await upload(b, {}, { id: form.id })).status).toBe(503);
    expect(held.size).toBe(2);
    await b.clock.advance(2 * 86_400_000);
    await b.sweep();
    expect(held.size).toBe(1);
    expect((await fetchImage(b, `${b.baseUrl}/files/${[...held][0]}/logo.png`)).status).toBe(200);
  });

  it("is 503 when the blob driver is down", async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const b = harness({
      blob: { ...memoryBlob(), put: () => Promise.reject(Object.assign(new Error("EIO"), { code: "EIO" })) },
      logger,
    });
    const { status, json } = await upload(b, {});
    expect([status, json.error.code]).toEqual([503, "unavailable"]);
  });

  it("in process takes bytes, a stream or a Blob", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const use = "after_submit_logo" as const;
    const bytes = new Uint8Array(pixelPng);
    expect(await b.forms.uploadImage(id, { file: bytes, use })).toMatchObject({ name: "image", width: 1 });
    const stream = new Blob([bytes]).stream() as ReadableStream<Uint8Array>;
    expect(await b.forms.uploadImage(id, { file: stream, use, name: "s" })).toMatchObject({
      name: "s",
      size: bytes.length,
    });
    expect(await b.forms.uploadImage(id, { file: new Blob([bytes]), use })).toMatchObject({ name: "image" });
    expect(await b.forms.uploadImage(id, { file: new File([bytes], "My Logo.png"), use })).toMatchObject({
      name: "my-logo",
    });
    const refusal = async (image: object) =>
      b.forms.uploadImage(id, image as never).catch((error) => [error.code, error.param]);
    expect(await refusal({ file: "text", use })).toEqual(["invalid_parameter", "file"]);
    expect(await refusal({ file: bytes, use: "x" })).toEqual(["invalid_parameter", "use"]);
    expect(await refusal({ file: bytes, use, name: "a.b" })).toEqual(["invalid_parameter", "name"]);
    expect(await refusal({ file: new Uint8Array(5 * MB + 1), use })).toEqual(["payload_too_large", undefined]);
    expect(await refusal({ file: new Blob([new Uint8Array(5 * MB + 1)]), use })).toEqual([
      "payload_too_large",
      undefined,
    ]);
  });
});

describe("an image's URL", () => {
  it("serves the same bytes to anybody, for ever, and lets nothing run", async () => {
    const b = harness();
    const file = svg('<circle r="1"></circle>', 'width="9"');
    const { json } = await upload(b, { file, name: "a" });
    const response = await fetchImage(b, json.url);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
    const { headers } = response;
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "content-length": String(file.length),
      "content-disposition": "inline",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    const head = await fetchImage(b, json.url, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(file.length),
      "",
    ]);
  });

  it.each([
    ["another name", (url: string) => url.replace("logo.png", "other.png")],
    ["another extension", (url: string) => url.replace(".png", ".html")],
    ["another id", (url: string) => url.replace(/img_./, (start) => (start === "img_0" ? "img_1" : "img_0"))],
    ["no name", (url: string) => url.replace("/logo.png", "")],
    ["a way up", (url: string) => url.replace("logo.png", "..%2flogo.png")],
  ])("with %s is 404", async (_, change) => {
    const b = harness();
    const { json } = await upload(b, {});
    const response = await fetchImage(b, change(json.url));
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      "not_found",
    ]);
  });

  it("is 503 when the blob driver is down", async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const b = harness({
      blob: { ...memoryBlob(), get: () => Promise.reject(Object.assign(new Error("EIO"), { code: "EIO" })) },
      logger,
    });
    const { json } = await upload(b, {});
    const response = await fetchImage(b, json.url);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(logger.error).toHaveBeenCalledWith(expect.stringContaining("EIO"));
  });

  it("takes no other method, and is 404 when the bytes are gone", async () => {
    const { driver } = watchedBlob();
    const b = harness({ blob: driver });
    const { json } = await upload(b, {});
    const post = await fetchImage(b, json.url, "POST");
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await driver.remove(json.id);
    expect((await fetchImage(b, json.url)).status).toBe(404);
  });
});

describe("over a socket", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

  it("an image goes up and comes down, and one of 6 MB gets its 413", async () => {
    const b = harness();
    const server = createServer(formBackend(b));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/forms`;
    const { id } = await b.forms.create({ name: "A" });
    const post = (what: Upload) =>
      fetch(`${base}/v1/forms/${id}/images`, {
        method: "POST",
        headers: { authorization: `Bearer ${b.key}` },
        body: parts(what),
      });
    const file = png(30, 20, 3 * MB);
    const made = (await (await post({ file })).json()) as { url: string };
    const down = await fetch(made.url.replace(b.baseUrl, base));
    expect(Buffer.from(await down.arrayBuffer()).equals(file)).toBe(true);
    const large = await post({ file: png(30, 20, 6 * MB) });
    expect([large.status, ((await large.json()) as { error: { code: string } }).error.code]).toEqual([
      413,
      "payload_too_large",
    ]);
  });
});

describe("the images of a form", () => {
  const use = "after_submit_logo" as const;

  it("are 100 at most, also of uploads that come at once, and one that is removed makes room", async () => {
    const { held, driver: blob } = watchedBlob();
    const b = harness({ blob });
    const { id } = await b.forms.create({ name: "A" });
    const other = await b.forms.create({ name: "B" });
    for (let i = 0; i < 97; i++) await b.forms.uploadImage(id, { file: pixelPng, use });
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(b, {}, { id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.json.error).toMatchObject({
      code: "limit_reached",
      param: "file",
    });
    expect(held.size, "nothing is left of those that were refused").toBe(100);
    const unread = await send(b, "{}", { id, type: "application/json" });
    expect([unread.status, unread.json.error.code], "the body of another is not read").toEqual([409, "limit_reached"]);
    const image = answers.find(({ status }) => status === 201)?.json;
    const remove = (form: string, key = b.key) => b.call("DELETE", `/v1/forms/${form}/images/${image.id}`, { key });
    expect((await remove(other.id)).json.error.code, "of another form").toBe("not_found");
    expect((await remove(id, await b.keyWith(["forms:read"]))).status).toBe(403);
    expect((await remove(id)).json).toEqual({ id: image.id, deleted: true });
    expect((await remove(id)).status).toBe(404);
    expect([(await fetchImage(b, image.url)).status, held.size]).toEqual([404, 99]);
    expect((await upload(b, {}, { id })).status).toBe(201);
  });

  it("are 100 MB at most", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const large = png(10, 10, 5 * MB - 100);
    for (let i = 0; i < 20; i++) await b.forms.uploadImage(id, { file: large, use });
    await expect(b.forms.uploadImage(id, { file: large, use })).rejects.toMatchObject({ code: "limit_reached" });
    expect(await b.forms.uploadImage(id, { file: pixelPng, use })).toMatchObject({ size: pixelPng.length });
  });

  it("go with the form, their bytes too, at the latest with the next sweep", async () => {
    const { held, driver: blob } = watchedBlob();
    let down = true;
    const b = harness({
      blob: { ...blob, remove: (key) => (down ? Promise.reject(new Error("down")) : blob.remove(key)) },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const { id } = await b.forms.create({ name: "A" });
    const { url } = await b.forms.uploadImage(id, { file: pixelPng, use });
    await b.forms.delete(id);
    expect([(await fetchImage(b, url)).status, held.size]).toEqual([404, 1]);
    down = false;
    await b.clock.advance(1);
    await b.sweep();
    expect(held.size).toBe(0);
  });
});
