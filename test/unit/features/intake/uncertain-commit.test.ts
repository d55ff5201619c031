import { describe, expect, it } from "vitest";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

/** A store whose next commit of a submission loses its answer, before or after it was made; then reads fail too, until `mend()`. */
async function losing(made: boolean, { reads = true, ...form }: { reads?: boolean } & Record<string, unknown> = {}) {
  const storage = memoryStorage();
  let armed = false;
  let down = false;
  const b = harness({
    rateLimit: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    storage: {
      ...storage,
      async get(collection, ids) {
        if (down) throw new StoreDownError("the server did not answer");
        return storage.get(collection, ids);
      },
      async commit(writes) {
        if (!armed || !writes.some((write) => write.op === "add")) return storage.commit(writes);
        armed = false;
        down = !reads;
        if (made) await storage.commit(writes);
        throw new StoreDownError("the connection was cut");
      },
    },
  });
  const { id } = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["o@example.com"] },
    ...form,
  });
  await b.post(id, { warm: "up" });
  const count = async () => (await b.forms.get(id)).submissions.all_time - 1;
  return {
    b,
    id,
    count,
    lose() {
      armed = true;
    },
    mend() {
      down = false;
    },
  };
}

describe("a post whose commit lost its answer", () => {
  it("is looked up, and accepted where it was made", async () => {
    const t = await losing(true);
    t.lose();
    const answer = await t.b.post(t.id, { n: "1" });
    expect([answer.status, answer.json.status]).toEqual([200, "success"]);
    expect((await t.b.submissions.get(t.id, answer.json.submission_id)).fields).toEqual([{ key: "n", value: "1" }]);
    await t.b.tick();
    expect([t.b.mails.length, await t.count()]).toEqual([2, 1]);
  });

  it.each([true, false])(
    "made: %s; while nobody can look, hands out a key, under which a repeat is stored once",
    async (made) => {
      const t = await losing(made, { reads: false });
      t.lose();
      const lost = await t.b.post(t.id, { n: "1" });
      expect(lost.status).toBe(503);
      expect(lost.text).not.toContain("nothing was stored");
      const key = lost.json.error.idempotency_key;
      expect([key, lost.json.message]).toEqual([
        lost.headers.get("idempotency-key"),
        expect.stringContaining("same idempotency key"),
      ]);
      t.mend();
      const again = await Promise.all([1, 2, 3].map(() => t.b.post(t.id, { n: "1" }, { "idempotency-key": key })));
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(again.map(({ json }) => json.submission_id)).size).toBe(1);
      expect(await t.count()).toBe(1);
      await t.b.tick();
      expect(t.b.mails).toHaveLength(2);
    },
  );

  it("stays one where its content is kept for deliveries only", async () => {
    const t = await losing(true, { reads: false, storage: { store_submissions: false } });
    t.lose();
    const key = (await t.b.post(t.id, { n: "1" })).json.error.idempotency_key;
    t.mend();
    await t.b.tick();
    expect((await t.b.post(t.id, { n: "1" }, { "idempotency-key": key })).status).toBe(200);
    await t.b.tick();
    expect([t.b.mails.length, await t.count()]).toEqual([2, 1]);
  });

  it("is asked to use its own key again where it brought one", async () => {
    const t = await losing(true, { reads: false });
    t.lose();
    const lost = await t.b.post(t.id, { n: "1" }, { "idempotency-key": "mine" });
    expect([lost.status, lost.json.error.idempotency_key]).toEqual([503, "mine"]);
    t.mend();
    expect((await t.b.post(t.id, { n: "1" }, { "idempotency-key": "mine" })).status).toBe(200);
    expect(await t.count()).toBe(1);
  });

  it("carries the key in the page on which a visitor sends it again", async () => {
    const t = await losing(true, { reads: false });
    t.lose();
    const lost = await t.b.post(t.id, "n=1", { accept: "text/html" });
    expect(lost.text).toMatch(/<input type="hidden" name="_idempotency_key" value="again_[0-9a-f]{24}_[\w-]{51}">/);
  });

  it("takes a key for that form and that post only, and for a day", async () => {
    const t = await losing(true, { reads: false });
    t.lose();
    const key = (await t.b.post(t.id, { n: "1" })).json.error.idempotency_key;
    t.mend();
    const other = await t.b.forms.create({ name: "B" });
    const send = (form: string, body: object, name = key) => t.b.post(form, body, { "idempotency-key": name });
    expect((await send(t.id, { n: "2" })).json.error.code).toBe("idempotency_mismatch");
    const first = (await send(t.id, { n: "1" })).json.submission_id;
    for (const [form, name] of [
      [other.id, key],
      [t.id, `${key}x`],
      [t.id, key.replace(/^again_./, "again_f")],
    ] as const) {
      expect((await send(form, { n: "1" }, name)).json.submission_id).not.toBe(first);
    }
    await t.b.clock.advance(24 * 3_600_000 + 1);
    expect((await send(t.id, { n: "1" })).json.submission_id).not.toBe(first);
  });
});

describe("a store that says for certain that it wrote nothing", () => {
  it("is answered without a key", async () => {
    const storage = memoryStorage();
    let full = false;
    const b = harness({
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      storage: {
        ...storage,
        async commit(writes) {
          if (full) throw new StoreDownError("database or disk is full", { nothingWritten: true });
          return storage.commit(writes);
        },
      },
    });
    const { id } = await b.forms.create({ name: "A" });
    full = true;
    const { status, json, headers } = await b.post(id, { n: "1" });
    expect([status, json.error.code, json.error.idempotency_key, headers.get("idempotency-key")]).toEqual([
      503,
      "unavailable",
      undefined,
      null,
    ]);
    expect(headers.get("retry-after")).toBe("5");
    full = false;
    expect((await b.post(id, { n: "1" })).status).toBe(200);
  });
});
