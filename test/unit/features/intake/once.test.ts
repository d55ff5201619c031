import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { put, remove } from "../../../../src/core/rows.ts";
import { StaleWriteError, StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { ApiError } from "../../../../src/errors.ts";
import { type Mark, markWrite, once } from "../../../../src/features/intake/idempotency.ts";
import { type Accepted, type Post, submissionOf, type Within } from "../../../../src/features/intake/post.ts";
import { commitOnce, repeatedId, storedAs } from "../../../../src/features/intake/uncertain-commit.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { createMounted } from "../../../../src/surfaces/mount.ts";
import { type TestClock, testClock } from "../../../../src/surfaces/testing/clock.ts";

const DAY = 86_400_000;
const FILE = { key: "cv", file_id: "f1", name: "a.txt", mime_type: "text/plain", size: 1 };

/** A backend's inside, and a post to a form of it. */
async function parts() {
  let core = {} as Core;
  const clock: TestClock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const backend = createBackend(
    {
      baseUrl: "https://app.example.com/forms",
      work: false,
      clock,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
    {
      engine: createMounted,
      onReady: async (made) => {
        core = made;
      },
    },
  );
  await backend.ready();
  const { id } = await backend.forms.create({ name: "A" });
  const form = await core.rows.get("forms", id);
  const post = (value = "1", within: Within = null): Post =>
    ({
      form,
      posted: {
        fields: [{ key: "n", value }],
        special: {},
        files: { list: [FILE], fingerprint: () => "" },
      },
      visitor: { ip: null, country: null, user_agent: null, referer: null },
      within,
    }) as unknown as Post;
  const judged = { spam: false, verdict: [], over_quota: false };
  const submission = (of: Post) => submissionOf(of, "2026-01-01T00:00:00.000Z", judged);
  const at = "0".repeat(23);
  /** Stores a post as another process does. */
  const store = async (of: Post, mark: Mark, n = 1): Promise<Accepted> => {
    const made = { id: `${at}${n}`, submission: submission(of) };
    await core.commitNow([
      put("submissions", made.id, made.submission, null),
      markWrite(mark, made.id, false, core.clock.now()),
    ]);
    return made;
  };
  return { core, clock, post, store, submission, id };
}

const taken = () =>
  new ApiError("validation_failed", {
    fields: { a: { message: "Missing.", rule: "required" }, b: { message: "Taken.", rule: "taken" } },
  });

describe("a post under a key that another process stores meanwhile", () => {
  it.each([
    ["its place is gone", () => new ApiError("form_full")],
    ["one of its values is taken", taken],
    ["the mark is there", () => new StaleWriteError("marks", "idem")],
  ])("gets that one's answer where %s", async (_, fault) => {
    const { core, post, store } = await parts();
    const answer = await once(core, post(), "k", async (mark) => {
      await store(post(), mark);
      throw fault();
    });
    expect(answer.id).toBe(`${"0".repeat(23)}1`);
    expect(answer.submission.fields).toEqual([{ key: "n", value: "1" }]);
  });

  it("is refused where that one has other fields", async () => {
    const { core, post, store } = await parts();
    const first = await once(core, post("2"), "k", (mark) => store(post("2"), mark));
    expect(first.id).toBe(`${"0".repeat(23)}1`);
    const mismatch = { code: "idempotency_mismatch" };
    await expect(once(core, post("1"), "k", async () => first)).rejects.toMatchObject(mismatch);
  });

  it.each([
    [
      "has another fault",
      () => new ApiError("validation_failed", { fields: { a: { message: "No.", rule: "required" } } }),
    ],
    ["finds no store", () => new ApiError("unavailable")],
    ["breaks", () => new TypeError("no")],
  ])("keeps its own fault where it %s", async (_, fault) => {
    const { core, post, store } = await parts();
    const own = fault();
    const answer = once(core, post(), "k", async (mark) => {
      await store(post(), mark);
      throw own;
    });
    await expect(answer).rejects.toBe(own);
  });

  it("keeps its own fault where nobody stored one, and is asked to come back where a version was all that differed", async () => {
    const { core, post } = await parts();
    const full = new ApiError("form_full");
    await expect(once(core, post(), "k", () => Promise.reject(full))).rejects.toBe(full);
    const stale = once(core, post(), "k", () => Promise.reject(new StaleWriteError("marks", "idem")));
    await expect(stale).rejects.toMatchObject({ code: "idempotency_in_progress", headers: { "retry-after": "1" } });
  });
});

describe("a key", () => {
  it("of a submission that was removed since gives its answer again, without files", async () => {
    const { core, post, store, submission } = await parts();
    const { id } = await once(core, post(), "k", (mark) => store(post(), mark));
    const row = await core.rows.get("submissions", id);
    await core.commitNow([remove("submissions", id, row?.version)]);
    const again = await once(core, post(), "k", () => Promise.reject(new Error("not stored again")));
    expect(again).toEqual({ id, submission: { ...submission(post()), attachments: [], attached: false } });
    const other = once(core, post("2"), "k", () => Promise.reject(new Error("not stored again")));
    await expect(other).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });

  it("is free again after a day, and its mark goes", async () => {
    const { core, clock, post, store } = await parts();
    let mark = {} as Mark;
    const keep = (n: number) => (given: Mark) => {
      mark = given;
      return store(post(), given, n);
    };
    const first = await once(core, post(), "k", keep(1));
    clock.set(clock.now() + DAY - 1);
    expect((await once(core, post(), "k", keep(2))).id).toBe(first.id);
    clock.set(clock.now() + 1);
    const seen = once(core, post(), "k", async () => {
      expect((await core.storage.get("marks", [mark.id])).size).toBe(0);
      return { id: "next", submission: first.submission };
    });
    expect((await seen).id).toBe("next");
  });

  it("of a post in a transaction of the host's answers nobody else", async () => {
    const { core, post, submission } = await parts();
    const within = {} as NonNullable<Within>;
    let end = () => {};
    const open = once(core, post("1", within), "k", async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { id: "within", submission: submission(post()) };
    });
    const beside = await once(core, post(), "k", async () => ({ id: "beside", submission: submission(post()) }));
    end();
    expect([(await open).id, beside.id]).toEqual(["within", "beside"]);
  });

  it("answers one in a transaction at once, while another post under it still runs", async () => {
    const { core, post, submission } = await parts();
    let end = () => {};
    const running = once(core, post(), "k", async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { id: "running", submission: submission(post()) };
    });
    await new Promise((resolve) => setImmediate(resolve));
    const within = {} as NonNullable<Within>;
    const own = await once(core, post("1", within), "k", async () => ({ id: "own", submission: submission(post()) }));
    end();
    expect([own.id, (await running).id]).toEqual(["own", "running"]);
  });
});

describe("a commit whose answer is lost", () => {
  const id = `${Date.parse("2026-01-01T00:00:00.000Z").toString(16).padStart(12, "0")}${"a".repeat(12)}`;
  const doubtful = () =>
    new ApiError("unavailable", { cause: new StoreDownError("cut"), headers: { "retry-after": "5" } });

  it("is told with a key and the store's own headers, and its cause stays", async () => {
    const { core, id: formId } = await parts();
    const fault = doubtful();
    const failed = commitOnce(core, { formId, id }, () => Promise.reject(fault));
    await expect(failed).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": "5", "idempotency-key": expect.stringMatching(`^again_${id}_`) },
      cause: fault.cause,
    });
  });

  it.each([
    ["has no cause, since the store was never asked", new ApiError("unavailable")],
    ["is no doubt", new ApiError("form_full", { cause: new Error("full") })],
    [
      "says that nothing was written",
      new ApiError("unavailable", { cause: new StoreDownError("full", { nothingWritten: true }) }),
    ],
    ["is none of ours", new TypeError("no")],
  ])("hands out no key where the fault %s", async (_, fault) => {
    const { core, id: formId } = await parts();
    await expect(commitOnce(core, { formId, id }, () => Promise.reject(fault))).rejects.toBe(fault);
  });

  it("hands out keys that name their submission for a day, and no others do", async () => {
    const { core, clock, id: formId } = await parts();
    const fault: unknown = await commitOnce(core, { formId, id }, () => Promise.reject(doubtful())).catch(
      (error) => error,
    );
    const key = (fault as ApiError).headers["idempotency-key"] as string;
    expect(repeatedId(core, formId, key)).toBe(id);
    for (const other of [`x${key}`, `${key}!`, key.slice(0, -1), key.replace("again_", "again_0"), "again__", ""]) {
      expect([other, repeatedId(core, formId, other)]).toEqual([other, null]);
    }
    expect(repeatedId(core, "another", key)).toBeNull();
    clock.set(clock.now() + DAY - 1);
    expect(repeatedId(core, formId, key)).toBe(id);
    clock.set(clock.now() + 1);
    expect(repeatedId(core, formId, key)).toBeNull();
  });

  it("is found by its repeat where it arrives meanwhile, and the fault of another row stays", async () => {
    const { core, post, submission } = await parts();
    const arrive = () => core.commitNow([put("submissions", id, submission(post()), null)]);
    const foreign = new StaleWriteError("marks", "other");
    const failing = storedAs(core, post(), id, async () => {
      await arrive();
      throw foreign;
    });
    await expect(failing).rejects.toBe(foreign);
    const meanwhile = await parts();
    const answer = await storedAs(meanwhile.core, meanwhile.post(), id, async () => {
      await meanwhile.core.commitNow([put("submissions", id, meanwhile.submission(meanwhile.post()), null)]);
      throw new StaleWriteError("submissions", id);
    });
    expect([answer.id, answer.submission.fields]).toEqual([id, [{ key: "n", value: "1" }]]);
    const none = await parts();
    const own = new StaleWriteError("submissions", id);
    await expect(storedAs(none.core, none.post(), id, () => Promise.reject(own))).rejects.toBe(own);
    const broken = new TypeError("no");
    await expect(storedAs(none.core, none.post(), id, () => Promise.reject(broken))).rejects.toBe(broken);
  });

  it("of a submission of another form is no answer to this one", async () => {
    const { core, post, submission } = await parts();
    await core.commitNow([put("submissions", id, { ...submission(post()), form_id: "another" }, null)]);
    const answer = storedAs(core, post(), id, () => Promise.reject(new Error("not stored")));
    await expect(answer).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });
});
