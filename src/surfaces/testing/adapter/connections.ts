import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { chunk, eventually, type HostCase, head, hostCase, post, refusal, URLENCODED, wire } from "./fixtures.ts";

const MB = Buffer.alloc(1024 * 1024, "x");
const UPLOAD_MB = 50;

export const connectionCases: readonly HostCase[] = [
  hostCase("a submission records the address of the connection, not a forwarded one", async ({ endpoint, stored }) => {
    const headers = { "content-type": URLENCODED, "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.7" };
    await fetch(endpoint, { method: "POST", headers, body: "name=Ann" });
    assert.equal(stored[0]?.ip, "127.0.0.1");
  }),

  hostCase(
    "behind a trusted proxy it records the address that the proxy saw",
    async ({ endpoint, stored }) => {
      const headers = { "content-type": URLENCODED, "x-forwarded-for": "198.51.100.1, 203.0.113.7" };
      await fetch(endpoint, { method: "POST", headers, body: "name=Ann" });
      assert.equal(stored[0]?.ip, "203.0.113.7");
    },
    { trustProxy: 1 },
  ),

  hostCase("20 parallel posts share kept connections", async ({ endpoint, stored }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const ports = new Set<number | undefined>();
    const one = (n: number): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": URLENCODED, accept: "application/json" };
        const sent = request(endpoint, { method: "POST", agent, headers }, (answer) => {
          ports.add(answer.socket.localPort);
          answer.resume().on("end", () => resolve(answer.statusCode));
        });
        sent.on("error", reject).end(`n=${n}&fill=${"x".repeat(20_000)}`);
      });
    try {
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => one(n)));
      assert.deepEqual(statuses, Array(20).fill(200));
    } finally {
      agent.destroy();
    }
    assert.ok(ports.size <= 4, `${ports.size} connections were needed`);
    assert.equal(new Set(stored.map(({ fields }) => fields[0]?.value)).size, 20);
  }),

  hostCase("a connection that asks for its end gets the answer first", async ({ host, endpoint, stored }) => {
    const connection = await wire(host.url);
    await connection.write(head(endpoint, { "content-type": URLENCODED, "content-length": "8", connection: "close" }));
    await connection.write("name=Ann");
    assert.match(await connection.until(/"submission_id"/), /^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    await eventually("the end of the connection", connection.ended);
    connection.close();
    assert.equal(stored.length, 1);
  }),

  hostCase("a client that expects 100 Continue gets it", async ({ host, endpoint }) => {
    const connection = await wire(host.url);
    await connection.write(
      head(endpoint, { "content-type": URLENCODED, "content-length": "8", expect: "100-continue" }),
    );
    await connection.until(/^HTTP\/1\.1 100 /);
    await connection.write("name=Ann");
    assert.match(await connection.until(/"submission_id"/), /HTTP\/1\.1 200 /);
    connection.close();
  }),

  hostCase("a client that goes away in the middle leaves nothing behind", async ({ host, endpoint, stored, seen }) => {
    for (const framing of [{ "content-length": "1000" }, { "transfer-encoding": "chunked" }]) {
      const before = seen.begun;
      const connection = await wire(host.url);
      await connection.write(head(endpoint, { "content-type": URLENCODED, ...framing }));
      await connection.write("content-length" in framing ? "name=Ann" : chunk("name=Ann"));
      await eventually("the request", () => seen.begun > before);
      connection.close();
      await eventually("the handler's end", () => seen.ended === seen.begun);
    }
    assert.equal(stored.length, 0);
    assert.equal((await post(endpoint, "name=Ann", URLENCODED)).status, 200);
  }),

  // 413 is sent after the first few MB; an unknown address gets its response before any of them is read.
  ...(["payload_too_large", "form_not_found"] as const).flatMap((code) =>
    ["close", "keep-alive"].map((connection) =>
      hostCase(
        `an upload of ${UPLOAD_MB} MB that is refused gets its answer (${code}, ${connection})`,
        async (hosted) => {
          const { host, base, formId, call } = hosted;
          const url = `${base}/f/${code === "form_not_found" ? "AAAAAAAAAAA" : formId}`;
          const upload = await wire(host.url);
          upload.hold();
          await upload.write(head(url, { "content-type": URLENCODED, "transfer-encoding": "chunked", connection }));
          for (let n = 0; n < UPLOAD_MB; n++) await upload.write(chunk(MB));
          await upload.write("0\r\n\r\n");
          const answer = await upload.until(/"request_id"/);
          assert.match(answer, code === "form_not_found" ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 413 /);
          assert.match(answer, new RegExp(code));
          if (connection === "keep-alive") {
            await upload.write(head(`${base}/nothing`, {}, "GET"));
            assert.match(await upload.until(/"request_id"/), /HTTP\/1\.1 404 /);
          }
          upload.close();
          assert.deepEqual(await refusal(await call("GET", "/nothing")), { status: 404, code: "not_found" });
        },
      ),
    ),
  ),
];
