import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "sec-fetch-mode": "navigate" };
const SCRIPT = { accept: "*/*", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function expectJson(answer: Answer, status: number, code: string): void {
  expect(answer.json).toEqual({
    code: status,
    status: "error",
    title: expect.stringMatching(/^[A-Z]/),
    message: expect.stringMatching(/\.$/),
    errors: {},
    error: {
      type: expect.any(String),
      code,
      message: answer.json.message,
      request_id: answer.headers.get("x-request-id"),
    },
  });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, "*"]);
}

function expectPage(answer: Answer, status: number): void {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.text).toContain('role="alert"');
}

describe("fetch metadata", () => {
  it.each([
    [{ accept: "*/*", "sec-fetch-mode": "cors" }, true],
    [{ accept: "*/*", "sec-fetch-mode": "same-origin" }, true],
    [{ accept: "*/*", "sec-fetch-mode": "no-cors" }, true],
    [{ "sec-fetch-dest": "empty" }, true],
    [{ accept: "text/html", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }, false],
    [{ accept: "*/*, text/html", "sec-fetch-dest": "empty" }, false],
    [{ accept: "*/*", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, false],
    [{ accept: "*/*", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, false],
    [{ accept: "*/*", "sec-fetch-mode": "" }, false],
  ])("%o is a script: %s", async (headers, script) => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const { json } = await b.post(id, "", headers as Record<string, string>);
    expect(json !== null).toBe(script);
  });
});

describe("every failure below the public addresses", () => {
  const failures: [method: string, path: (id: string) => string, status: number, code: string][] = [
    ["PUT", (id) => `/f/${id}`, 405, "method_not_allowed"],
    ["PATCH", (id) => `/f/${id}`, 405, "method_not_allowed"],
    ["DELETE", (id) => `/f/${id}`, 405, "method_not_allowed"],
    ["GET", () => "/f/nope", 404, "form_not_found"],
    ["GET", () => "/f", 404, "not_found"],
    ["POST", (id) => `/f/${id}/nothing`, 404, "not_found"],
    ["POST", (id) => `/f/${id}%2F..%2F`, 404, "not_found"],
    ["PUT", (id) => `/f/${id}/token`, 405, "method_not_allowed"],
    ["GET", () => "/p/default", 404, "not_found"],
    ["GET", () => "/s", 404, "not_found"],
    ["GET", () => "/c/nothing", 404, "not_found"],
    ["PUT", () => "/c/recipient/x", 405, "method_not_allowed"],
  ];

  it.each(failures)("%s of %s is JSON for a script and a page for a browser", async (method, path, status, code) => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const at = path(id).replace("%2F..%2F", "/./nothing");
    const ask = (headers: Record<string, string>) => b.call(method, at, { key: null, headers });
    expectJson(await ask(SCRIPT), status, code);
    expectJson(await ask({ accept: "application/json" }), status, code);
    expectPage(await ask(PAGE), status);
    if (status === 405 && at === `/f/${id}`) expect((await ask(PAGE)).headers.get("allow")).toBe("POST, OPTIONS");
  });

  it("GET explains the endpoint to people, and is the failure that it is to scripts", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const json = await b.call("GET", `/f/${id}`, { key: null, headers: SCRIPT });
    expectJson(json, 405, "method_not_allowed");
    expect(json.headers.get("allow")).toBe("POST, OPTIONS");
    const page = await b.call("GET", `/f/${id}`, { key: null, headers: PAGE });
    expect([page.status, page.text.includes("This is a form endpoint")]).toEqual([405, true]);
  });

  it("what a page fetches before it posts fails as JSON, whatever the request accepts", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const ask = (path: string, headers: Record<string, string>) => b.call("GET", path, { key: null, headers });
    for (const headers of [SCRIPT, PAGE]) {
      expectJson(await ask("/f/nope/token", headers), 404, "form_not_found");
      expectJson(await ask("/f/nope/challenge", headers), 404, "form_not_found");
      expectJson(await ask(`/f/${id}/challenge`, headers), 404, "not_found");
    }
  });

  it("the management API keeps its envelope", async () => {
    const { json } = await harness().call("GET", "/v1/nope", { headers: SCRIPT });
    expect(json).toEqual({ error: expect.objectContaining({ code: "not_found" }) });
  });

  it("has its shape where the host strips the prefix, too", async () => {
    const b = harness();
    const answer = await b.fetch(new Request("http://h/f/x/y", { headers: { accept: "application/json" } }));
    expect((await answer.json()) as object).toMatchObject({ code: 404, status: "error" });
  });
});

describe("while the backend can't work", () => {
  const states: [name: string, start: () => Promise<{ b: Harness; id: string }>, wait: string][] = [
    [
      "opening fails",
      async () => {
        const storage = memoryStorage();
        let broken = false;
        const b = harness({
          logger: silent,
          storage: { ...storage, open: () => (broken ? Promise.reject(new Error("no database")) : storage.open()) },
        });
        broken = true;
        return { b, id: "Ab3dE5gH1jK" };
      },
      "5",
    ],
    [
      "closing",
      async () => {
        const b = harness({ logger: silent });
        const { id } = await b.forms.create({ name: "A" });
        void b.close();
        return { b, id };
      },
      "1",
    ],
    [
      "down",
      async () => {
        const storage = memoryStorage();
        let down = false;
        const b = harness({
          logger: silent,
          storage: {
            ...storage,
            get: (...args) => (down ? Promise.reject(new Error("cable cut")) : storage.get(...args)),
          },
        });
        await b.forms.create({ name: "A" });
        down = true;
        return { b, id: "Ab3dE5gH1jK" };
      },
      "5",
    ],
  ];

  it.each(states)("%s: a post is 503 with Retry-After, in its shape", async (_, start, wait) => {
    const { b, id } = await start();
    for (const headers of [SCRIPT, PAGE]) {
      const answer = await b.post(id, "name=Ann", headers);
      if (headers === SCRIPT) expectJson(answer, 503, "unavailable");
      else expectPage(answer, 503);
      expect(answer.headers.get("retry-after")).toBe(wait);
      expect(answer.text).not.toMatch(/cable|database/);
    }
  });

  it.each(states)("%s: the other addresses have it as well", async (name, start, wait) => {
    const { b, id } = await start();
    // A confirmation's link is judged without the store.
    for (const path of name === "down" ? [`/f/${id}`] : [`/f/${id}`, "/c/recipient/x"]) {
      const page = await b.call("GET", path, { key: null, headers: PAGE });
      expectPage(page, 503);
      expect(page.headers.get("retry-after")).toBe(wait);
    }
    const token = await b.call("GET", `/f/${id}/token`, { key: null, headers: SCRIPT });
    expectJson(token, 503, "unavailable");
  });

  it.each(states)(
    "%s: the preflight passes, so that the script can read why, and is not remembered",
    async (_, start) => {
      const { b, id } = await start();
      const { status, headers } = await b.call("OPTIONS", `/f/${id}`, {
        key: null,
        headers: { origin: "https://site.example", "access-control-request-method": "POST" },
      });
      expect([status, headers.get("access-control-allow-origin"), headers.get("access-control-max-age")]).toEqual([
        204,
        "*",
        "0",
      ]);
    },
  );
});

it("the preflight takes the headers of Formspree's client", async () => {
  const b = harness();
  const { id } = await b.forms.create({ name: "A" });
  const { headers } = await b.call("OPTIONS", `/f/${id}`, { key: null, headers: { origin: "https://site.example" } });
  const allowed = headers.get("access-control-allow-headers")?.split(", ");
  expect(allowed).toEqual(expect.arrayContaining(["Formspree-Client", "Formspree-Session-Data", "Content-Type"]));
  expect(headers.get("access-control-max-age")).toBe("86400");
});
