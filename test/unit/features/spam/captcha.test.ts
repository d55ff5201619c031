import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage, type RemoteProvider } from "../../../../src/index.ts";
import type { SubmissionRecord } from "../../../../src/model/submission-record.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";
import { type Asked, type CaptchaServer, captchaServer, fieldOf, secrets } from "./_captcha-server.ts";

const providers = ["recaptcha", "hcaptcha", "turnstile", "friendly_captcha"] as const;

let server: CaptchaServer;
beforeAll(async () => {
  server = await captchaServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  server.faults.length = 0;
});

interface Setup {
  readonly b: Harness;
  readonly id: string;
  readonly log: string[];
  send(fields: Record<string, string | string[]>): Promise<Answer>;
  record(answer: Answer): Promise<SubmissionRecord>;
}

async function setup(
  provider: RemoteProvider,
  { url, timeoutMs = 2_000, more = {} }: { url?: string; timeoutMs?: number; more?: object } = {},
): Promise<Setup> {
  const storage = memoryStorage();
  const log: string[] = [];
  const write = (message: string): void => void log.push(message);
  const b = harness({
    storage,
    logger: { debug: write, info: write, warn: write, error: write },
    captcha: { verifyUrl: { ...server.verifyUrl, ...(url && { [provider]: url }) }, timeoutMs },
  });
  const { id } = await b.forms.create({
    name: "A",
    spam: { captcha: { provider, secret_key: secrets[provider] } },
    auto_response: { enabled: true },
    self_email_notification: { recipients: ["me@example.com"] },
    ...more,
  });
  return {
    b,
    id,
    log,
    send: (fields) => b.post(id, { email: "ann@example.com", ...fields }),
    async record({ json, text, status }) {
      expect(status, text).toBe(200);
      const row = (await storage.get("submissions", [json.submission_id])).get(json.submission_id);
      return row?.value as unknown as SubmissionRecord;
    },
  };
}

/** A port on which nobody listens. */
async function closedPort(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

describe.each(providers)("%s", (provider) => {
  const field = fieldOf[provider];

  it("a good token is accepted, with a verdict and without the token among the fields", async () => {
    const { send, record, b } = await setup(provider);
    const { fields, verdict, spam } = await record(await send({ [field]: `good-${provider}-1` }));
    expect([fields, verdict, spam]).toEqual([
      [{ key: "email", value: "ann@example.com" }],
      [{ check: "captcha", spam: false }],
      false,
    ]);
    await b.tick();
    expect(b.mails.map(({ to }) => to.address).sort()).toEqual(["ann@example.com", "me@example.com"]);
  });

  it("a token counts beside the empty input of a second widget", async () => {
    const { send, record } = await setup(provider);
    const answer = await send({ [field]: [`good-${provider}-2`, ""] });
    expect((await record(answer)).verdict).toEqual([{ check: "captcha", spam: false }]);
  });

  it("asks as the documentation says", async () => {
    const { send } = await setup(provider);
    await send({ [field]: "good-ask" });
    const { headers, body } = server.asked[0] as Asked;
    expect(body["response"]).toBe("good-ask");
    if (provider === "friendly_captcha") {
      expect([headers["x-api-key"], body["secret"]]).toEqual([secrets.friendly_captcha, undefined]);
    } else {
      expect([body["secret"], body["remoteip"]]).toEqual([secrets[provider], "203.0.113.9"]);
    }
    const form = ["recaptcha", "hcaptcha"].includes(provider);
    expect(headers["content-type"]).toContain(form ? "application/x-www-form-urlencoded" : "application/json");
  });

  it.each([
    ["bad", "nonsense"],
    ["expired", "expired-1"],
  ])("a %s token is 422 captcha_failed", async (_, token) => {
    const { send, b, id, log } = await setup(provider);
    const { status, json } = await send({ [field]: token });
    expect([status, json.error.code]).toEqual([422, "captcha_failed"]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(0);
    expect(log.join("\n")).not.toContain(secrets[provider]);
  });

  it("a replayed token is refused", async () => {
    const { send } = await setup(provider);
    expect((await send({ [field]: "good-replay" })).status).toBe(200);
    expect((await send({ [field]: "good-replay" })).json.error.code).toBe("captcha_failed");
  });

  it("no token, an empty one, or one in another provider's field is refused without a question", async () => {
    const { send } = await setup(provider);
    const others = providers.filter((other) => other !== provider).map((other) => [fieldOf[other], "good-other"]);
    for (const fields of [{}, { [field]: "" }, Object.fromEntries(others), { altcha: "good-other" }]) {
      expect((await send(fields)).json.error.code).toBe("captcha_failed");
    }
    expect(server.asked).toEqual([]);
  });

  it("a token that was solved on another site counts where the form lists no origins, and not where it does", async () => {
    const free = await setup(provider);
    expect((await free.send({ [field]: "elsewhere-1" })).status).toBe(200);
    const { b, id } = await setup(provider, { more: { allowed_origins: ["https://site.example"] } });
    const post = (token: string) => b.post(id, { a: 1, [field]: token }, { origin: "https://site.example" });
    expect((await post("elsewhere-2")).json.error.code).toBe("captcha_failed");
    expect((await post("good-here")).status).toBe(200);
  });

  it("a wrong secret refuses everybody and tells the host's log, without the secret", async () => {
    const wrong = {
      recaptcha: `6L${"b".repeat(38)}`,
      hcaptcha: `ES_${"0".repeat(32)}`,
      turnstile: `0x4AAAAAAA${"z".repeat(28)}`,
      friendly_captcha: "wrong",
    }[provider];
    const { send, log } = await setup(provider, { more: { spam: { captcha: { provider, secret_key: wrong } } } });
    expect((await send({ [field]: "good-wrong" })).json.error.code).toBe("captcha_failed");
    expect(log.some((line) => line.includes("refuses the secret"))).toBe(true);
    expect(log.join("\n")).not.toContain(wrong);
  });

  const unverified = [{ check: "captcha", spam: false, reason: "unverified" }];
  const down: [name: string, fault: (number | "hang" | "drop")[] | "closed"][] = [
    ["its port is closed", "closed"],
    ["it hangs", ["hang"]],
    ["it ends the connection", ["drop", "drop"]],
    ["it answers 502 with a page", [502, 502]],
    ["it answers 429", [429, 429]],
    ["it answers a page with 200", [200, 200]],
  ];
  it.each(down)("while %s the submission is accepted unverified, and no auto-response goes out", async (_, fault) => {
    const { send, record, b } = await setup(
      provider,
      fault === "closed" ? { url: await closedPort() } : { timeoutMs: 300 },
    );
    if (fault !== "closed") server.faults.push(...fault);
    const { verdict, spam, fields } = await record(await send({ [field]: "good-down" }));
    expect([verdict, spam, fields.length]).toEqual([unverified, false, 1]);
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["me@example.com"]);
    const [reply] = (await b.jobs.list({ kind: "auto_response" })) ?? [];
    expect([reply?.status, reply?.code]).toEqual(["skipped", "SKIPPED_UNVERIFIED"]);
  });

  it.each([400, 403, 413, 414])(
    "a %i without a verdict refuses the post: it is an answer, and no outage",
    async (status) => {
      const { send, b, id } = await setup(provider);
      server.faults.push(status);
      const { json } = await send({ [field]: "good-refused" });
      expect([json.error?.code, server.asked.length]).toEqual(["captcha_failed", 1]);
      expect((await b.forms.get(id)).submissions.all_time).toBe(0);
    },
  );

  it("a token that is longer than any is refused without a question", async () => {
    const { send } = await setup(provider);
    expect((await send({ [field]: `good-${"x".repeat(8_192)}` })).json.error?.code).toBe("captcha_failed");
    expect(server.asked).toEqual([]);
  });

  it("a post that is refused for its values may come again with the same token, once", async () => {
    const { send } = await setup(provider, {
      more: { validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] } },
    });
    const token = { [field]: "good-corrected" };
    expect((await send({ ...token, email: "nobody" })).json.error.code).toBe("validation_failed");
    expect((await send({ ...token, email: "still nobody" })).json.error.code).toBe("validation_failed");
    expect((await send(token)).status).toBe(200);
    expect((await send(token)).json.error.code).toBe("captcha_failed");
    expect(server.asked).toHaveLength(2);
  });
});

it("a solution that was kept for a corrected post is asked for again after five minutes", async () => {
  const { b, send } = await setup("turnstile", {
    more: { validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] } },
  });
  const answer = async (token: string, waitMs: number) => {
    const fields = { "cf-turnstile-response": token };
    expect((await send({ ...fields, email: "nobody" })).json.error.code).toBe("validation_failed");
    await b.clock.advance(waitMs);
    return (await send(fields)).status;
  };
  expect(await answer("good-just-in-time", 5 * 60_000 - 1)).toBe(200);
  const asked = server.asked.length;
  // The provider takes a token once.
  expect(await answer("good-too-late", 5 * 60_000)).toBe(422);
  expect(server.asked.length).toBe(asked + 2);
});

describe("captchas", () => {
  it("a repeat under an idempotency key does not ask again", async () => {
    const { b, id } = await setup("turnstile");
    const body = { a: 1, "cf-turnstile-response": "good-idempotent" };
    const first = await b.post(id, body, { "idempotency-key": "k" });
    const again = await b.post(id, body, { "idempotency-key": "k" });
    expect([again.status, again.text, server.asked.length]).toEqual([200, first.text, 1]);
  });

  it("a post that could not be stored may come again with the same token", async () => {
    const storage = memoryStorage();
    let down = false;
    const b = harness({
      storage: {
        ...storage,
        commit: (writes) => (down ? Promise.reject(new Error("disk gone")) : storage.commit(writes)),
      },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      captcha: { verifyUrl: server.verifyUrl },
    });
    const form = await b.forms.create({ name: "A", spam: { captcha: { secret_key: secrets.hcaptcha } } });
    const body = { a: 1, "h-captcha-response": "good-503" };
    down = true;
    expect((await b.post(form.id, body)).status).toBe(503);
    down = false;
    expect((await b.post(form.id, body)).status).toBe(200);
  });

  it("reCAPTCHA v3 passes from a score of 0.5, which the verdict keeps", async () => {
    const { send, record } = await setup("recaptcha");
    const { verdict } = await record(await send({ "g-recaptcha-response": "score-0.5-a" }));
    expect(verdict).toEqual([{ check: "captcha", spam: false, score: 0.5 }]);
    expect((await send({ "g-recaptcha-response": "score-0.49-a" })).json.error.code).toBe("captcha_failed");
  });

  it("Turnstile is asked once more under the same idempotency key when the first answer got lost", async () => {
    for (const fault of ["drop", 500] as const) {
      const { send, record } = await setup("turnstile");
      server.asked.length = 0;
      server.faults.push(fault);
      const { verdict } = await record(await send({ "cf-turnstile-response": `good-retry-${fault}` }));
      expect(verdict).toEqual([{ check: "captcha", spam: false }]);
      expect(new Set(server.asked.map(({ body }) => body["idempotency_key"])).size).toBe(1);
      expect(server.asked).toHaveLength(2);
      expect(server.asked[0]?.body["idempotency_key"]).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("the others are asked once: their tokens could be spent by the question", async () => {
    for (const provider of ["recaptcha", "hcaptcha", "friendly_captcha"] as const) {
      const { send } = await setup(provider);
      server.asked.length = 0;
      server.faults.push("drop");
      await send({ [fieldOf[provider]]: "good-once" });
      expect(server.asked).toHaveLength(1);
      server.faults.length = 0;
    }
  });

  it("a Turnstile token of more than 2,048 characters is refused without a question", async () => {
    const { send } = await setup("turnstile");
    expect((await send({ "cf-turnstile-response": `good-${"x".repeat(2_048)}` })).json.error.code).toBe(
      "captcha_failed",
    );
    expect(server.asked).toEqual([]);
  });

  it("a redirect by the provider is not followed with the secret", async () => {
    const { send, record } = await setup("recaptcha");
    server.faults.push(302);
    const { verdict } = await record(await send({ "g-recaptcha-response": "good-redirect" }));
    expect(verdict[0]?.reason).toBe("unverified");
    expect(server.asked).toHaveLength(1);
  });

  it.each(["recaptcha", "altcha"] as const)(
    "a secret of %s that was sealed under another `secret` refuses posts, and the log says what to do",
    async (provider) => {
      const storage = memoryStorage();
      const secret_key = provider === "altcha" ? "altcha_a secret of this form" : secrets.recaptcha;
      const first = harness({ storage, secret: "x".repeat(40), captcha: { verifyUrl: server.verifyUrl } });
      const form = await first.forms.create({ name: "A", spam: { captcha: { secret_key } } });
      const errors: string[] = [];
      const logger = { debug() {}, info() {}, warn() {}, error: (text: string) => void errors.push(text) };
      const second = harness({ storage, secret: "y".repeat(40), logger });
      const { status, json, headers } = await second.post(form.id, { a: "1", "g-recaptcha-response": "good" });
      expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "60"]);
      expect((await second.submissions.count(form.id)).count).toBe(0);
      expect(errors).toEqual([expect.stringContaining("add that one to the option after yours")]);
      const challenge = await second.call("GET", `/f/${form.id}/challenge`, { key: null });
      expect(challenge.status).toBe(provider === "altcha" ? 503 : 404);
      const listed = harness({ storage, secret: ["y".repeat(40), "x".repeat(40)] });
      expect((await listed.post(form.id, { a: "1" })).json.error.code).toBe("captcha_failed");
    },
  );

  it("a form without captcha asks nobody, whatever field is sent", async () => {
    const b = harness({ captcha: { verifyUrl: server.verifyUrl } });
    const form = await b.forms.create({ name: "A" });
    expect((await b.post(form.id, { a: 1, "g-recaptcha-response": "nonsense" })).status).toBe(200);
    expect(server.asked).toEqual([]);
  });
});
