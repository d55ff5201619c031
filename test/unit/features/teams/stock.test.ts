import { describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { HostFormCreate, TeamCreate } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import de from "../../../../src/texts/locales/de.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const MINUTE = 60_000;
const full = { code: "limit_reached", status: 409 };

/** A form of a team with these limits, in processes that share one store and one clock. */
async function limited(
  limits: NonNullable<TeamCreate["limits"]>,
  { processes = 1, form = {} }: { processes?: number; form?: Partial<HostFormCreate> } = {},
) {
  const watch = { counts: 0, refuses: false };
  const inner = memoryStorage();
  const storage: StorageDriver = {
    ...inner,
    count: (collection, query) => {
      watch.counts++;
      return inner.count(collection, query);
    },
    async commit(writes) {
      const isPost = writes.some((write) => write.op === "put" && write.collection === "submissions");
      if (watch.refuses && isPost) throw new Error("refused");
      return inner.commit(writes);
    },
  };
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const backends = Array.from({ length: processes }, () =>
    harness({ storage, clock, rateLimit: false, logger, plans: { files: {} }, locales: [de] }),
  );
  const [b] = backends as [Harness];
  await b.teams.create({ id: "acme", name: "Acme", plan: "files", limits });
  const { id } = await b.forms.create({ name: "A", ...form }, { team_id: "acme" });
  const send = (n = 1) => b.submit(id, { fields: { n: String(n) } });
  const stored = async () => (await b.submissions.list(null, { team_id: "acme", limit: 100 })).data.length;
  return { b, backends, id, send, stored, watch, logger };
}

const file = (bytes: number) => ({
  key: "cv",
  name: "a.txt",
  mime_type: "text/plain",
  content: new TextEncoder().encode("a".repeat(bytes)),
});

describe("stored_submissions", () => {
  it("refuses the posts beyond it with 409 and a page that says so, and tells the host in the log", async () => {
    const { b, id, send, logger } = await limited({ stored_submissions: 2 });
    await send();
    expect((await b.post(id, { n: "2" })).status).toBe(200);
    const refused = await b.post(id, { n: "3" });
    expect([refused.status, refused.json.error.code]).toEqual([409, "limit_reached"]);
    expect(refused.json.message).toBe(
      "This form accepts no submissions at the moment: the storage of its team is full.",
    );
    const inGerman = await b.post(id, { n: "3", _language: "de" });
    expect(inGerman.json.message).toBe("Dieses Formular nimmt zurzeit keine Einsendungen an.");
    await expect(send()).rejects.toMatchObject(full);
    const warnings = logger.warn.mock.calls.map(([line]) => line).filter((line) => line.includes("stored_submissions"));
    expect(warnings).toEqual(["team acme: its limit `stored_submissions` of 2 is reached, so posts are refused"]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(2);
  });

  it("counts spam and those that wait for a confirmation, and nothing of a form that stores nothing", async () => {
    const { b, id, send } = await limited({ stored_submissions: 3 });
    const asks = { double_opt_in: { enabled: true, field: "email" } };
    const waiting = await b.forms.create({ name: "B", settings: asks }, { team_id: "acme" });
    const transient = await b.forms.create({ name: "C", storage: { store_submissions: false } }, { team_id: "acme" });
    await b.post(id, { n: "1", _gotcha: "filled" });
    await b.submit(waiting.id, { fields: { email: "ann@example.com" } });
    for (let i = 0; i < 5; i++) await b.submit(transient.id, { fields: { n: "1" } });
    await send();
    await expect(send()).rejects.toMatchObject(full);
    await b.submit(transient.id, { fields: { n: "1" } });
  });

  it("is kept by posts that arrive at once in several processes", async () => {
    const { backends, id, stored } = await limited({ stored_submissions: 7 }, { processes: 3 });
    const sent = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => (backends[i % 3] as Harness).submit(id, { fields: { n: String(i) } })),
    );
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
    for (const one of sent) if (one.status === "rejected") expect(one.reason).toMatchObject(full);
    expect(await stored()).toBe(7);
  });

  it("counts what was stored before there was a limit", async () => {
    const { b, send } = await limited({});
    for (let i = 0; i < 3; i++) await send(i);
    await b.teams.update("acme", { limits: { stored_submissions: 4 } });
    await send();
    await expect(send()).rejects.toMatchObject(full);
    await b.teams.update("acme", { limits: { stored_submissions: null } });
    for (let i = 0; i < 3; i++) await send(i);
    await b.teams.update("acme", { limits: { stored_submissions: 8 } });
    await send();
    await expect(send()).rejects.toMatchObject(full);
  });

  it("has room again some minutes after submissions were deleted, and never more than that", async () => {
    const { b, id, send, stored } = await limited({ stored_submissions: 5 });
    const made = [];
    for (let i = 0; i < 5; i++) made.push((await send(i)).id);
    await b.submissions.delete(id, made[0] as string);
    await b.submissions.delete(id, made[1] as string);
    await expect(send()).rejects.toMatchObject(full);
    await b.clock.advance(6 * MINUTE);
    await send();
    await send();
    for (let i = 0; i < 20; i++) {
      await expect(send()).rejects.toMatchObject(full);
      await b.clock.advance(MINUTE / 2);
    }
    expect(await stored()).toBe(5);
  });

  it("counts for all that is stored at most once in three minutes, however many posts are refused", async () => {
    const { b, send, watch } = await limited({ stored_submissions: 1 });
    await send();
    watch.counts = 0;
    for (let i = 0; i < 60; i++) {
      await expect(send()).rejects.toMatchObject(full);
      await b.clock.advance(6_000);
    }
    // Six minutes, and two collections.
    expect(watch.counts).toBeGreaterThan(0);
    expect(watch.counts).toBeLessThanOrEqual(4);
  });

  it("gives its room back for a post that is not stored after all", async () => {
    const { b, id, send, watch } = await limited({ stored_submissions: 1 });
    watch.refuses = true;
    for (let i = 0; i < 3; i++) expect((await b.post(id, { n: "1" })).status).toBe(503);
    watch.refuses = false;
    await send();
    await expect(send()).rejects.toMatchObject(full);
  });

  it("holds for an import, whose rows before that stay", async () => {
    const { b, id, stored } = await limited({ stored_submissions: 300 });
    const rows = Array.from({ length: 600 }, (_, n) => ({
      created_at: "2025-06-01T00:00:00Z",
      fields: { n: String(n) },
    }));
    await expect(b.submissions.import(id, rows, { source: "old" })).rejects.toMatchObject(full);
    expect((await b.forms.get(id)).submissions.all_time).toBe(250);
    expect(await stored()).toBe(100);
  });

  it("is not passed by confirmations, which give a submission a new time", async () => {
    const asks = { double_opt_in: { enabled: true, field: "email" } };
    const { b, send, stored, id } = await limited({ stored_submissions: 4 });
    const waiting = await b.forms.create({ name: "B", settings: asks }, { team_id: "acme" });
    for (let i = 0; i < 2; i++) await b.submit(waiting.id, { fields: { email: `ann${i}@example.com` } });
    await send();
    await b.clock.advance(10 * MINUTE);
    for (const { text } of b.mails) {
      const link = /https?:\S+\/c\/\S+/.exec(text ?? "")?.[0] ?? "";
      expect((await b.handle(new Request(link, { method: "POST" }))).status).toBe(200);
    }
    // Full by the note, so that it is counted at once.
    const sent = await Promise.allSettled([send(), send(), send()]);
    expect(sent.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
    expect(await stored()).toBeLessThanOrEqual(4);
    await b.clock.advance(10 * MINUTE);
    await send().catch(() => {});
    expect([await stored(), (await b.forms.get(id)).submissions.all_time]).toEqual([4, 2]);
  });
});

describe("file_bytes", () => {
  it("refuses the files beyond it, and takes posts without files", async () => {
    const { b, id, send } = await limited({ file_bytes: 1_000 });
    const upload = (bytes: number) => b.submit(id, { fields: { n: "1" }, files: [file(bytes)] });
    await upload(600);
    await expect(upload(500)).rejects.toMatchObject(full);
    await upload(400);
    await expect(upload(1)).rejects.toMatchObject(full);
    await send();
    const body = new FormData();
    body.set("n", "1");
    body.set("cv", new File(["a"], "a.txt", { type: "text/plain" }));
    const refused = await b.post(id, body);
    expect([refused.status, refused.json.error.code]).toEqual([409, "limit_reached"]);
  });

  it("counts the files that were there before, and has room again once they are deleted", async () => {
    const { b, id } = await limited({});
    const upload = (bytes: number) => b.submit(id, { fields: { n: "1" }, files: [file(bytes)] });
    const { id: first } = await upload(700);
    await b.teams.update("acme", { limits: { file_bytes: 1_000 } });
    await upload(300);
    await expect(upload(100)).rejects.toMatchObject(full);
    await b.submissions.delete(id, first);
    await b.clock.advance(6 * MINUTE);
    await upload(700);
    await expect(upload(1)).rejects.toMatchObject(full);
  });
});

describe("a team without limits", () => {
  it("has no note, and its posts read and write nothing more", async () => {
    const calls: string[] = [];
    const inner = memoryStorage();
    const storage: StorageDriver = {
      ...inner,
      commit: (writes) => {
        calls.push(...writes.map((write) => ("collection" in write ? write.collection : "counters")));
        return inner.commit(writes);
      },
      count: (collection, query) => {
        calls.push(`count ${collection}`);
        return inner.count(collection, query);
      },
    };
    const b = harness({ storage });
    const { id } = await b.forms.create({ name: "A" });
    await b.submit(id, { fields: { n: "1" } });
    calls.length = 0;
    await b.submit(id, { fields: { n: "1" } });
    expect([...new Set(calls)].sort()).toEqual(["counters", "submissions"]);
  });
});
