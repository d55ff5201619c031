import { afterEach, describe, expect, it, vi } from "vitest";
import { createFormBackend, type FormBackendOptions } from "../../../../src/index.ts";

const base = { baseUrl: "https://app.example.com/forms" };
const build = (options: object) => () => createFormBackend({ ...base, ...options } as FormBackendOptions);

const silent = { debug() {}, info() {}, warn() {}, error() {} };

afterEach(() => vi.unstubAllEnvs());

describe("options", () => {
  it.each([
    [{ baseUrl: undefined }, "`baseUrl`"],
    [{ baseUrl: "/forms" }, "`baseUrl`: must be an absolute http(s) URL"],
    [{ baseUrl: "https://app.example.com/forms?x=1" }, "`baseUrl`"],
    [{ secret: "short" }, "`secret`: must have at least 32 characters"],
    [{ sekret: "x" }, "`sekret`: is not an option"],
    [{ storage: {} }, "`storage`: must be a driver with the methods open, get, page"],
    [{ mailer: "smtp://localhost" }, "`mailer`: must be a driver"],
    [{ from: "nobody" }, "`from`: must be an address"],
    [{ plans: { gold: { forms: "many" } } }, "`plans.gold.forms`"],
    [{ plans: { gold: { wings: true } } }, "`plans.gold.wings`: is not an option"],
    [{ defaultPlan: "gold" }, '`defaultPlan`: there is no plan "gold"'],
    [{ brand: { keyPrefix: "no spaces" } }, "`brand.keyPrefix`"],
    [{ brand: { signatureHeader: "X: y" } }, "`brand.signatureHeader`"],
    [{ trustProxy: ["10.0.0.0"] }, "`trustProxy"],
    [{ webhooks: { allowCidrs: ["10.0.0.0/33"] } }, "`webhooks.allowCidrs.0`"],
    [{ webhooks: { timeout: 1 } }, "`webhooks.timeout`: is not an option"],
    [{ work: "yes" }, "`work`"],
    [{ clock: {} }, "`clock`: must have the methods now and setTimer"],
    [{ clock: { now: 1, setTimer: () => () => {} } }, "`clock`: must have the methods now and setTimer"],
    [{ logger: console.log }, "`logger`"],
  ])("%j throws at construction and names the option", (options, sentence) => {
    expect(build(options)).toThrow(TypeError);
    expect(build(options)).toThrow(`[form-backend] option ${sentence}`);
  });

  it.each([{}, { secret: "" }])(
    "wants a secret in production, and says so when it is first needed: %j",
    async (options) => {
      vi.stubEnv("NODE_ENV", "production");
      // A build evaluates the module that makes the backend.
      const backend = build({ ...options, logger: silent })();
      await expect(backend.ready()).rejects.toThrow(TypeError);
      await expect(backend.ready()).rejects.toThrow("option `secret`: required when NODE_ENV is production");
      expect((await backend.fetch(new Request(`${base.baseUrl}/f/x`))).status).toBe(503);
      await backend.close();
    },
  );

  it("wants a secret in production that is more than a repeated character, and warns of one elsewhere", async () => {
    const weak = "a".repeat(32);
    const good = "31415926535897932384626433832795";
    vi.stubEnv("NODE_ENV", "production");
    for (const secret of [weak, [weak, good]]) {
      const backend = build({ secret, logger: silent })();
      await expect(backend.ready()).rejects.toThrow("option `secret`: it has fewer than 6 different characters");
      await backend.close();
    }
    for (const secret of [good, [good, weak]]) {
      const backend = build({ secret, logger: silent })();
      await backend.ready();
      await backend.close();
    }
    vi.stubEnv("NODE_ENV", "development");
    const warnings: string[] = [];
    const backend = build({
      secret: weak,
      logger: { ...silent, warn: (message: string) => warnings.push(message) },
    })();
    await backend.ready();
    await backend.close();
    expect(warnings.join("\n")).toMatch(/`secret`: it has fewer than 6 different characters/);
    expect(warnings.join("\n")).not.toContain(weak);
  });

  it("outside production and tests warns of a made-up secret and of memory storage", async () => {
    vi.stubEnv("NODE_ENV", "development");
    const warnings: string[] = [];
    const backend = build({ logger: { ...silent, warn: (message: string) => warnings.push(message) } })();
    expect(warnings).toEqual([]);
    await backend.ready();
    await backend.close();
    expect(warnings.join("\n")).toMatch(/no `secret` is set/);
    expect(warnings.join("\n")).toMatch(/no `storage` is set/);
  });

  it("builds public links from baseUrl alone, whatever Host says", async () => {
    const backend = createFormBackend({ baseUrl: "https://app.example.com/forms/" });
    const form = await backend.forms.create({ name: "A" });
    expect(form.endpoint).toBe(`https://app.example.com/forms/f/${form.id}`);
    const answer = await backend.fetch(
      new Request(`http://evil.example/forms/f/${form.id}`, {
        headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
      }),
    );
    expect(await answer.text()).not.toContain("evil.example");
    await backend.close();
  });
});
