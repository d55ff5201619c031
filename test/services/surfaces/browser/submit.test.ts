import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { createSubmitter, submitForm, toFieldErrors } from "../../../../src/surfaces/browser/core.ts";
import { toFormData } from "../../../../src/surfaces/browser/data.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";

const FAILED = "Something went wrong. Please try again.";
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A real server; answers its address. */
async function listen(handler?: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A backend behind a socket, with a form that wants an address. */
async function endpoint() {
  let handle: RequestListener | undefined;
  const origin = await listen((request, response) => handle?.(request, response));
  const backend = createTestBackend({ baseUrl: `${origin}/forms` });
  ends.push(() => backend.close());
  handle = formBackend(backend);
  const rules = [{ field: "email", checks: [{ type: "email" as const }] }];
  const form = await backend.forms.create({ name: "Contact", validation: { rules } });
  const stored = async () => (await backend.submissions.list(form.id, { status: "all" })).data;
  return { backend, form, url: form.endpoint, stored };
}

/** A server that answers everything alike. */
const answering = (status: number, body: string, type = "application/json"): Promise<string> =>
  listen((request, response) => {
    request.resume().on("end", () => response.writeHead(status, { "content-type": type }).end(body));
  });

describe("submitForm, where there is no page", () => {
  it("sends an object with nested members, lists and files as fields, and answers what the endpoint says", async () => {
    const { url, stored } = await endpoint();
    const cv = new File(["My whole life"], "cv.txt", { type: "text/plain" });
    const result = await submitForm(url, {
      email: "ann@example.com",
      age: 30,
      terms: true,
      nothing: null,
      missing: undefined,
      born: new Date(0),
      tags: ["a", "b"],
      address: { city: "Ulm" },
      cv,
    });
    const [submission] = await stored();
    expect(result).toMatchObject({ ok: true, submission_id: submission?.id, title: "Thank you!", redirect: null });
    expect(submission?.fields.map(({ key, value }) => `${key}=${value}`)).toEqual([
      "email=ann@example.com",
      "age=30",
      "terms=true",
      "nothing=",
      "born=1970-01-01T00:00:00.000Z",
      "tags=a",
      "tags=b",
      "address.city=Ulm",
    ]);
    expect(submission?.attachments).toMatchObject([{ key: "cv", mime_type: "text/plain" }]);
  });

  it("takes FormData and URLSearchParams, and leaves them as they are", async () => {
    const { url, stored } = await endpoint();
    for (const data of [new FormData(), new URLSearchParams()]) {
      data.append("email", "ann@example.com");
      expect((await submitForm(url, data)).ok).toBe(true);
      expect([...data.keys()]).toEqual(["email"]);
    }
    expect(await stored()).toHaveLength(2);
  });

  it("answers what is wrong by field, with the code and the request's id", async () => {
    const { url } = await endpoint();
    const result = await submitForm(url, { email: "nonsense" });
    const message = "The email must be a valid email address.";
    expect(result).toMatchObject({
      ok: false,
      code: "validation_failed",
      status: 422,
      message,
      errors: { email: { message, rule: "email" } },
      request_id: expect.stringMatching(/\S/),
      idempotency_key: null,
    });
    expect(toFieldErrors(result)).toEqual({ email: message });
    expect(toFieldErrors(await submitForm(url, { email: "ann@example.com" }))).toEqual({});
  });

  it("always has a message: of a proxy's page, of an empty answer, of JSON that is not the endpoint's", async () => {
    const answers: [number, string, string, string | null][] = [
      [503, "<h1>Back soon</h1>", "bad_response", "key"],
      [200, "<!doctype html>", "bad_response", "key"],
      [204, "", "bad_response", "key"],
      [500, "{}", "bad_response", "key"],
      [404, '{"statusCode":404}', "bad_response", null],
      [200, "null", "bad_response", "key"],
      [422, '{"status":"error","error":{"code":"captcha_failed"}}', "captcha_failed", null],
      [409, '{"status":"error","error":{"code":"idempotency_in_progress"}}', "idempotency_in_progress", "key"],
    ];
    for (const [status, body, code, idempotency_key] of answers) {
      const url = await answering(status, body, body.startsWith("<") ? "text/html" : "application/json");
      const result = await submitForm(url, { a: 1 }, { idempotencyKey: "key" });
      expect(result).toMatchObject({ ok: false, code, status, message: FAILED, errors: {}, idempotency_key });
    }
    const failed = "Das ging nicht.";
    expect(await submitForm(await answering(502, ""), { a: 1 }, { failed })).toMatchObject({ message: failed });
  });

  it("understands the success of the dialects that a form may speak", async () => {
    for (const body of ['{"ok":true,"next":"https://h.example/"}', '{"success":true,"message":"Sent"}'])
      expect((await submitForm(await answering(200, body), { a: 1 })).ok).toBe(true);
    expect(await submitForm(await answering(200, '{"ok":true}'), { a: 1 })).toMatchObject({
      title: "Thank you!",
      message: "",
    });
    for (const body of ['{"success":"false","message":"No"}', '{"ok":false,"error":"No"}'])
      expect((await submitForm(await answering(200, body), { a: 1 })).ok).toBe(false);
  });

  it("does not throw where nobody answers, or the answer breaks off", async () => {
    const gone = await listen((request) => request.socket.destroy());
    const cut = await listen((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      response.destroy();
    });
    for (const url of [gone, cut, "http://127.0.0.1:1", "not an address"]) {
      const result = await submitForm(url, { a: 1 }, { idempotencyKey: "key" });
      expect(result).toMatchObject({ ok: false, code: "network", status: 0, message: FAILED, idempotency_key: "key" });
    }
  });

  it("throws what it was aborted with, before and while it is sent", async () => {
    const url = await listen(() => {});
    const before = AbortSignal.abort();
    await expect(submitForm(url, { a: 1 }, { signal: before })).rejects.toMatchObject({ name: "AbortError" });
    const stop = new AbortController();
    const running = submitForm(url, { a: 1 }, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  it("sends the key it is given once, and the field's own before it", async () => {
    const { url, stored } = await endpoint();
    const first = await submitForm(url, { email: "ann@example.com" }, { idempotencyKey: "one" });
    const again = await submitForm(
      url,
      { email: "ann@example.com", _idempotency_key: "one" },
      { idempotencyKey: "two" },
    );
    expect(again).toEqual(first);
    await submitForm(url, { email: "ann@example.com" });
    expect(await stored()).toHaveLength(2);
  });
});

describe("createSubmitter", () => {
  /** A server that keeps the keys it got, and answers each post by the next status. */
  async function keysOf(statuses: (number | "lost" | "held")[]) {
    const keys: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        keys.push(/name="_idempotency_key"\s+(\S+)/.exec(body)?.[1]);
        const status = statuses.shift() ?? 200;
        if (status === "lost") request.socket.destroy();
        else if (status !== "held") {
          const answer = { status: status < 300 ? "success" : "error", message: "M" };
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
        }
      });
    });
    return { keys, url };
  }

  it("keeps its key until there is an answer", async () => {
    const { keys, url } = await keysOf(["lost", 409, 503, 422, 200, 200]);
    const submit = createSubmitter();
    for (let times = 0; times < 6; times++)
      await submit(url, { a: 1, file: new File(["x"], "x.txt", { lastModified: 1 }) });
    const [lost, running, down, refused, corrected, next] = keys;
    expect([running, down, refused]).toEqual([lost, lost, lost]);
    expect(new Set([refused, corrected, next]).size).toBe(3);
  });

  it("keeps it after an abort", async () => {
    const { keys, url } = await keysOf(["held", 200]);
    const submit = createSubmitter();
    const stop = new AbortController();
    const running = submit(url, { a: 1 }, { signal: stop.signal });
    await expect.poll(() => keys.length).toBe(1);
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    await submit(url, { a: 1 });
    expect(keys[1]).toBe(keys[0]);
  });

  it("takes a new one for changed data, but not for another proof of the visitor", async () => {
    const { keys, url } = await keysOf(["lost", "lost", "lost", "lost", "lost"]);
    const submit = createSubmitter();
    await submit(url, { a: 1, "h-captcha-response": "x", _token: "t" });
    await submit(url, { a: 1, "h-captcha-response": "y", _token: "u", altcha: "z" });
    await submit(url, { a: 2 });
    await submit(url, { a: 2, "survey-response": "yes" });
    await submit(url, { a: 2, "survey-response": "yes", file: new File(["x"], "x.txt") });
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys.slice(1)).size).toBe(4);
  });
});

it("makes fields of whatever a form library holds", () => {
  const data = {
    list: [{ a: 1 }, { a: 2 }],
    set: new Set(["x"]),
    url: new URL("https://h.example/"),
    zero: 0,
    no: false,
  };
  expect([...toFormData(data)]).toEqual([
    ["list.a", "1"],
    ["list.a", "2"],
    ["set", "x"],
    ["url", "https://h.example/"],
    ["zero", "0"],
    ["no", "false"],
  ]);
});
