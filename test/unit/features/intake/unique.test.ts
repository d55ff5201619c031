import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 3_600_000;

async function world(settings: object = {}, more: object = {}) {
  const clock = testClock(Date.parse("2026-11-22T10:00:00.000Z"));
  const storage = memoryStorage();
  const b = harness({ clock, storage, rateLimit: false, ...more });
  const { id } = await b.forms.create({ name: "List", settings: { unique: { fields: ["email"] }, ...settings } });
  const send = (email: string, rest = "") => b.post(id, `email=${encodeURIComponent(email)}${rest}`);
  const marks = async () => {
    const query = { index: "expiry", equals: {}, order: "asc", limit: 100 } as const;
    return (await storage.page("marks", query)).filter((row) => row.id.startsWith("unique:"));
  };
  return { b, id, send, marks, storage, later: (ms: number) => clock.set(clock.now() + ms) };
}

describe("a unique field", () => {
  it("refuses a second submission with its value, at the field", async () => {
    const { b, send } = await world();
    expect((await send("ann@example.com")).status).toBe(200);
    const again = await send("ann@example.com");
    expect(again).toMatchObject({
      status: 422,
      json: { error: { code: "validation_failed" }, errors: { email: { rule: "taken" } } },
    });
    expect(again.json.errors.email.message).toBe("The email was sent before, and this form takes it once.");
    expect((await send("bob@example.com")).status).toBe(200);
    await b.close();
  });

  it.each([
    ["case", "Ann@Example.com"],
    ["spaces", "  ann@example.com\n"],
    ["another case of a special letter", "ann@example.COM"],
  ])("takes no notice of %s", async (_, same) => {
    const { send } = await world();
    expect((await send("ann@example.com")).status).toBe(200);
    expect((await send(same)).status).toBe(422);
  });

  it("compares names in every Unicode form, and tells look-alike letters apart", async () => {
    const { b, id } = await world({ unique: { fields: ["name"] } });
    const send = (name: string) => b.post(id, `name=${encodeURIComponent(name)}`);
    expect((await send("Zoë".normalize("NFC"))).status).toBe(200);
    expect((await send("ZOË".normalize("NFD"))).status).toBe(422);
    expect((await send("straße")).status).toBe(200);
    expect((await send("STRASSE")).status).toBe(422);
    // A Cyrillic а.
    expect((await send("pаul")).status).toBe(200);
    expect((await send("paul")).status).toBe(200);
  });

  it("stores one of 500 posts with one value that come at once over two processes", async () => {
    const { b, id, storage } = await world();
    const other = harness({ storage, rateLimit: false });
    const posts = Array.from({ length: 500 }, (_, i) => (i % 2 ? b : other).post(id, `email=x%40example.com&n=${i}`));
    const answers = await Promise.all(posts);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(new Set([422]));
  });

  it("counts all of its fields together, repeated values too, and checks nothing where all are empty", async () => {
    const { b, id } = await world({ unique: { fields: ["email", "day"], message: "You have booked that day." } });
    const send = (body: string) => b.post(id, body);
    expect((await send("email=a%40x.org&day=1")).status).toBe(200);
    expect((await send("email=a%40x.org&day=2")).status).toBe(200);
    expect((await send("email=a%40x.org")).status).toBe(200);
    expect((await send("email=a%40x.org&day=1&day=2")).status).toBe(200);
    expect((await send("email=a%40x.org&day=1&day=2")).json.errors.email.message).toBe("You have booked that day.");
    expect((await send("note=1")).status).toBe(200);
    expect((await send("note=1")).status).toBe(200);
    expect((await send("email=+&day=&note=1")).status).toBe(200);
  });

  it("is not taken by spam, and free again once its submission is deleted, erased or marked as spam", async () => {
    const { b, id, send } = await world({ spam: { words: ["pills"] } });
    expect((await send("ann@example.com", "&note=pills")).status).toBe(200);
    const ids: string[] = [];
    const again = async () => {
      const answer = await send("ann@example.com");
      expect(answer.status).toBe(200);
      ids.unshift(answer.json.submission_id);
      expect((await send("ann@example.com")).status).toBe(422);
    };
    await again();
    await b.call("DELETE", `/v1/forms/${id}/submissions/${ids[0]}`);
    await again();
    await b.call("PATCH", `/v1/forms/${id}/submissions/${ids[0]}`, { body: { spam: true } });
    await again();
    await b.dataSubjects.erase({ email: "ann@example.com" });
    await again();
  });

  it("belongs to a submission that waits for its confirmation, until that is too late", async () => {
    const { send, later } = await world({ double_opt_in: { enabled: true, expires: "1_days" } });
    expect((await send("ann@example.com")).status).toBe(200);
    expect((await send("ann@example.com")).status).toBe(422);
    later(DAY + 1);
    expect((await send("ann@example.com")).status).toBe(200);
  });

  it("leaves only a keyed hash, which the sweep keeps while the submission is there", async () => {
    const { b, id, send, marks, later } = await world();
    const { submission_id } = (await send("ann@example.com")).json;
    const [mark] = await marks();
    expect(JSON.stringify(mark)).not.toContain("ann");
    later(91 * DAY);
    await b.sweep();
    expect(await marks()).toHaveLength(1);
    expect((await send("ann@example.com")).status).toBe(422);
    await b.call("DELETE", `/v1/forms/${id}/submissions/${submission_id}`);
    later(91 * DAY);
    await b.sweep();
    expect(await marks()).toEqual([]);
  });

  it("stays unique after the secret was rotated and everything was sealed again", async () => {
    const { b, id, send, storage } = await world({}, { secret: "a".repeat(40) });
    expect((await send("ann@example.com")).status).toBe(200);
    await b.close();
    const second = harness({ storage, rateLimit: false, secret: ["b".repeat(40), "a".repeat(40)] });
    expect(await second.secrets.reseal()).toMatchObject({ left: 0 });
    await second.close();
    const third = harness({ storage, rateLimit: false, secret: "b".repeat(40) });
    expect((await third.post(id, "email=ann%40example.com")).status).toBe(422);
    expect((await third.post(id, "email=bob%40example.com")).status).toBe(200);
  });

  it("takes a value of 60 KB by its hash", async () => {
    const { send, marks } = await world();
    const long = `${"x".repeat(60_000)}@example.com`;
    expect((await send(long)).status).toBe(200);
    expect((await send(long)).status).toBe(422);
    expect(JSON.stringify(await marks()).length).toBeLessThan(1_000);
  });

  it.each(["encrypt", "hash", "drop"] as const)("is refused for a field with the policy %s", async (store) => {
    const encryption = { keys: [{ id: "k1", key: Buffer.alloc(32, 1).toString("base64") }] };
    const { b, id } = await world({}, store === "encrypt" ? { encryption } : {});
    const patch = (body: object) => b.call("PATCH", `/v1/forms/${id}/settings`, { body });
    expect(await patch({ fields: { email: { store } } })).toMatchObject({
      status: 400,
      json: { error: { param: "unique.fields.0" } },
    });
  });

  it("is refused with four names, and with one name twice, at the setting", async () => {
    const { b, id } = await world();
    const patch = (fields: string[]) => b.call("PATCH", `/v1/forms/${id}/settings`, { body: { unique: { fields } } });
    expect((await patch(["a", "b", "c", "d"])).json.error.param).toBe("unique.fields");
    expect((await patch(["a", "a"])).json.error.param).toBe("unique.fields");
  });
});
