import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { harness } from "../../../_support/backend.ts";
import { privateForm, SSN } from "../../../_support/privacy.ts";

for (const store of ["encrypt", "hash", "drop"]) {
  it(`a post under ${store} whose commit lost its answer is known again by the key of its repeat`, async () => {
    const storage = memoryStorage();
    let armed = false;
    let down = false;
    const { b, id } = await privateForm(
      { store },
      {
        rateLimit: false,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        storage: {
          ...storage,
          async get(collection, ids) {
            if (down) throw new StoreDownError("the server did not answer");
            return storage.get(collection, ids);
          },
          async commit(writes) {
            await storage.commit(writes);
            if (!armed || !writes.some((write) => write.op === "add")) return;
            armed = false;
            down = true;
            throw new StoreDownError("the connection was cut");
          },
        },
      },
    );
    await b.post(id, { ssn: "warm up", name: "Ann" });
    armed = true;
    const lost = await b.post(id, { ssn: SSN, name: "Ann" });
    const key = lost.headers.get("idempotency-key") as string;
    expect([lost.status, key]).toEqual([503, expect.stringMatching(/^again_/)]);
    down = false;
    const again = await b.post(id, { ssn: SSN, name: "Ann" }, { "idempotency-key": key });
    expect(again.status).toBe(200);
    const { fields } = await b.submissions.get(id, again.json.submission_id);
    expect(fields.at(-1)).toEqual({ key: "name", value: "Ann" });
    expect((await b.submissions.list(id)).data).toHaveLength(2);
    const another = await b.post(id, { ssn: SSN, name: "Bob" }, { "idempotency-key": key });
    expect([another.status, another.json.error.code]).toEqual([422, "idempotency_mismatch"]);
  });
}

it("the fingerprint of a post with a protected field can't be found by trying values without the secret", async () => {
  const storage = memoryStorage();
  const { b, id } = await privateForm({ store: "drop" }, { storage });
  const other = harness({ storage, secret: "another secret, as long as the first one" });
  const fingerprintOf = async (key: string) => {
    const mark = `idem:${id}:${createHash("sha256").update(key).digest("hex")}`;
    return (await storage.get("marks", [mark])).get(mark)?.value["fingerprint"];
  };
  for (const [backend, key] of [
    [b, "one"],
    [b, "two"],
    [other, "three"],
  ] as const) {
    expect((await backend.post(id, { ssn: SSN }, { "idempotency-key": key })).status).toBe(200);
  }
  const [one, two, three] = await Promise.all(["one", "two", "three"].map(fingerprintOf));
  expect(one).toMatch(/^\S{20,}$/);
  expect([two === one, three === one]).toEqual([true, false]);
});
