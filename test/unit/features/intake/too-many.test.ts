import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

it("a post that too many others are in front of was not begun, and gets no key to send it again", async () => {
  const storage = memoryStorage();
  let isSlow = false;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const b = harness({
    rateLimit: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    storage: {
      ...storage,
      async commit(writes) {
        if (isSlow) await opened;
        return storage.commit(writes);
      },
    },
  });
  const { id } = await b.forms.create({ name: "A" });
  await b.post(id, { warm: "up" });
  isSlow = true;
  const value = "x".repeat(60_000);
  const body = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`field${n}`, value]));
  const posts = Array.from({ length: 78 }, () => b.post(id, body));
  const refused = await Promise.race(posts);
  expect([refused.status, refused.json.error.code, refused.json.error.idempotency_key]).toEqual([
    503,
    "unavailable",
    undefined,
  ]);
  expect(refused.headers.get("idempotency-key")).toBeNull();
  open();
  const answers = await Promise.all(posts);
  const accepted = answers.filter(({ status }) => status === 200).length;
  expect(accepted).toBeGreaterThan(0);
  expect((await b.forms.get(id)).submissions.all_time).toBe(accepted + 1);
});
