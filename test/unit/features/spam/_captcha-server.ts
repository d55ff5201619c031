import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { RemoteProvider } from "../../../../src/index.ts";

/** One question as the provider got it. */
export interface Asked {
  readonly provider: RemoteProvider;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, string>;
}

export interface CaptchaServer {
  readonly verifyUrl: Record<RemoteProvider, string>;
  readonly asked: Asked[];
  /** What the next answers are instead of a verdict: an HTTP status, `hang`, or `drop` (the connection ends). */
  readonly faults: (number | "hang" | "drop")[];
  close(): Promise<void>;
}

export const secrets = {
  recaptcha: `6L${"a".repeat(38)}`,
  hcaptcha: `0x${"0aF9".repeat(10)}`,
  turnstile: "0x4AAAAAAAabcdefghijklmnopqrstuvwxyz0123",
  friendly_captcha: "A1UM8NT4D2OB-a-secret-of-no-shape",
} as const satisfies Record<RemoteProvider, string>;

export const fieldOf = {
  recaptcha: "g-recaptcha-response",
  hcaptcha: "h-captcha-response",
  turnstile: "cf-turnstile-response",
  friendly_captcha: "frc-captcha-response",
} as const satisfies Record<RemoteProvider, string>;

/** Each provider's words for a token that it does not know, that is too old, and that was used before. */
const refusals = {
  recaptcha: { bad: "invalid-input-response", expired: "timeout-or-duplicate", spent: "timeout-or-duplicate" },
  hcaptcha: { bad: "invalid-input-response", expired: "expired-input-response", spent: "already-seen-response" },
  turnstile: { bad: "invalid-input-response", expired: "timeout-or-duplicate", spent: "timeout-or-duplicate" },
  friendly_captcha: { bad: "response_invalid", expired: "response_timeout", spent: "response_duplicate" },
} as const;

/**
 * The four services as their documentation describes them, over HTTP. A token begins with what it is worth: `good-` (once),
 * `expired-`, `elsewhere-` (solved on evil.example), `score-0.3-` (v3); anything else is unknown.
 */
export async function captchaServer(): Promise<CaptchaServer> {
  const asked: Asked[] = [];
  const faults: CaptchaServer["faults"] = [];
  const spent = new Map<string, string>();

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const provider = (request.url ?? "").slice(1) as RemoteProvider;
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers["content-type"]?.startsWith("application/json") ?? false;
      const body = (isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))) as Record<
        string,
        string
      >;
      asked.push({ provider, headers: request.headers, body });
      const fault = faults.shift();
      if (fault === "hang") return;
      if (fault === "drop") return void request.socket.destroy();
      if (fault !== undefined)
        return void response
          .writeHead(fault, { "content-type": "text/html", location: request.url })
          .end("<h1>Bad gateway</h1>");
      const [status, verdict] =
        provider === "friendly_captcha" ? friendly(request.headers, body) : siteverify(provider, body, isJson);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(verdict));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    verifyUrl: {
      recaptcha: `${base}/recaptcha`,
      hcaptcha: `${base}/hcaptcha`,
      turnstile: `${base}/turnstile`,
      friendly_captcha: `${base}/friendly_captcha`,
    },
    asked,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function siteverify(
    provider: Exclude<RemoteProvider, "friendly_captcha">,
    body: Record<string, string>,
    isJson: boolean,
  ): [number, object] {
    const no = (code: string): [number, object] => [200, { success: false, "error-codes": [code] }];
    // Only Turnstile documents JSON.
    if (isJson && provider !== "turnstile") return no("bad-request");
    if (!body["secret"]) return no("missing-input-secret");
    if (body["secret"] !== secrets[provider]) return no("invalid-input-secret");
    const token = body["response"];
    if (!token) return no("missing-input-response");
    const worth = judge(provider, token, body["idempotency_key"] ?? "");
    if (worth in refusals[provider]) return no(refusals[provider][worth as "bad"]);
    const score = /^score-([\d.]+)-/.exec(token)?.[1];
    return [
      200,
      {
        success: true,
        challenge_ts: new Date().toISOString(),
        hostname: worth === "elsewhere" ? "evil.example" : "site.example",
        ...(score !== undefined && { score: Number(score), action: "submit" }),
        ...(provider === "hcaptcha" && { credit: false }),
        ...(provider === "turnstile" && { "error-codes": [], action: "", cdata: "" }),
      },
    ];
  }

  function friendly(headers: IncomingHttpHeaders, body: Record<string, string>): [number, object] {
    const no = (status: number, error_code: string): [number, object] => [
      status,
      { success: false, error: { error_code, detail: "" } },
    ];
    if (!headers["x-api-key"]) return no(401, "auth_required");
    if (headers["x-api-key"] !== secrets.friendly_captcha) return no(401, "auth_invalid");
    const token = body["response"];
    if (!token) return no(400, "response_missing");
    const worth = judge("friendly_captcha", token, "");
    if (worth in refusals.friendly_captcha) return no(200, refusals.friendly_captcha[worth as "bad"]);
    const origin = worth === "elsewhere" ? "https://evil.example" : "https://site.example";
    return [
      200,
      { success: true, data: { event_id: "ev_1", challenge: { timestamp: new Date().toISOString(), origin } } },
    ];
  }

  function judge(
    provider: RemoteProvider,
    token: string,
    idempotencyKey: string,
  ): "good" | "elsewhere" | "bad" | "expired" | "spent" {
    if (token.startsWith("expired-")) return "expired";
    if (!/^(good|elsewhere|score-[\d.]+)-/.test(token)) return "bad";
    const before = spent.get(`${provider} ${token}`);
    if (before !== undefined && (before === "" || before !== idempotencyKey)) return "spent";
    spent.set(`${provider} ${token}`, idempotencyKey);
    return token.startsWith("elsewhere-") ? "elsewhere" : "good";
  }
}
