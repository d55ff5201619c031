import { describe, expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import de from "../../../../src/texts/locales/de.ts";
import { harness } from "../../../_support/backend.ts";
import { fileHarness, formData, json } from "../../../_support/blobs.ts";

const DAY = 24 * 3600 * 1000;
type B = ReturnType<typeof fileHarness>;

async function posted(b: B | ReturnType<typeof harness>, form: object = {}) {
  const { id } = await b.forms.create({ name: "A", ...form });
  const { json: answer } = await b.post(
    id,
    formData([
      ["email", "ann@example.com"],
      ["cv", ["My “CV”.txt", "content"]],
    ]),
    json,
  );
  const read = async (): Promise<string> =>
    (await b.submissions.get(id, answer.submission_id)).attachments[0]?.url as string;
  return { id, submission_id: answer.submission_id as string, read, url: await read() };
}
const status = async (b: B | ReturnType<typeof harness>, url: string, method = "GET") => {
  const { status, body } = await b.fetch(new Request(url, { method }));
  await body?.cancel();
  return status;
};

describe("a link to a file", () => {
  it("is served so that no browser shows or runs it", async () => {
    const b = fileHarness();
    const { url } = await posted(b);
    const response = await b.fetch(new Request(url));
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "private",
      "content-disposition": `attachment; filename="My _CV_.txt"; filename*=UTF-8''My%20%E2%80%9CCV%E2%80%9D.txt`,
      "content-length": "7",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-type": "text/plain",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String),
    });
    expect(await response.text()).toBe("content");
    const head = await b.fetch(new Request(url, { method: "HEAD" }));
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "7", ""]);
    expect(await status(b, url, "POST")).toBe(405);
  });

  it("works for 7 days from the read that minted it, to the second", async () => {
    const b = fileHarness();
    const { url, read } = await posted(b);
    expect(Number(new URL(url).searchParams.get("expires")) * 1000).toBe(b.clock.now() + 7 * DAY);
    await b.clock.advance(7 * DAY - 1);
    expect(await status(b, url)).toBe(200);
    await b.clock.advance(1);
    expect(await status(b, url)).toBe(404);
    expect(await status(b, await read())).toBe(200);
  });

  it("works for as long as the option says", async () => {
    const b = fileHarness({ files: { linkTtlSeconds: 60 } });
    const { url } = await posted(b);
    await b.clock.advance(59_999);
    expect(await status(b, url)).toBe(200);
    await b.clock.advance(1);
    expect(await status(b, url)).toBe(404);
  });

  it("is 404 in any other form, in the same words", async () => {
    const b = fileHarness();
    const { url } = await posted(b);
    const other = await posted(b);
    const changed = (change: (url: URL) => void): string => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const forged = [
      changed(({ searchParams }) => searchParams.set("expires", "9999999999")),
      changed(({ searchParams }) => searchParams.set("expires", "Infinity")),
      changed(({ searchParams }) => searchParams.delete("expires")),
      changed(({ searchParams }) => searchParams.delete("signature")),
      changed(({ searchParams }) => searchParams.set("signature", `${searchParams.get("signature")}A`)),
      changed((copy) => (copy.search = new URL(other.url).search)),
      changed((copy) => (copy.pathname = new URL(other.url).pathname)),
      changed((copy) => (copy.pathname = copy.pathname.replace(/[^/]+$/, "other.html"))),
      changed((copy) => (copy.search = "")),
      `${b.baseUrl}/files/file_000000000000000000000000/a.txt`,
      `${b.baseUrl}/files/${encodeURIComponent("file_../../secret")}/a.txt`,
    ];
    const answers = await Promise.all(forged.map((link) => b.fetch(new Request(link))));
    expect(answers.map((answer) => answer.status)).toEqual(forged.map(() => 404));
    const messages = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { error: { message: string } }).error.message),
    );
    expect(new Set(messages).size).toBe(1);
    expect(await status(b, url)).toBe(200);
    // Another installation's secret signs other links.
    expect(await status(fileHarness({ secret: "another secret that is long enough" }), url)).toBe(404);
  });

  it("begins with the base URL whatever the request's host was", async () => {
    const b = fileHarness({ baseUrl: "https://app.example.com/deep/forms" });
    const { url } = await posted(b);
    expect(url).toMatch(
      /^https:\/\/app\.example\.com\/deep\/forms\/files\/file_[0-9a-f]{24}\/My%20%E2%80%9CCV%E2%80%9D\.txt\?expires=\d+&signature=[\w-]{51}$/,
    );
  });

  it("is 503 while the blob store is down, and 404 when the bytes are gone", async () => {
    const blob = memoryBlob();
    const { get } = blob;
    const b = harness({ blob, logger: { debug() {}, info() {}, warn() {}, error() {} } });
    const { url } = await posted(b);
    blob.get = () => Promise.reject(new Error("no route to host"));
    expect(await status(b, url)).toBe(503);
    blob.get = get;
    await blob.remove(new URL(url).pathname.split("/")[3] as string);
    expect(await status(b, url)).toBe(404);
  });

  it("that is no longer good gets a page in a browser, in its language, and JSON elsewhere", async () => {
    const b = fileHarness({ locales: [de] });
    const { url } = await posted(b);
    await b.clock.advance(8 * DAY);
    const ask = async (headers: Record<string, string>, of = url) => {
      const answer = await b.fetch(new Request(of, { headers }));
      return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
    };
    const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
    const page = await ask({ ...browser, "accept-language": "de" });
    expect([page.status, page.type]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.text).toContain("Dieser Link ist abgelaufen");
    // A forged one reads the same, so that nobody learns which files there are.
    expect((await ask({ ...browser, "accept-language": "de" }, `${url}x`)).text).toBe(page.text);
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
      const answer = await ask(headers);
      expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([404, "not_found"]);
    }
  });
});

describe("a link in a delivery", () => {
  it("is frozen over all attempts, and renewed by a redelivery", async () => {
    const b = fileHarness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/hook" });
    b.answerWebhooks(500);
    const { json: answer } = await b.post(form.id, formData([["cv", ["a.txt", "x"]]]), json);
    const start = b.clock.now();
    await b.clock.advance(2 * 3600 * 1000);
    expect(b.webhookCalls.length).toBeGreaterThan(2);
    expect(new Set(b.webhookCalls.map(({ body }) => body)).size).toBe(1);
    const expiry = (body = "") =>
      Number(new URL(JSON.parse(body).data.attachments[0].url).searchParams.get("expires")) * 1000;
    expect(expiry(b.webhookCalls[0]?.body)).toBe(start + 7 * DAY);
    await b.clock.advance(3 * DAY);
    b.answerWebhooks(200);
    await b.deliveries.redeliver(form.id, webhook.id, answer.submission_id);
    await b.tick();
    expect(expiry(b.webhookCalls.at(-1)?.body)).toBe(b.clock.now() + 7 * DAY);
  });

  it("stands in the owner's mail, with the same end for every attempt, and in the export", async () => {
    const b = fileHarness({ files: { linkTtlSeconds: 3600 } });
    const { id, url } = await posted(b, { self_email_notification: { recipients: ["me@example.com"] } });
    await b.clock.advance(1000);
    const [link] = /http:\/\/localhost:3000\/forms\/files\/\S+/.exec(b.mails[0]?.text ?? "") ?? [];
    expect([link, await status(b, link as string)]).toEqual([url, 200]);
    const { text } = await b.call("GET", `/v1/forms/${id}/submissions/export?format=csv`);
    expect(text).toContain("/files/file_");
  });
});
