import { describe, expect, it } from "vitest";
import { memoryStorage, type SpamCheck, type Verdict } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { type CaptchaServer, captchaServer, secrets } from "../spam/_captcha-server.ts";

interface Setup {
  readonly b: Harness;
  readonly id: string;
  readonly errors: string[];
  /** Posts and answers what was stored of it. */
  stored(
    body: object,
    headers?: Record<string, string>,
  ): Promise<{ spam: boolean; verdict: Verdict[]; country: string | null }>;
}

async function setup(form: object = {}, options: Parameters<typeof harness>[0] = {}): Promise<Setup> {
  const storage = memoryStorage();
  const errors: string[] = [];
  const b = harness({
    storage,
    logger: { debug() {}, info() {}, warn() {}, error: (line) => void errors.push(line) },
    ...options,
  });
  const { id } = await b.forms.create({ name: "Contact", ...form });
  return {
    b,
    id,
    errors,
    async stored(body, headers) {
      const { status, json, text } = await b.post(id, body, headers);
      expect([status, json?.status], text).toEqual([200, "success"]);
      const row = (await storage.get("submissions", [json.submission_id])).get(json.submission_id);
      return row?.value as never;
    },
  };
}

async function withCaptcha<T>(use: (server: CaptchaServer) => Promise<T>): Promise<T> {
  const server = await captchaServer();
  return use(server).finally(() => server.close());
}

const spammy = "Buy viagra now";

describe("the order of the checks", () => {
  const rules = { validation: { rules: [{ field: "email", checks: [{ type: "email" as const }] }] } };
  const captcha = { spam: { captcha: { secret_key: secrets.turnstile } } };

  it("is origin, parse, honeypot, captcha, validation, content: each fault hides those behind it", async () => {
    await withCaptcha(async (server) => {
      const asked: string[] = [];
      const check: SpamCheck = () => void asked.push("content");
      const { b, id } = await setup(
        { ...rules, ...captcha, allowed_origins: ["https://site.example"] },
        { captcha: { verifyUrl: server.verifyUrl }, spam: { checks: [check] } },
      );
      const origin = "https://site.example";
      const code = async (body: object | string, headers: Record<string, string>) =>
        (await b.post(id, body, { accept: "application/json", ...headers })).json.error?.code;
      const bad = { email: "nobody", "cf-turnstile-response": "nonsense" };
      expect(await code("{", { origin: "https://evil.example", "content-type": "application/json" })).toBe(
        "origin_not_allowed",
      );
      expect(await code("{", { origin, "content-type": "application/json" })).toBe("invalid_parameter");
      expect(server.asked).toHaveLength(0);
      expect(await code(bad, { origin })).toBe("captcha_failed");
      expect(await code({ ...bad, "cf-turnstile-response": "good-order" }, { origin })).toBe("validation_failed");
      expect(asked).toEqual([]);
      expect(
        await code({ email: "ann@example.com", "cf-turnstile-response": "good-order" }, { origin }),
      ).toBeUndefined();
      expect(asked).toEqual(["content"]);
    });
  });

  it("lets a filled honeypot past captcha and validation, as spam, with the answer that everybody gets", async () => {
    await withCaptcha(async (server) => {
      const { b, id, stored } = await setup({ ...rules, ...captcha }, { captcha: { verifyUrl: server.verifyUrl } });
      const { spam, verdict } = await stored({ email: "nobody", _gotcha: "x" });
      expect([spam, verdict, server.asked]).toEqual([true, [{ check: "honeypot", spam: true }], []]);
      const trapped = await b.post(id, "email=nobody&_gotcha=x", { accept: "application/json" });
      const clean = await b.post(id, { email: "ann@example.com", "cf-turnstile-response": "good-same" });
      const same = ({ submission_id: _, ...answer }: Record<string, unknown>) => answer;
      expect(same(trapped.json)).toEqual(same(clean.json));
    });
  });

  it("takes a filled honeypot for filled whatever stands beside it", async () => {
    const { stored } = await setup();
    for (const _gotcha of [
      ["x", ""],
      ["", "x"],
      ["", "x", ""],
    ])
      expect(await stored({ a: 1, _gotcha })).toMatchObject({ spam: true });
  });

  it("keeps an empty honeypot for a clean post", async () => {
    const { stored } = await setup();
    expect(await stored({ a: 1, _gotcha: "" })).toMatchObject({ spam: false, verdict: [] });
  });

  it("with protection off leaves out the content checks, the host's too; the honeypot stays", async () => {
    let asked = 0;
    const { stored } = await setup({ spam: { protection: false } }, { spam: { checks: [() => void asked++] } });
    expect(await stored({ message: spammy })).toMatchObject({ spam: false, verdict: [] });
    expect(await stored({ message: spammy, _gotcha: "x" })).toMatchObject({
      spam: true,
      verdict: [{ check: "honeypot", spam: true }],
    });
    expect(asked).toBe(0);
  });

  it("stores spam with an ordinary answer, and runs nothing for it", async () => {
    const { b, id, stored } = await setup({
      auto_response: { enabled: true },
      self_email_notification: { recipients: ["me@example.com"] },
    });
    const events: string[] = [];
    b.on("submission.created", () => void events.push("created"));
    b.on("submission.spam", () => void events.push("spam"));
    const { spam, verdict } = await stored({ email: "ann@example.com", message: spammy });
    expect([spam, verdict.map(({ check }) => check), events]).toEqual([true, ["phrases"], ["spam"]]);
    await b.tick();
    expect(b.mails).toEqual([]);
    expect((await b.jobs.list({ form_id: id })).map(({ code }) => code)).toEqual(["SKIPPED_SPAM", "SKIPPED_SPAM"]);
  });
});

describe("the option spam.checks", () => {
  it("asks with what is stored and what is not secret of the form, and keeps every verdict in order", async () => {
    const calls: Parameters<SpamCheck>[] = [];
    const slow: SpamCheck = async (...call) => {
      calls.push(call);
      await new Promise((resolve) => setImmediate(resolve));
      return { spam: false, score: 0.2, reason: "looks fine" };
    };
    const named: SpamCheck = () => ({ check: "blocklist", spam: true, score: 1 });
    const { b, id, stored } = await setup(
      { folder_id: "f1", spam: { captcha: { provider: "none" } } },
      { spam: { checks: [slow, () => null, named] } },
    );
    const { spam, verdict } = await stored(
      { name: "Ann", _subject: "Hi" },
      { "user-agent": "test/1", referer: "https://site.example/" },
    );
    expect([spam, verdict]).toEqual([
      true,
      [
        { check: "slow", spam: false, score: 0.2, reason: "looks fine" },
        { check: "blocklist", spam: true, score: 1 },
      ],
    ]);
    expect(calls).toEqual([
      [
        {
          form_id: id,
          created_at: "2026-01-01T00:00:00.000Z",
          ip: "203.0.113.9",
          country: null,
          user_agent: "test/1",
          referer: "https://site.example/",
          fields: [{ key: "name", value: "Ann" }],
        },
        {
          id,
          team_id: "default",
          name: "Contact",
          folder_id: "f1",
          created_at: "2026-01-01T00:00:00.000Z",
          endpoint: `${b.baseUrl}/f/${id}`,
        },
      ],
    ]);
  });

  it("loses no submission to a check that fails, and logs it", async () => {
    const checks: SpamCheck[] = [
      () => {
        throw new Error("check one broke");
      },
      () => Promise.reject(new Error("check two broke")),
      () => "spam" as never,
      () => ({ spam: "yes" }) as never,
      function last() {
        return { spam: true, reason: `x${"y".repeat(1_000)}`, score: Number.NaN, check: 5 } as never;
      },
    ];
    const { stored, errors } = await setup({}, { spam: { checks } });
    const { verdict } = await stored({ a: 1 });
    expect(verdict).toEqual([{ check: "last", spam: true, reason: `x${"y".repeat(299)}` }]);
    expect(errors).toHaveLength(4);
    for (const text of ["check one broke", "check two broke", "must return { spam: boolean"])
      expect(errors.join("\n")).toContain(text);
  });

  it("is not asked about what is spam already", async () => {
    let asked = 0;
    const { stored, b, id } = await setup({}, { spam: { checks: [() => void asked++] } });
    await stored({ a: spammy });
    await stored({ a: 1, _gotcha: "x" });
    await stored({ a: 1, _token: "forged" });
    expect(asked).toBe(0);
    await stored({ a: 1 });
    await b.submit(id, { fields: { a: "1" } });
    expect(asked).toBe(2);
  });

  it("and the other options are checked when the backend is made", () => {
    const wrong: [option: object, named: string][] = [
      [{ spam: { checks: [1] } }, "spam.checks.0"],
      [{ spam: { check: [] } }, "spam.check"],
      [{ captcha: { timeoutMs: 0 } }, "captcha.timeoutMs"],
      [{ captcha: { verifyUrl: { recaptcha: "ftp://x" } } }, "captcha.verifyUrl.recaptcha"],
      [{ captcha: { verifyUrl: { altcha: "https://example.com" } } }, "captcha.verifyUrl.altcha"],
      [{ country: 5 }, "country"],
      [{ country: "not a header" }, "country"],
    ];
    for (const [option, named] of wrong) expect(() => harness(option), named).toThrow(`option \`${named}\``);
  });
});

describe("the option country", () => {
  it.each([
    ["DE", "DE"],
    [" de ", "DE"],
    ["XX", null],
    ["T1", null],
    ["Germany", null],
    ["", null],
    ["D\u00c9", null],
  ])("as a header %s is %s", async (sent, expected) => {
    const { stored } = await setup({}, { country: "CF-IPCountry" });
    expect((await stored({ a: 1 }, { "cf-ipcountry": sent })).country).toBe(expected);
  });

  it("is null without the header, and whatever a visitor sends where the option is not set", async () => {
    expect((await (await setup({}, { country: "CF-IPCountry" })).stored({ a: 1 })).country).toBeNull();
    expect((await (await setup()).stored({ a: 1 }, { "cf-ipcountry": "DE" })).country).toBeNull();
  });

  it("as a function gets the address and the headers; its errors are logged and cost nothing", async () => {
    const seen: unknown[] = [];
    const answers: (() => unknown)[] = [
      () => "fr",
      () => Promise.resolve("AT"),
      () => null,
      () => 49,
      () => Promise.reject(new Error("no database")),
      () => {
        throw new Error("no database");
      },
    ];
    const { b, id, stored, errors } = await setup(
      {},
      {
        country(ip, headers) {
          seen.push([ip, headers.get("x-test")]);
          return answers.shift()?.() as string;
        },
      },
    );
    const found = [];
    for (let i = 0; i < 6; i++) found.push((await stored({ a: 1 }, { "x-test": "1" })).country);
    expect(found).toEqual(["FR", "AT", null, null, null, null]);
    expect([seen[0], errors.length]).toEqual([["203.0.113.9", "1"], 2]);
    answers.push(() => "it");
    expect((await b.submit(id, { fields: { a: "1" }, ip: "198.51.100.1" })).country).toBe("IT");
    expect(seen.at(-1)).toEqual(["198.51.100.1", null]);
  });
});
