import { beforeEach, describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createSeal, SealError } from "../../../../src/lib/seal.ts";
import { deriveKey, toSecret } from "../../../../src/lib/secrets.ts";
import { createSigner } from "../../../../src/lib/signer.ts";
import { harness } from "../../../_support/backend.ts";
import { NEW, OLD, rotation } from "../../../_support/rotation.ts";

const list =
  (...texts: string[]) =>
  () =>
    texts.map(toSecret);

describe("a change of `secret` with two backends on one store", () => {
  let storage = memoryStorage();
  beforeEach(() => {
    storage = memoryStorage();
  });
  rotation(() => ({ ...storage, close: async () => {} }));
});

describe("sealed texts", () => {
  it("name their secret, are opened by any that is listed, and by no other", async () => {
    const [old, both, next] = [createSeal(list(OLD)), createSeal(list(NEW, OLD)), createSeal(list(NEW))];
    const sealed = await old.seal("a password");
    const header = JSON.parse(Buffer.from(sealed.split(".")[0] ?? "", "base64url").toString());
    expect(header).toEqual({ alg: "dir", enc: "A256GCM", kid: toSecret(OLD).kid });
    expect(header.kid).toMatch(/^[\w-]{8}$/);
    expect(await both.open(sealed)).toBe("a password");
    await expect(next.open(sealed)).rejects.toBeInstanceOf(SealError);
    expect([old.isCurrent(sealed), both.isCurrent(sealed)]).toEqual([true, false]);
    const anew = await both.seal(await both.open(sealed));
    expect([both.isCurrent(anew), await next.open(anew)]).toEqual([true, "a password"]);
    await expect(old.open(anew)).rejects.toBeInstanceOf(SealError);
  });

  it("from before they named it are opened by each that is listed", async () => {
    const { CompactEncrypt } = await import("jose");
    const sealed = await new CompactEncrypt(new TextEncoder().encode("a password"))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .encrypt(deriveKey(OLD, "seal"));
    const both = createSeal(list(NEW, OLD));
    expect([await both.open(sealed), both.isCurrent(sealed)]).toEqual(["a password", false]);
    await expect(createSeal(list(NEW)).open(sealed)).rejects.toBeInstanceOf(SealError);
  });

  it.each(["", "x", "a.b.c.d.e", "eyJhbGciOiJub25lIn0....", "{}"])("that are none are refused: %j", async (text) => {
    await expect(createSeal(list(NEW, OLD)).open(text)).rejects.toBeInstanceOf(SealError);
  });
});

describe("signatures", () => {
  const signers = (purpose: string) =>
    [list(OLD), list(NEW, OLD), list(NEW)].map((secrets) => createSigner(secrets, purpose));

  it("begin with the name of their secret, and hold for any that is listed", () => {
    const [old, both, next] = signers("links");
    const signature = old?.sign("text") ?? "";
    expect(signature).toMatch(new RegExp(`^${toSecret(OLD).kid}[\\w-]{43}$`));
    expect([old, both, next].map((one) => one?.verify("text", signature))).toEqual([true, true, false]);
    const anew = both?.sign("text") ?? "";
    expect([old, both, next].map((one) => one?.verify("text", anew))).toEqual([false, true, true]);
  });

  it("are refused for another text, another purpose, another name and in part", () => {
    const [, both] = signers("links");
    const [, other] = signers("cursor");
    const signature = both?.sign("text") ?? "";
    const renamed = toSecret(OLD).kid + signature.slice(8);
    expect(both?.verify("text2", signature)).toBe(false);
    expect(other?.verify("text", signature)).toBe(false);
    for (const wrong of [
      "",
      renamed,
      signature.slice(0, -1),
      `${signature}x`,
      signature.slice(8),
      signature.slice(0, 8),
    ]) {
      // Without its name it is one of an earlier version.
      expect([wrong, both?.verify("text", wrong)]).toEqual([wrong, wrong === signature.slice(8)]);
    }
  });
});

describe("secrets.reseal", () => {
  /** Everything in the store that was sealed, by the name of its secret. */
  async function sealedIn(storage: ReturnType<typeof memoryStorage>): Promise<string[]> {
    const rows = (
      await Promise.all(
        ["forms", "email_servers", "teams", "keys"].map((name) =>
          storage.page(name, { index: "all", equals: {}, order: "asc", limit: 1_000 }),
        ),
      )
    ).flat();
    return [...JSON.stringify(rows).matchAll(/"(eyJ[\w-]+)\.\.[\w-]+\.[\w-]*\.[\w-]+"/g)].map(
      ([, header = ""]) => JSON.parse(Buffer.from(header, "base64url").toString()).kid,
    );
  }

  async function populated() {
    const storage = memoryStorage();
    const b = harness({ storage, secret: OLD });
    const server = await b.emailServers.create({
      name: "S",
      host: "smtp.acme.test",
      port: 465,
      username: "a",
      password: "p",
      from: "a@acme.test",
    });
    await b.emailServers.create({ name: "Open", host: "smtp.acme.test", port: 465, from: "a@acme.test" });
    const form = await b.forms.create({
      name: "A",
      spam: { captcha: { secret_key: "altcha_a secret of this form alone" } },
    });
    await b.forms.create({ name: "Without secrets" });
    const hook = await b.webhooks.create(form.id, {
      url: "https://hooks.slack.com/services/T000/B000/abcdefgh1234",
      format: "slack",
    });
    await b.webhooks.rotateSecret(form.id, hook.id);
    return { storage, form: form.id, server: server.id, hook: hook.id };
  }

  it("seals every secret anew, so that the old one can go", async () => {
    const { storage, form, hook } = await populated();
    // A webhook's URL, its two secrets, a captcha's secret and a password.
    expect(await sealedIn(storage)).toEqual(Array(5).fill(toSecret(OLD).kid));
    const b = harness({ storage, secret: [NEW, OLD] });
    expect(await b.secrets.reseal()).toEqual({ resealed: 2, left: 0 });
    expect(await sealedIn(storage)).toEqual(Array(5).fill(toSecret(NEW).kid));
    expect(await b.secrets.reseal()).toEqual({ resealed: 0, left: 0 });
    const last = harness({ storage, secret: [NEW] });
    await last.webhooks.test(form, hook);
    expect(last.webhookCalls.map(({ url }) => url)).toEqual([
      "https://hooks.slack.com/services/T000/B000/abcdefgh1234",
    ]);
  });

  it("leaves what no secret opens as it is, counts it and names it in the log", async () => {
    const { storage, form, server } = await populated();
    const errors: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (text: string) => void errors.push(text) };
    const b = harness({ storage, secret: [NEW], logger });
    expect(await b.secrets.reseal()).toEqual({ resealed: 0, left: 2 });
    expect(errors.map((text) => text.split(" can't")[0])).toEqual([`form ${form}`, `email server ${server}`]);
    expect(await sealedIn(storage)).toEqual(Array(5).fill(toSecret(OLD).kid));
    expect(await harness({ storage, secret: [NEW, OLD] }).secrets.reseal()).toEqual({ resealed: 2, left: 0 });
  });

  it("keeps what changes meanwhile", async () => {
    const { storage, form } = await populated();
    const b = harness({ storage, secret: [NEW, OLD] });
    const [resealed] = await Promise.all([
      b.secrets.reseal(),
      ...[1, 2, 3, 4, 5].map((n) => b.forms.update(form, { name: `Name ${n}` })),
      b.webhooks.create(form, { url: "https://example.com/" }).catch(() => {}),
    ]);
    expect(resealed.left).toBe(0);
    expect((await b.forms.get(form)).name).toMatch(/^Name \d$/);
    expect(new Set(await sealedIn(storage))).toEqual(new Set([toSecret(NEW).kid]));
  });
});

describe("the option `secret`", () => {
  it("skips empty places of the list, which a missing variable leaves", async () => {
    const { storage, server } = await (async () => {
      const store = memoryStorage();
      const b = harness({ storage: store, secret: ["", OLD] });
      const { id } = await b.emailServers.create({
        name: "S",
        host: "smtp.acme.test",
        port: 465,
        username: "a",
        password: "p",
        from: "a@acme.test",
      });
      return { storage: store, server: id };
    })();
    const row = (await storage.get("email_servers", [server])).get(server);
    expect(await createSeal(list(OLD)).open(String(row?.value["password"]))).toBe("p");
  });
});
