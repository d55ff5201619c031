import { setImmediate } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Attempt, WebhookClientOptions } from "../../../../src/features/webhooks/request.ts";
import { notRun } from "../../../_support/not-run.ts";
import { tcpReceiver, tlsReceiver } from "../../../_support/receivers.ts";
import { client, kept } from "../../../_support/webhook-client.ts";
import { certificates, hasOpenssl, type Identity } from "./_certificates.ts";

async function post(url: string, options: Partial<WebhookClientOptions> = {}): Promise<Omit<Attempt, "duration_ms">> {
  const { duration_ms, ...outcome } = await (await client(options)).post(url, { body: '{"a":1}' });
  expect(duration_ms).toBeLessThan((options.timeoutMs ?? 5_000) + 1_000);
  return outcome;
}
const success = { ok: true, code: "SUCCESS", http_status: 200, message: "" };

if (!hasOpenssl) {
  notRun("TLS receivers: the openssl command is missing, so certificates can't be made");
} else {
  describe("TLS receivers (F8)", () => {
    let made: ReturnType<typeof certificates>;
    beforeAll(() => {
      made = certificates();
    });
    const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    const tlsPost = async (identity: Identity, options: Partial<WebhookClientOptions> = {}) => {
      let requests = 0;
      const { port } = await kept(
        tlsReceiver(identity, (socket) =>
          socket.on("data", () => {
            requests += 1;
            socket.write(ok);
          }),
        ),
      );
      const outcome = await post(`https://localhost:${port}/`, { ca: made.ca, ...options });
      return { outcome, requests };
    };
    const refused = (code: string) => ({
      outcome: { ok: false, code: "ERROR_WEBHOOK_TLS", node_error_code: code, message: expect.stringContaining(code) },
      requests: 0,
    });

    test("a right certificate is accepted", async () => {
      expect(await tlsPost(made.good)).toEqual({ outcome: success, requests: 1 });
    });
    test("the name is asked for, and the connection is kept", async () => {
      const names: unknown[] = [];
      const receiver = await kept(
        tlsReceiver(made.good, (socket) => {
          names.push((socket as TLSSocket).servername);
          socket.on("data", () => socket.write(ok));
        }),
      );
      const { post } = await client({ ca: made.ca });
      for (let i = 0; i < 2; i++) {
        expect(await post(`https://localhost:${receiver.port}/`, { body: "{}" })).toMatchObject({ ok: true });
        await setImmediate();
      }
      expect(names).toEqual(["localhost"]);
    });
    test("self-signed", async () => {
      expect(await tlsPost(made.selfSigned)).toEqual(refused("DEPTH_ZERO_SELF_SIGNED_CERT"));
    });
    test("expired", async () => {
      expect(await tlsPost(made.expired)).toEqual(refused("CERT_HAS_EXPIRED"));
    });
    test("another name", async () => {
      expect(await tlsPost(made.wrongName)).toEqual(refused("ERR_TLS_CERT_ALTNAME_INVALID"));
    });
    test("an authority that Node does not know", async () => {
      const { port } = await kept(tlsReceiver(made.good, (socket) => socket.write(ok)));
      expect(await post(`https://localhost:${port}/`)).toMatchObject({
        code: "ERROR_WEBHOOK_TLS",
        node_error_code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      });
    });
    test("NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing", async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
      expect(await tlsPost(made.selfSigned)).toEqual(refused("DEPTH_ZERO_SELF_SIGNED_CERT"));
    });
    test("a version of TLS that is no longer spoken", async () => {
      const { outcome } = await tlsPost({
        ...made.good,
        ...{ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      });
      expect(outcome.code).toBe("ERROR_WEBHOOK_TLS");
    });
    test("plain HTTP on the https port", async () => {
      const { port } = await kept(tcpReceiver((socket) => socket.on("data", () => socket.write(ok))));
      expect((await post(`https://localhost:${port}/`)).code).toBe("ERROR_WEBHOOK_TLS");
    });
    test("TLS on the http port", async () => {
      const { port } = await kept(tlsReceiver(made.good, () => {}));
      expect(["ERROR_WEBHOOK_PROTOCOL", "ERROR_WEBHOOK_CONNECTION"]).toContain(
        (await post(`http://localhost:${port}/`)).code,
      );
    });
    test("a handshake that is never answered ends by the connect limit", async () => {
      const { port } = await kept(tcpReceiver(() => {}));
      expect(await post(`https://localhost:${port}/`, { connectTimeoutMs: 200 })).toEqual({
        ok: false,
        code: "ERROR_WEBHOOK_TIMEOUT",
        node_error_code: "ETIMEDOUT",
        message: "No connection to localhost within 0.2 s (ETIMEDOUT).",
      });
    });
    test("a handshake that is cut is a cut connection", async () => {
      const { port } = await kept(tcpReceiver((socket) => socket.on("data", () => socket.destroy())));
      expect(await post(`https://localhost:${port}/`)).toMatchObject({
        code: "ERROR_WEBHOOK_CONNECTION",
        node_error_code: "ECONNRESET",
      });
    });
    test("a connection that was reset after the handshake is a cut connection", async () => {
      const { port } = await kept(tlsReceiver(made.good, (socket) => socket.on("data", () => socket.destroy())));
      expect(await post(`https://localhost:${port}/`, { ca: made.ca })).toMatchObject({
        code: "ERROR_WEBHOOK_CONNECTION",
        node_error_code: "ECONNRESET",
      });
    });
  });
}
