import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formBackend } from "../../../../adapters/express.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

let b: Harness;
let port: number;
let close: () => Promise<void>;
/** Paths that the host's guard has judged as those of the management API. */
let guarded: string[];

beforeEach(async () => {
  b = harness();
  guarded = [];
  const app = express();
  app.use("/forms/v1", (request, response, next) => {
    guarded.push(request.originalUrl);
    if (request.headers["x-staff"]) return next();
    response.status(418).end();
  });
  app.use("/forms", formBackend(b));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  close = () => new Promise((resolve) => void server.close(() => resolve()));
});
afterEach(() => close());

/** The status line's number for a request whose target is sent as it is written here. */
const ask = (target: string, { host = "localhost", more = "" } = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${b.key}\r\n${more}Connection: close\r\n\r\n`,
    );
  });

describe("a path that means another one than it shows", () => {
  it.each([
    "/forms/x/../v1/forms",
    "/forms/./v1/forms",
    "/forms/x/%2e%2e/v1/forms",
    "/forms/x/.%2E/v1/forms",
    "/forms/%76%31/forms",
    "/forms/v%31/forms",
    "/forms\\v1\\forms",
    "/forms/x\\..\\v1\\forms",
    "/forms/v1/..",
    "http://localhost/forms/x/../v1/forms",
  ])("%s does not come past a host's guard on /v1", async (target) => {
    expect([404, 418]).toContain(await ask(target));
    expect(await ask(target, { more: "X-Staff: 1\r\n" }), "and is no address for anybody else").toBe(404);
  });

  it("is no matter of queries, nor of what a parameter's value has to encode", async () => {
    const { id } = await b.forms.create({ name: "A" });
    const more = "X-Staff: 1\r\n";
    expect(await ask(`/forms/v1/forms?cursor=/../%41`, { more }), "a cursor that is none").toBe(400);
    expect(await ask(`/forms/v1/forms/${id}`, { more })).toBe(200);
    expect(
      await ask(`/forms/v1/forms/${id}/self-email-notification/recipients/ann%2Bb%40example.com`, { more }),
      "takes DELETE",
    ).toBe(405);
    expect(guarded).toHaveLength(3);
  });
});

describe("a Host that makes no URL", () => {
  it.each(["a:99999", "a:65536"])("%s is 400", async (host) => {
    expect(await ask("/forms/f/x", { host })).toBe(400);
  });

  it("is answered by `handle`, which never rejects", async () => {
    const request = new Request("http://localhost/forms/v1/forms");
    Object.defineProperty(request, "url", { value: "http://a:99999/forms/v1/forms" });
    const response = await b.handle(request);
    expect([
      response.status,
      response.headers.get("x-request-id"),
      ((await response.json()) as { error: { param: string } }).error.param,
    ]).toEqual([400, expect.stringMatching(/^req_/), "Host"]);
  });
});
