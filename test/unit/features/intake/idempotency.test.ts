import { describe, expect, it } from "vitest";
import { type StorageDriver, StoreDownError, type Write } from "../../../../src/drivers/storage/types.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const under = (key: string) => ({ "idempotency-key": key });
const ids = (answers: readonly { json: { submission_id?: string } }[]) => answers.map(({ json }) => json.submission_id);

describe("the key of a post", () => {
  it("loses its quotes where it has both, and stands as it is otherwise", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const send = (key: string) => b.post(id, { a: 1 }, under(key));
    const [bare, quoted] = ids([await send("k"), await send('"k"')]);
    expect(quoted).toBe(bare);
    const others = ids([await send('"k'), await send('k"'), await send('x"k"'), await send('"k"x')]);
    expect(new Set([bare, ...others]).size).toBe(5);
  });

  it("is known to a process with another secret", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const other = harness({ storage, secret: "another secret, as long as the first one" });
    const { id } = await b.forms.create({ name: "A" });
    const first = await b.post(id, { a: 1 }, under("k"));
    const again = await other.post(id, { a: 1 }, under("k"));
    expect([again.status, again.json.submission_id]).toEqual([200, first.json.submission_id]);
  });

  it("binds nothing while its first post is refused, so one that waited for it is judged for itself", async () => {
    const b = harness({ logger: silent });
    const { id } = await b.forms.create({ name: "A" });
    let refuse = () => {};
    let asked = 0;
    b.forms.useSchema(id, {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value) => {
          if (asked++ > 0) return { value };
          return new Promise((resolve) => {
            refuse = () => resolve({ issues: [{ message: "No.", path: ["a"] }] });
          });
        },
      },
    });
    const first = b.post(id, { a: 1 }, under("k"));
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = b.post(id, { a: 1 }, under("k"));
    // It has found the first one when that ends.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(1);
    refuse();
    expect([(await first).status, (await second).status]).toEqual([422, 200]);
    expect(asked).toBe(2);
  });

  it("is answered from content that is kept for deliveries only, and stores nothing again", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "A",
      storage: { store_submissions: false },
      self_email_notification: { recipients: ["me@example.com"] },
    });
    const first = await b.post(id, { a: 1 }, under("k"));
    const again = await b.post(id, { a: 1 }, under("k"));
    await b.tick();
    const late = await b.post(id, { a: 1 }, under("k"));
    await b.tick();
    expect(new Set(ids([first, again, late])).size).toBe(1);
    expect([b.mails.length, (await b.forms.get(id)).submissions.all_time]).toEqual([1, 1]);
  });
});

/** A store whose first commit of a submission is held back until the next one begins; its caller is told that the store is down. */
function arrivingLate() {
  const storage = memoryStorage();
  const held: (readonly Write[])[] = [];
  let armed = false;
  const isSubmission = (writes: readonly Write[]) =>
    writes.some((write) => write.op === "put" && write.collection === "submissions");
  const driver: StorageDriver = {
    ...storage,
    async commit(writes) {
      if (!isSubmission(writes)) return storage.commit(writes);
      if (armed) {
        armed = false;
        held.push(writes);
        throw new StoreDownError("the connection was cut");
      }
      const late = held.pop();
      if (late) await storage.commit(late);
      return storage.commit(writes);
    },
  };
  return {
    driver,
    lose() {
      armed = true;
    },
  };
}

describe("a repeat under the key of a commit that lost its answer", () => {
  it("gets the answer of the first one where that arrives while the repeat is stored", async () => {
    const { driver, lose } = arrivingLate();
    const b = harness({ storage: driver, logger: silent, rateLimit: false });
    const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
    lose();
    const lost = await b.post(id, { n: "1" });
    expect(lost.status).toBe(503);
    const key = lost.json.error.idempotency_key as string;
    const again = await b.post(id, { n: "1" }, under(key));
    expect([again.status, again.json.submission_id]).toEqual([200, key.split("_")[1]]);
    await b.tick();
    expect([b.mails.length, (await b.submissions.list(id)).data.length]).toEqual([1, 1]);
  });

  it("is refused where the one that arrives meanwhile has other fields", async () => {
    const { driver, lose } = arrivingLate();
    const b = harness({ storage: driver, logger: silent, rateLimit: false });
    const { id } = await b.forms.create({ name: "A" });
    lose();
    const key = (await b.post(id, { n: "1" })).json.error.idempotency_key as string;
    const again = await b.post(id, { n: "2" }, under(key));
    expect([again.status, again.json.error.code]).toEqual([422, "idempotency_mismatch"]);
    expect((await b.submissions.list(id)).data.map(({ fields }) => fields)).toEqual([[{ key: "n", value: "1" }]]);
  });
});
