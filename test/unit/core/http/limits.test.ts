import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { afterEach, describe, expect, it, vi } from "vitest";
import { addressKey } from "../../../../src/core/http/limits.ts";
import { resolveRates } from "../../../../src/core/options/rate-limit.ts";
import { createLimits } from "../../../../src/core/rates/rate-limit.ts";
import { memoryRates } from "../../../../src/core/rates/rate-stores.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { FormBackendOptions, RateStore } from "../../../../src/index.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { type Answer, harness } from "../../../_support/backend.ts";

const limitHeaders = ({ headers }: Pick<Answer, "headers">) =>
  ["ratelimit-policy", "ratelimit", "retry-after"].map((name) => headers.get(name));
const tiny = { points: 2, seconds: 10 };
const wrongKey = "fb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV35OXOh";

/** Calls with an address of one's own, which the harness has not. */
function from(options: Partial<FormBackendOptions>) {
  const b = createTestBackend(options as never);
  const send = async (path: string, ip: string | null, init: RequestInit = {}) => {
    const response = await b.handle(new Request(b.baseUrl + path, init), { ip });
    const text = await response.text();
    return { status: response.status, headers: response.headers, code: /"code":"(\w+)"/.exec(text)?.[1] ?? null };
  };
  return {
    b,
    me: (ip: string | null, token: string, more: Record<string, string> = {}) =>
      send("/v1/me", ip, { headers: { authorization: `Bearer ${token}`, ...more } }),
    post: (id: string, ip: string | null, more: Record<string, string> = {}) =>
      send(`/f/${id}`, ip, {
        method: "POST",
        body: '{"a":1}',
        headers: { "content-type": "application/json", ...more },
      }),
  };
}

describe("reads that need no credential", () => {
  it.each(["/v1/openapi.json", "/files/file_0123456789abcdef01234567/a.txt?expires=1&signature=x"])(
    "%s counts into the rate of its address",
    async (path) => {
      const { b } = from({ rateLimit: { perIp: tiny } } as never);
      const get = (ip: string | null) => b.handle(new Request(b.baseUrl + path), { ip });
      const first = (await get("203.0.113.7")).status;
      expect([200, 404]).toContain(first);
      expect((await get("203.0.113.7")).status).toBe(first);
      const refused = await get("203.0.113.7");
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
      expect((await get("203.0.113.8")).status).toBe(first);
      expect((await get(null)).status).toBe(first);
    },
  );
});

describe("the management rate", () => {
  it("is 100 requests in 10 s for each credential, said on every answer", async () => {
    const b = harness();
    const other = await b.keyWith("all");
    const first = await b.call("GET", "/v1/me");
    expect(limitHeaders(first)).toEqual(['"api";q=100;w=10', '"api";r=99;t=10', null]);
    for (let i = 1; i < 99; i++) await b.call("GET", "/v1/me");
    const missing = await b.call("GET", "/v1/forms/none");
    expect([missing.status, ...limitHeaders(missing)]).toEqual([404, '"api";q=100;w=10', '"api";r=0;t=10', null]);

    const over = await b.call("GET", "/v1/me");
    expect([over.status, over.json.error.type, over.json.error.code]).toEqual([
      429,
      "rate_limit_error",
      "rate_limited",
    ]);
    expect(limitHeaders(over)).toEqual(['"api";q=100;w=10', '"api";r=0;t=10', "10"]);
    expect((await b.call("GET", "/v1/me", { key: other })).status).toBe(200);

    await b.clock.advance(9_500);
    expect(limitHeaders(await b.call("GET", "/v1/me"))[2]).toBe("1");
    await b.clock.advance(500);
    expect((await b.call("GET", "/v1/me")).status).toBe(200);
  });

  it("comes behind credential, team and scope, and before form access and input", async () => {
    const b = harness({ rateLimit: { management: { points: 1, seconds: 10 } } });
    const form = await b.forms.create({ name: "A" });
    const reader = await b.keyWith(["forms:read"]);
    const fence = await b.keyWith("all", { form_ids: ["other"] });
    for (let i = 0; i < 3; i++) {
      expect((await b.call("PATCH", `/v1/forms/${form.id}`, { key: reader, body: {} })).json.error.code).toBe(
        "insufficient_scope",
      );
    }
    expect((await b.call("GET", `/v1/forms/${form.id}`, { key: fence })).json.error.code).toBe(
      "form_access_restricted",
    );
    expect((await b.call("GET", `/v1/forms/${form.id}`, { key: fence })).json.error.code).toBe("rate_limited");
    await b.call("GET", "/v1/me");
    expect((await b.call("POST", "/v1/forms", { body: { wrong: 1 } })).json.error.code).toBe("rate_limited");
    await b.teams.update("default", { active: false });
    expect((await b.call("GET", "/v1/me")).json.error.code).toBe("team_inactive");
  });

  it("does not hold for health, for calls in process, nor where it is switched off", async () => {
    const one = { points: 1, seconds: 10 };
    const b = harness({ rateLimit: { management: one } });
    for (let i = 0; i < 5; i++) {
      expect(limitHeaders(await b.call("GET", "/v1/health"))).toEqual([null, null, null]);
      await b.forms.list();
    }
    for (const rateLimit of [false, { management: null }] as const) {
      const free = harness({ rateLimit });
      for (let i = 0; i < 101; i++) {
        const answer = await free.call("GET", "/v1/me");
        expect([answer.status, ...limitHeaders(answer)]).toEqual([200, null, null, null]);
      }
    }
  });
});

describe("failed credentials", () => {
  it("are 20 in 10 s for each address, then nothing is looked up", async () => {
    const { b, me } = from({});
    for (let i = 0; i < 20; i++) expect((await me("198.51.100.1", wrongKey)).status).toBe(401);
    const over = await me("198.51.100.1", wrongKey);
    expect([over.status, over.code]).toEqual([429, "rate_limited"]);
    expect(limitHeaders(over)).toEqual(['"failed-credentials";q=20;w=10', '"failed-credentials";r=0;t=10', "10"]);
    expect((await me("198.51.100.1", b.key)).status).toBe(429);
    expect((await me("198.51.100.2", b.key)).status).toBe(200);
    await b.clock.advance(10_000);
    expect((await me("198.51.100.1", b.key)).status).toBe(200);
  });

  it("count whatever made them fail, but not what carried none or succeeded", async () => {
    const { b, me } = from({ rateLimit: { failedAuth: tiny } });
    const { key, id } = await b.keys.create({ name: "k", scopes: "all" });
    await b.keys.revoke(id);
    for (let i = 0; i < 5; i++) expect((await me("192.0.2.1", b.key)).status).toBe(200);
    const none = () => b.handle(new Request(`${b.baseUrl}/v1/me`), { ip: "192.0.2.1" });
    for (let i = 0; i < 5; i++) expect((await none()).status).toBe(401);
    expect((await me("192.0.2.1", key)).code).toBe("invalid_key");
    expect((await me("192.0.2.1", "typo")).code).toBe("invalid_key");
    expect((await me("192.0.2.1", key)).code).toBe("rate_limited");
    expect((await none()).status).toBe(401);
  });

  it("are counted by /64 for IPv6, and not at all where the address is unknown", async () => {
    const { me } = from({ rateLimit: { failedAuth: tiny } });
    await me("2001:db8:1:2::1", wrongKey);
    await me("2001:db8:1:2:ffff::9", wrongKey);
    expect((await me("2001:0db8:0001:0002:abcd::", wrongKey)).status).toBe(429);
    expect((await me("2001:db8:1:3::1", wrongKey)).status).toBe(401);
    for (let i = 0; i < 5; i++) expect((await me(null, wrongKey)).status).toBe(401);
  });

  it("are counted by what a trusted proxy says, never by what anybody writes", async () => {
    const forwarded = (ip: string) => ({ "x-forwarded-for": ip });
    const plain = from({ rateLimit: { failedAuth: tiny } });
    for (let i = 0; i < 2; i++) await plain.me("192.0.2.1", wrongKey, forwarded(`198.51.100.${i}`));
    expect((await plain.me("192.0.2.1", wrongKey, forwarded("198.51.100.9"))).status).toBe(429);
    const proxied = from({ rateLimit: { failedAuth: tiny }, trustProxy: 1 });
    for (let i = 0; i < 2; i++) await proxied.me("192.0.2.1", wrongKey, forwarded("198.51.100.1"));
    expect((await proxied.me("192.0.2.1", wrongKey, forwarded("198.51.100.1"))).status).toBe(429);
    expect((await proxied.me("192.0.2.1", wrongKey, forwarded("198.51.100.2"))).status).toBe(401);
  });
});

describe("the public endpoint", () => {
  it("takes 30 posts in a minute from one address to one form", async () => {
    const { b, post } = from({});
    const [form, other] = [await b.forms.create({ name: "A" }), await b.forms.create({ name: "B" })];
    for (let i = 0; i < 30; i++) expect((await post(form.id, "192.0.2.1")).status).toBe(200);
    const over = await post(form.id, "192.0.2.1");
    expect([over.status, over.code, Number(over.headers.get("retry-after"))]).toEqual([429, "rate_limited", 60]);
    expect((await post(other.id, "192.0.2.1")).status).toBe(200);
    expect((await post(form.id, "192.0.2.2")).status).toBe(200);
    expect((await b.forms.get(form.id)).submissions.all_time).toBe(31);
    await b.clock.advance(60_000);
    expect((await post(form.id, "192.0.2.1")).status).toBe(200);
  });

  it("takes 120 posts in a minute from one address to all forms", async () => {
    const { b, post } = from({});
    const forms = await Promise.all(Array.from({ length: 5 }, (_, i) => b.forms.create({ name: `F${i}` })));
    for (let i = 0; i < 120; i++) expect((await post(forms[i % 5]?.id ?? "", "192.0.2.1")).status).toBe(200);
    expect((await post(forms[0]?.id ?? "", "192.0.2.1")).code).toBe("rate_limited");
  });

  it("has no limit for a form as a whole unless one is set", async () => {
    const free = from({});
    const form = await free.b.forms.create({ name: "A" });
    for (let i = 0; i < 150; i++) expect((await free.post(form.id, `192.0.2.${i}`)).status).toBe(200);
    const { b, post } = from({ rateLimit: { perForm: tiny } });
    const { id } = await b.forms.create({ name: "A" });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await post(id, i === 0 ? null : `192.0.2.${i}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("counts behind the origin check and before the body is read", async () => {
    const { b, post } = from({ rateLimit: { perFormAndIp: { points: 1, seconds: 60 } } });
    const { id } = await b.forms.create({ name: "A", allowed_origins: ["https://a.example"] });
    for (let i = 0; i < 3; i++) expect((await post(id, "192.0.2.1")).code).toBe("origin_not_allowed");
    const origin = { origin: "https://a.example", accept: "application/json" };
    expect((await post(id, "192.0.2.1", { ...origin, "content-type": "text/x" })).code).toBe("unsupported_media_type");
    expect((await post(id, "192.0.2.1", { ...origin, "content-type": "text/x" })).code).toBe("rate_limited");
  });
});

describe("what needs no credential", () => {
  it.each([
    ["a preflight", "OPTIONS", "/f/x", 204],
    ["the page of an endpoint", "GET", "/f/x", 404],
    ["a post to a form that is none", "POST", "/f/x", 404],
    ["an image", "GET", "/files/img_0/logo.png", 404],
  ])("%s counts into the rate of its address", async (_name, method, path, status) => {
    const b = createTestBackend({ rateLimit: { perIp: tiny } });
    const ask = async (ip: string | null) => (await b.handle(new Request(b.baseUrl + path, { method }), { ip })).status;
    expect([await ask("192.0.2.1"), await ask("192.0.2.1"), await ask("192.0.2.1")]).toEqual([status, status, 429]);
    expect([await ask("192.0.2.2"), await ask(null), await ask(null), await ask(null)]).toEqual(Array(4).fill(status));
  });
});

describe("posts to ids that no form has", () => {
  it.each([
    ["/f/{}", "an id"],
    ["/s/{}", "an alias"],
    ["/p/default/f/{}", "a key"],
  ])("%s: %s reads the store only while its address has posts left", async (path) => {
    const inner = memoryStorage();
    let reads = 0;
    const storage: StorageDriver = {
      ...inner,
      get: (collection, ids) => {
        if (collection === "forms" || collection === "marks") reads++;
        return inner.get(collection, ids);
      },
    };
    const b = createTestBackend({ storage, rateLimit: { perIp: { points: 5, seconds: 60 } }, dialects: ["formcarry"] });
    await b.ready();
    const post = async (n: number, ip: string) => {
      const request = new Request(`${b.baseUrl}${path.replace("{}", `unknown-${n}`)}`, { method: "POST" });
      return (await b.handle(request, { ip })).status;
    };
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push(await post(n, "192.0.2.1"));
    expect(statuses).toEqual(Array(5).fill(404));
    expect(reads).toBeGreaterThanOrEqual(5);
    reads = 0;
    for (let n = 5; n < 25; n++) expect(await post(n, "192.0.2.1")).toBe(429);
    expect(reads).toBe(0);
    expect(await post(25, "192.0.2.2")).toBe(404);
  });

  it("cost one post each, as posts to a form do that had to be read first", async () => {
    const { b, post } = from({ rateLimit: { perIp: { points: 4, seconds: 600 } } });
    const { id } = await b.forms.create({ name: "A" });
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await post(id, "192.0.2.1")).status);
      // The form is read again.
      await b.clock.advance(3_000);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});

describe("uploads at once", () => {
  it.each(["endpoint", "edit_url"] as const)(
    "at the %s are 64 from one address, each for as long as it lasts",
    async (at) => {
      const b = createTestBackend({ rateLimit: false });
      const { id, endpoint } = await b.forms.create({ name: "A", settings: { edit: { enabled: true } } });
      const init = { method: "POST", headers: { accept: "application/json" }, body: new URLSearchParams("a=1") };
      const { edit_url } = (await (await b.fetch(new Request(endpoint, init))).json()) as { edit_url: string };
      const url = { endpoint, edit_url }[at];
      const begun: ReadableStreamDefaultController<Uint8Array>[] = [];
      const head = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1';
      const upload = (ip: string) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            begun.push(controller);
            controller.enqueue(new TextEncoder().encode(head));
          },
        });
        const headers = { "content-type": "multipart/form-data; boundary=b", accept: "application/json" };
        const request = new Request(url, {
          method: "POST",
          headers,
          body,
          duplex: "half",
        } as RequestInit);
        return b.handle(request, { ip }).then((answer) => answer.status);
      };
      const end = (one: ReadableStreamDefaultController<Uint8Array> | undefined): void => {
        one?.enqueue(new TextEncoder().encode("\r\n--b--\r\n"));
        one?.close();
      };
      const running = Array.from({ length: 64 }, () => upload("192.0.2.1"));
      await b.forms.get(id);
      expect(await upload("192.0.2.1")).toBe(429);
      const other = upload("192.0.2.2");
      end(begun.at(-1));
      expect(await other, "another address").toBe(200);
      end(begun[0]);
      expect(await running[0]).toBe(200);
      const next = upload("192.0.2.1");
      for (const one of [...begun.slice(1, 64), begun.at(-1)]) end(one);
      expect(await next).toBe(200);
      expect(await Promise.all(running)).toEqual(Array(64).fill(200));
    },
  );
});

describe("addressKey", () => {
  it.each([
    [null, null],
    ["192.0.2.1", "192.0.2.1"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:DB8:A:B:1:2:3:4", "2001:db8:a:b::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["::1:2:3:4:192.0.2.1", "0:0:1:2::/64"],
  ])("%s is counted as %s", (ip, key) => {
    expect(addressKey(ip)).toBe(key);
  });
});

describe("rateLimit.store", () => {
  it("counts for several processes with the limiters of rate-limiter-flexible", async () => {
    const shared = new Map<string, RateLimiterMemory>();
    const store: RateStore = ({ name, points, seconds }) => {
      const limiter = shared.get(name) ?? new RateLimiterMemory({ points, duration: seconds, keyPrefix: name });
      shared.set(name, limiter);
      return limiter;
    };
    const storage = (await import("../../../../src/index.ts")).memoryStorage();
    const options = { rateLimit: { management: tiny, store }, storage };
    const [a, b] = [harness(options), harness(options)];
    await a.ready();
    const statuses = [];
    for (const backend of [a, b, a, b]) statuses.push((await backend.call("GET", "/v1/me", { key: a.key })).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it.each<[string, () => Promise<never>]>([
    ["rejects", () => Promise.reject(new Error("ECONNREFUSED"))],
    [
      "throws",
      () => {
        throw new Error("ECONNREFUSED");
      },
    ],
    ["never answers", () => new Promise<never>(() => {})],
  ])("that %s leaves each process to count for itself, and is reported once a minute", async (_, consume) => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const ask = vi.fn(consume);
    const b = harness({ rateLimit: { management: tiny, store: () => ({ consume: ask }) }, logger });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await b.call("GET", "/v1/me"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(limitHeaders)).toEqual([
      ['"api";q=2;w=10', '"api";r=1;t=10', null],
      ['"api";q=2;w=10', '"api";r=0;t=10', null],
      ['"api";q=2;w=10', '"api";r=0;t=10', "10"],
    ]);
    // Asked once, and then not again for 5 s: to wait for it on every request would be an outage of its own.
    expect(ask).toHaveBeenCalledTimes(1);
    expect(logger.warn.mock.calls.flat()).toEqual([expect.stringContaining("`rateLimit.store` failed")]);
    await b.clock.advance(5_000);
    await b.call("GET", "/v1/me");
    expect(ask).toHaveBeenCalledTimes(2);
    await b.clock.advance(60_000);
    await b.call("GET", "/v1/me");
    expect(logger.warn).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["rateLimit.management.points", { management: { points: 0, seconds: 1 } }],
    ["rateLimit.perIp.seconds", { perIp: { points: 1, seconds: 0.5 } }],
    ["rateLimit.store", { store: {} }],
    ["rateLimit.store", { store: "redis://127.0.0.1" }],
    ["rateLimit.perMinute", { perMinute: 1 }],
  ])("a wrong %s is named", (option, rateLimit) => {
    expect(() => harness({ rateLimit } as never)).toThrow(`option \`${option}\``);
  });
});

describe("the counts of one process", () => {
  it("are kept for so many keys at most: the one unused for longest is forgotten", async () => {
    const counter = memoryRates(1_000)({ name: "perIp", points: 1, seconds: 60 });
    await counter.consume("victim");
    for (let n = 0; n < 999; n++) await counter.consume(`flood ${n}`);
    await expect(counter.consume("victim")).rejects.toMatchObject({ remainingPoints: 0 });
    // It was just used again, so the flood pushes itself out first.
    for (let n = 999; n < 1_998; n++) await counter.consume(`flood ${n}`);
    await expect(counter.consume("victim")).rejects.toMatchObject({ remainingPoints: 0 });
    expect((await counter.consume("flood 0")).remainingPoints).toBe(0);
    await expect(counter.consume("flood 1997")).rejects.toMatchObject({ remainingPoints: 0 });
  });

  it("are kept under names of limited length, whatever a host or an issuer calls a caller", async () => {
    const keys: string[] = [];
    const store: RateStore = () => ({
      async consume(key) {
        keys.push(key);
        return { remainingPoints: 1, msBeforeNext: 1_000 };
      },
    });
    const limits = createLimits({ ...resolveRates({ store }), clock: systemClock, warn: () => {} });
    const long = `host:${"x".repeat(100_000)}`;
    for (const key of ["host:1", long, long, `${long}y`, "host:\u0000", "host:é"]) await limits.take("management", key);
    expect(keys[0]).toBe("host:1");
    for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect([keys[1] === keys[2], new Set(keys).size]).toEqual([true, 5]);
  });
});

describe("with the machine's clock", () => {
  afterEach(() => void vi.useRealTimers());

  it("a window begins with its first request and Retry-After is never early", async () => {
    vi.useFakeTimers({ now: 1_700_000_003_700, toFake: ["Date", "setTimeout", "clearTimeout"] });
    const limits = createLimits({ ...resolveRates({ management: tiny }), clock: systemClock, warn: () => {} });
    await limits.take("management", "a");
    vi.advanceTimersByTime(6_500);
    expect(await limits.take("management", "a")).toEqual({
      "ratelimit-policy": '"api";q=2;w=10',
      ratelimit: '"api";r=0;t=4',
    });
    await expect(limits.take("management", "a")).rejects.toMatchObject({
      status: 429,
      headers: { "retry-after": "4" },
    });
    vi.advanceTimersByTime(3_499);
    await expect(limits.take("management", "a")).rejects.toMatchObject({ headers: { "retry-after": "1" } });
    vi.advanceTimersByTime(1);
    expect((await limits.take("management", "a"))["ratelimit"]).toBe('"api";r=1;t=10');
  });

  it("a limiter that blocks for longer is waited for", async () => {
    const store: RateStore = () => ({ consume: () => Promise.reject(new RateLimiterRes(0, 3_600_000, 3, false)) });
    const limits = createLimits({ ...resolveRates({ management: tiny, store }), clock: systemClock, warn: () => {} });
    await expect(limits.take("management", "a")).rejects.toMatchObject({ headers: { "retry-after": "3600" } });
  });
});
