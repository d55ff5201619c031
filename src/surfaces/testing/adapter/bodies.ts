import assert from "node:assert/strict";
import {
  chunk,
  eventually,
  fieldsOf,
  type HostCase,
  head,
  hostCase,
  post,
  refusal,
  URLENCODED,
  wire,
} from "./fixtures.ts";

const KB = 1024;
/** Urlencoded fields of `bytes` in all, none of them larger than a form takes. */
const bulk = (bytes: number): string =>
  Array.from({ length: Math.ceil(bytes / (60 * KB)) }, (_, n) => `${n}`.padStart(4, "f"))
    .map((name, n, all) => `${name}=${"x".repeat(n === all.length - 1 ? bytes - n * 60 * KB - 5 : 60 * KB - 6)}`)
    .join("&");
const TEXT = "Grüße aus Zürich 👋 日本";

export const bodyCases: readonly HostCase[] = [
  hostCase("urlencoded, multipart and JSON bodies arrive whole", async ({ endpoint, call, stored }) => {
    assert.equal(
      (await post(endpoint, new URLSearchParams({ name: TEXT, "a[b]": "1" }).toString(), URLENCODED)).status,
      200,
    );
    const form = new FormData();
    form.set("name", TEXT);
    assert.equal((await post(endpoint, form)).status, 200);
    assert.equal((await post(endpoint, JSON.stringify({ name: TEXT }), "application/json")).status, 200);
    assert.deepEqual(stored.map(fieldsOf), [{ name: TEXT, "a[b]": "1" }, { name: TEXT }, { name: TEXT }]);
    const created = await call("POST", "/v1/forms", { name: TEXT });
    assert.equal(((await created.json()) as { name: string }).name, TEXT);
  }),

  hostCase("characters that are split between two chunks stay whole", async ({ host, endpoint, stored }) => {
    const bytes = Buffer.from(JSON.stringify({ name: TEXT }));
    const connection = await wire(host.url);
    await connection.write(head(endpoint, { "content-type": "application/json", "transfer-encoding": "chunked" }));
    for (const byte of bytes) await connection.write(chunk(Buffer.of(byte)));
    await connection.write("0\r\n\r\n");
    assert.match(await connection.until(/"submission_id"/), /^HTTP\/1\.1 200 /);
    connection.close();
    assert.deepEqual(fieldsOf(stored[0]), { name: TEXT });
  }),

  hostCase("1 MB of fields is taken", async ({ endpoint, stored }) => {
    const body = bulk(1000 * KB);
    assert.equal(Buffer.byteLength(body), 1000 * KB);
    const response = await post(endpoint, body, URLENCODED);
    assert.equal(response.status, 200, await response.text());
    assert.equal(
      stored[0]?.fields.reduce((sum, { key, value }) => sum + key.length + value.length + 2, -1),
      body.length,
    );
  }),

  hostCase("2 MB of fields is refused, whatever the headers say of its length", async ({ host, endpoint, stored }) => {
    const body = bulk(2048 * KB);
    assert.deepEqual(await refusal(await post(endpoint, body, URLENCODED)), { status: 413, code: "payload_too_large" });

    const chunked = await wire(host.url);
    await chunked.write(head(endpoint, { "content-type": URLENCODED, "transfer-encoding": "chunked" }));
    await chunked.write(chunk(body));
    await chunked.write("0\r\n\r\n");
    const answer = await chunked.until(/"request_id"/);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /payload_too_large/);
    chunked.close();
    assert.equal(stored.length, 0);

    // The announced length is the body; the rest is another request, and an invalid one.
    const short = await wire(host.url);
    await short.write(head(endpoint, { "content-type": URLENCODED, "content-length": "11" }));
    await short.write("name=Ann&a=1");
    for (let sent = 0; sent < 32 && !short.ended(); sent++) await short.write(body.slice(0, 64 * KB));
    await eventually("the end of the connection", short.ended);
    short.close();
    // The fault of the second request may close the connection before the first response is sent.
    await eventually("the first request's submission", () => stored.length > 0);
    assert.deepEqual(stored.map(fieldsOf), [{ name: "Ann", a: "" }]);
  }),

  hostCase("a large multipart body is taken as it streams in", async ({ host, endpoint, stored }) => {
    const connection = await wire(host.url);
    await connection.write(
      head(endpoint, { "content-type": "multipart/form-data; boundary=b", "transfer-encoding": "chunked" }),
    );
    for (let n = 0; n < 12; n++) {
      const part = `--b\r\nContent-Disposition: form-data; name="field ü ${n}"\r\n\r\n${"é".repeat(30 * KB)}\r\n`;
      const bytes = Buffer.from(part);
      for (let at = 0; at < bytes.length; at += 7919) await connection.write(chunk(bytes.subarray(at, at + 7919)));
    }
    await connection.write(chunk("--b--\r\n"));
    await connection.write("0\r\n\r\n");
    assert.match(await connection.until(/"submission_id"|"request_id"/), /^HTTP\/1\.1 200 /);
    connection.close();
    assert.deepEqual(
      stored[0]?.fields.map(({ key }) => key),
      Array.from({ length: 12 }, (_, n) => `field ü ${n}`),
    );
    assert.ok(stored[0]?.fields.every(({ value }) => value === "é".repeat(30 * KB)));
  }),

  hostCase("malformed, missing and mislabelled bodies are refused", async ({ base, backend, endpoint, call }) => {
    assert.deepEqual(await refusal(await post(endpoint, '{"a":', "application/json")), {
      status: 400,
      code: "invalid_parameter",
    });
    assert.deepEqual(await refusal(await post(endpoint, "", URLENCODED)), { status: 400, code: "empty_submission" });
    assert.deepEqual(await refusal(await post(endpoint, "a=1", "text/plain")), {
      status: 415,
      code: "unsupported_media_type",
    });
    assert.deepEqual(await refusal(await call("POST", "/v1/forms", undefined)), {
      status: 400,
      code: "invalid_parameter",
    });
    const headers = { authorization: `Bearer ${backend.key}`, "content-type": "application/json" };
    const response = await fetch(`${base}/v1/forms`, { method: "POST", headers, body: "{name}" });
    assert.deepEqual(await refusal(response), { status: 400, code: "invalid_parameter" });
  }),

  hostCase(
    "bodies that a parser of the host read before are put together again",
    async ({ endpoint, call, stored }) => {
      const pairs = "name=Gr%C3%BC%C3%9Fe+%26+%2B&colour=red&colour=blue&address%5Bcity%5D=Bern&empty=";
      assert.equal((await post(endpoint, pairs, URLENCODED)).status, 200);
      assert.deepEqual(stored[0]?.fields, [
        { key: "name", value: "Grüße & +" },
        { key: "colour", value: "red" },
        { key: "colour", value: "blue" },
        { key: "address[city]", value: "Bern" },
        { key: "empty", value: "" },
      ]);
      assert.equal(
        (await post(endpoint, JSON.stringify({ name: TEXT, a: { b: [1, true] } }), "application/json")).status,
        200,
      );
      assert.deepEqual(
        stored[1]?.fields.map(({ key, value }) => `${key}=${value}`),
        [`name=${TEXT}`, "a.b=1", "a.b=true"],
      );
      assert.deepEqual(await refusal(await post(endpoint, "", URLENCODED)), { status: 400, code: "empty_submission" });
      const created = await call("POST", "/v1/forms", { name: TEXT });
      assert.equal(((await created.json()) as { name: string }).name, TEXT);
      assert.deepEqual(await refusal(await call("POST", "/v1/forms", { nam: "x" })), {
        status: 400,
        code: "invalid_parameter",
      });
    },
    { preParsed: true },
  ),

  hostCase(
    "bodies that no parser of the host reads pass it untouched",
    async ({ endpoint, base, backend, stored }) => {
      const form = new FormData();
      form.set("name", TEXT);
      assert.equal((await post(endpoint, form)).status, 200);
      assert.deepEqual(stored.map(fieldsOf), [{ name: TEXT }]);
      assert.deepEqual(await refusal(await post(endpoint, "a=1", "text/x-other")), {
        status: 415,
        code: "unsupported_media_type",
      });
      const list = await fetch(`${base}/v1/forms`, { headers: { authorization: `Bearer ${backend.key}` } });
      assert.equal(list.status, 200);
    },
    { preParsed: true },
  ),
];
