import { expect, it, onTestFinished } from "vitest";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function closing(): Promise<{ b: Harness; id: string }> {
  const b = harness({ logger: silent });
  const { id } = await b.forms.create({ name: "A" });
  void b.close();
  return { b, id };
}

function expectKept(answer: Answer, id: string): void {
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(answer.text).toContain('<button class="button" type="submit">Send again</button>');
  expect(answer.text).toContain(`/f/${id}"`);
  expect(answer.text).toContain('<input type="hidden" name="message" value="two\r\nlines">');
}

it("a post that meets a closing backend is read, so that it can be sent again", async () => {
  const { b, id } = await closing();
  expectKept(await b.post(id, "message=two%0D%0Alines&_next=%2Fok&password=hunter2", PAGE), id);
  const body = new FormData();
  body.append("message", "two\r\nlines");
  body.append("cv", new File(["My life"], "cv.txt", { type: "text/plain" }));
  const page = await b.post(id, body, PAGE);
  expectKept(page, id);
  expect(page.text).toContain("Please choose the file again.");
});

it("a script keeps what it has itself, and is answered unread", async () => {
  const { b, id } = await closing();
  const { json } = await b.post(id, "message=x", { accept: "application/json" });
  expect([json.code, json.error.code]).toEqual([503, "unavailable"]);
});

it("nothing is read beyond 1 MB", async () => {
  const { b, id } = await closing();
  const page = await b.post(id, `message=${"x".repeat(1024 * 1024)}`, PAGE);
  expect([page.status, page.text.includes("<form"), page.text.length < 20_000]).toEqual([503, false, true]);
  const body = new FormData();
  body.append("message", "two\r\nlines");
  body.append("cv", new File(["x".repeat(2 * 1024 * 1024)], "cv.txt", { type: "text/plain" }));
  body.append("late", "never read");
  const { text } = await b.post(id, body, PAGE);
  expect(text).toContain("Not all of the form has arrived.");
  expect(text).toContain("two\r\nlines</textarea>");
  expect(text).not.toContain("never read");
});

it("nothing is waited for beyond 3 s", async () => {
  const { b, id } = await closing();
  let end = (): void => {};
  onTestFinished(() => end());
  const stalled = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from("message=x"));
      end = () => controller.close();
    },
  });
  const request = new Request(`${b.baseUrl}/f/${id}`, {
    method: "POST",
    headers: { ...PAGE, "content-type": "application/x-www-form-urlencoded" },
    body: stalled,
    duplex: "half",
  } as RequestInit);
  expect((await b.fetch(request)).status).toBe(503);
});
