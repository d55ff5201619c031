import { describe, expect, it } from "vitest";
import { put } from "../../../../src/core/rows.ts";
import { StaleWriteError } from "../../../../src/drivers/storage/types.ts";
import { forgetWordsOf, withoutAddress, withoutWords } from "../../../../src/features/jobs/forget.ts";
import { coreWithJobs } from "./_rows.ts";

const at = "2026-01-01T00:00:00.000Z";
const words = {
  message: "Your message “I quit” was refused",
  attempts: [{ at, ms: 5, status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX", message: "no “I quit” here" }],
  result: { status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX", message: "“I quit”" },
};

describe("the words of others in the deliveries of a submission that is removed", () => {
  it("go, and all else stays", async () => {
    const { core, add, get } = await coreWithJobs();
    await add("worded", 1, { ...words, http_status: 422 });
    await add("of another", 1, { ...words, submission_id: "s2" });
    const before = await get("worded");
    await core.commitNow(await withoutWords(core, "s1"));
    const { message: _, ...rest } = before ?? expect.fail("gone");
    expect(await get("worded")).toEqual({
      ...rest,
      attempts: [{ at, ms: 5, status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX" }],
      result: { status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX" },
    });
    expect((await get("of another"))?.message).toBe(words.message);
  });

  it("are looked for in each place by itself", async () => {
    for (const place of ["message", "attempts", "result"] as const) {
      const { core, add, get } = await coreWithJobs();
      await add("one", 1, { [place]: words[place] });
      await core.commitNow(await withoutWords(core, "s1"));
      expect(JSON.stringify(await get("one")), place).not.toContain("I quit");
    }
  });

  it("are no write where there are none and no attempt is under way", async () => {
    const { core, add } = await coreWithJobs();
    await add("quiet", 1, { attempts: [{ at, ms: 5, status: "succeeded", code: "SUCCESS" }] });
    await add("also quiet", 1);
    expect(await withoutWords(core, "s1")).toEqual([]);
    expect(await withoutAddress(core, "s1")).toEqual([]);
  });

  it("cost an attempt under way its lease, and one that is asked for again its second run", async () => {
    const { core, add, get } = await coreWithJobs();
    await add("running", 1, { leased: true, again: true });
    const row = (await core.rows.get("jobs", "running")) ?? expect.fail("gone");
    await core.commitNow(await withoutWords(core, "s1"));
    expect((await get("running"))?.again).toBeUndefined();
    await expect(core.commitNow([put("jobs", "running", row.value, row.version)])).rejects.toThrow(StaleWriteError);
  });
});

describe("the visitor's address in those deliveries", () => {
  it("goes with the words, from mails to the visitor, which are not sent any more", async () => {
    const { core, add, get } = await coreWithJobs();
    const mail = { lane: "email", target: "default", to: "ann@example.com" };
    await add("reply", 1, { ...mail, ...words, kind: "auto_response" });
    await add("confirmation", 1, { ...mail, kind: "confirmation" });
    await add("old", 1, { lane: "email", target: "ann@example.com", kind: "auto_response" });
    await add("owner", 1, { ...mail, kind: "owner_email", message: words.message });
    await add("bare", null, { lane: "email", target: "", to: "", kind: "auto_response" });
    const writes = await withoutAddress(core, "s1");
    expect(writes).toHaveLength(4);
    await core.commitNow(writes);
    for (const id of ["reply", "confirmation", "old"])
      expect(await get(id), id).toMatchObject({ to: "", target: "", due_at: null });
    expect(JSON.stringify(await get("reply"))).not.toContain("I quit");
    const owner = await get("owner");
    expect(owner).toMatchObject({ to: "ann@example.com", target: "default", due_at: expect.any(String) });
    expect(owner?.message).toBeUndefined();
    expect(await withoutAddress(core, "s1")).toEqual([]);
  });
});

describe("the words of others in all deliveries of a form", () => {
  it("go, whatever the submission, and from no other form's", async () => {
    const { core, add, get } = await coreWithJobs();
    for (let n = 0; n < 3; n++) await add(`own${n}`, n, { ...words, submission_id: `s${n}` });
    await add("quiet", 1);
    await add("of another", 1, { ...words, form_id: "f2" });
    await forgetWordsOf(core, "f1");
    for (let n = 0; n < 3; n++) expect((await get(`own${n}`))?.message).toBeUndefined();
    expect((await get("of another"))?.message).toBe(words.message);
  });

  it("go from a delivery too that gets new ones meanwhile", async () => {
    const { core, add, get, change } = await coreWithJobs();
    await add("one", 1, words);
    await add("two", 1, words);
    const commit = core.commitNow;
    let commits = 0;
    core.commitNow = async (writes) => {
      if (commits++ === 0) await change("one", { message: "newer words", attempt: 2 });
      return commit(writes);
    };
    await forgetWordsOf(core, "f1");
    const [one, two] = [await get("one"), await get("two")];
    expect([one?.message, two?.message]).toEqual([undefined, undefined]);
    expect(one?.attempt).toBe(2);
    core.commitNow = async () => {
      throw new Error("the store is down");
    };
    await forgetWordsOf(core, "f1");
    core.commitNow = commit;
    await change("one", { message: "words" });
    core.commitNow = async () => {
      throw new Error("the store is down");
    };
    await expect(forgetWordsOf(core, "f1")).rejects.toThrow("the store is down");
  });
});
