import { describe, expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import type { BlobDriver } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const ALIAS = "5f0c-old-id";
const SCRIPT = { accept: "application/json" };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const failed = { success: false, message: expect.any(String) };
const MB = 1024 * 1024;

async function make(form: object = {}, options: object = {}) {
  const b = harness({
    dialects: ["web3forms", "staticforms", "netlify"],
    rateLimit: false,
    logger: silent,
    ...options,
  });
  const { id } = await b.forms.create({ name: "A", settings: { key: "contact", aliases: [ALIAS] }, ...form } as never);
  return { b, id };
}
async function send(
  b: Harness,
  body: string | FormData | ReadableStream,
  headers: Record<string, string> = {},
  path = "/submit",
) {
  const init = { method: "POST", body, headers: { ...SCRIPT, ...headers }, duplex: "half" };
  const response = await b.handle(new Request(b.baseUrl + path, init as RequestInit), { ip: "203.0.113.9" });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, headers: response.headers, json: (await response.json()) as any };
}
const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
const multipart = (...entries: [string, string | File][]) => {
  const body = new FormData();
  for (const [name, value] of entries) body.append(name, value as string);
  return body;
};
const file = (size = 5) => new File(["x".repeat(size)], "cv.txt", { type: "text/plain" });

describe("a form's name in the body", () => {
  it("may come behind the other fields, which are then read as its service means them", async () => {
    const { b, id } = await make();
    expect((await send(b, `subject=S&botcheck=&a=1&access_key=${ALIAS}`, urlencoded)).json.success).toBe(true);
    expect((await send(b, `replyTo=r@example.com&a=1&apiKey=${ALIAS}`, urlencoded)).json.success).toBe(true);
    const stored = (await b.submissions.list(id)).data.map(({ fields }) => fields.map(({ key }) => key).join());
    expect(stored.sort()).toEqual(["a", "subject,a"]);
  });

  it("is asked for where it is missing or empty, with the names that it may have", async () => {
    const { b } = await make();
    for (const body of ["a=1", "access_key=&a=1"]) {
      const { status, json } = await send(b, body, urlencoded);
      expect([status >= 400, json]).toEqual([true, expect.objectContaining(failed)]);
    }
    expect((await send(b, "a=1", urlencoded)).json.message).toContain("`access_key` or `accessKey`");
    expect((await send(b, "a=1", urlencoded, "/netlify")).json).toMatchObject({ status: "error", code: 400 });
  });

  it.each([
    ["unknown", "nothing"],
    ["no name at all", "a b\u0000"],
    ["longer than any", "a".repeat(60_000)],
    ["`__proto__`", "__proto__"],
    ["another form's key", "contact"],
  ])("that is %s is 404 in the service's shape", async (_, name) => {
    const { b } = await make();
    const { status, json } = await send(b, new URLSearchParams({ a: "1", access_key: name }).toString(), urlencoded);
    expect([status, json]).toEqual([
      404,
      { success: false, message: expect.any(String), statusCode: 404, body: { message: expect.any(String) } },
    ]);
  });

  it("counts for the sender's address, also where it leads nowhere", async () => {
    const { b } = await make({}, { rateLimit: { perIp: { points: 3, seconds: 60 } } });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await send(b, "access_key=nothing", urlencoded)).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  it("is held to the form's own origins and rates once it is known", async () => {
    const { b } = await make(
      { allowed_origins: ["https://site.example"] },
      { rateLimit: { perForm: { points: 1, seconds: 60 } } },
    );
    const go = (origin: string) => send(b, `access_key=${ALIAS}&a=1`, { ...urlencoded, origin });
    const [evil, good, more] = [
      await go("https://evil.example"),
      await go("https://site.example"),
      await go("https://site.example"),
    ];
    expect([evil.status, good.status, more.status]).toEqual([403, 200, 429]);
    expect(evil.headers.get("access-control-allow-origin")).toBeNull();
    expect(good.headers.get("access-control-allow-origin")).toBe("https://site.example");
  });
});

describe("a large body whose form is not known yet", () => {
  it.each([
    ["urlencoded", () => `a=${"x".repeat(2 * MB)}&access_key=${ALIAS}`, urlencoded],
    ["many fields", () => `${"a=1&".repeat(MB / 2)}access_key=${ALIAS}`, urlencoded],
    [
      "JSON",
      () => JSON.stringify({ a: Array(40).fill("x".repeat(50_000)), access_key: ALIAS }),
      { "content-type": "application/json" },
    ],
    [
      "multipart",
      () =>
        multipart(...Array.from({ length: 40 }, (): [string, string] => ["a", "x".repeat(50_000)]), [
          "access_key",
          ALIAS,
        ]),
      {},
    ],
    ["dropped fields", () => `access_key=${ALIAS}&${"ccemail=a&".repeat(200_000)}`, urlencoded],
  ])("%s of 2 MB is refused as too large, and nothing of it is stored", async (_, body, headers) => {
    const { b, id } = await make();
    const { status, json } = await send(b, body(), headers);
    expect([status, json]).toEqual([413, expect.objectContaining(failed)]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(0);
  });
});

describe("files", () => {
  it("come behind the form's name, and are kept", async () => {
    const { b, id } = await make();
    expect((await send(b, multipart(["access_key", ALIAS], ["cv", file()], ["a", "1"]))).status).toBe(200);
    expect((await b.submissions.list(id)).data[0]?.attachments).toHaveLength(1);
  });

  it("that come before it are refused, which says what to change, and nothing of them is kept", async () => {
    const blob = memoryBlob();
    let puts = 0;
    const watched: BlobDriver = {
      ...blob,
      put(...given) {
        puts++;
        return blob.put(...given);
      },
    };
    const { b } = await make({}, { blob: watched });
    const { status, json } = await send(b, multipart(["cv", file(2 * MB)], ["access_key", ALIAS]));
    expect([status, json.message]).toEqual([400, expect.stringContaining("before any files")]);
    expect(puts).toBe(0);
  });

  it("for an unknown form are read by nobody", async () => {
    const { b } = await make();
    expect((await send(b, multipart(["access_key", "nothing"], ["cv", file(2 * MB)]))).status).toBe(404);
  });
});
