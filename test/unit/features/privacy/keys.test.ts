import { afterEach, describe, expect, it, vi } from "vitest";
import type { EncryptionOptions } from "../../../../src/core/options/encryption.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { UNREADABLE } from "../../../../src/features/privacy/shown.ts";
import { harness } from "../../../_support/backend.ts";
import { encryption, KEY, privateForm, SSN } from "../../../_support/privacy.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const json = { accept: "application/json" };
const OTHER = Buffer.alloc(32, 9).toString("base64");
const quiet = (log: string[] = []) => {
  const say = (message: string): void => void log.push(message);
  return { debug: say, info: say, warn: say, error: say };
};

afterEach(() => vi.useRealTimers());

/** A key management service that can be made to fail, and the calls that it got. */
function service() {
  const calls = { wrap: 0, unwrap: 0 };
  const state: { fault: (() => Promise<Uint8Array>) | null } = { fault: null };
  const turned = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0x5a);
  const call = (name: keyof typeof calls) => async (bytes: Uint8Array) => {
    calls[name]++;
    return state.fault?.() ?? turned(bytes);
  };
  const hooks = { wrap: call("wrap"), unwrap: call("unwrap") };
  return { calls, state, hooks };
}

const markRows = async (storage: ReturnType<typeof memoryStorage>, id: string) =>
  (await storage.get("marks", [`data-key:${id}`])).get(`data-key:${id}`);

it("one row with values that another form's key sealed leaves that form's own values readable", async () => {
  const storage = memoryStorage();
  const { b, id } = await privateForm(undefined, { storage });
  const { id: other } = await b.forms.create({ name: "B", settings: { fields: { ssn: { store: "encrypt" } } } });
  await b.post(id, { ssn: SSN }, json);
  await b.post(other, { ssn: SSN }, json);
  const rows = { index: "form", order: "asc", limit: 1 } as const;
  const [mine] = await storage.page("submissions", { ...rows, equals: { form_id: id } });
  const [theirs] = await storage.page("submissions", { ...rows, equals: { form_id: other } });
  const value = { ...theirs!.value, form_id: id };
  await storage.commit([{ op: "put", collection: "submissions", id: mine!.id, value }]);
  const read = harness({ encryption, storage });
  const shown = async (formId: string) => (await read.submissions.list(formId)).data[0]?.fields[0]?.value;
  expect(await shown(id)).toBe(UNREADABLE);
  expect(await shown(other)).toBe(SSN);
});

describe("a key management service", () => {
  it("wraps one key of a form, and is not asked again by this process", async () => {
    const { calls, hooks } = service();
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { encryption: hooks, storage });
    const posts = await Promise.all(Array.from({ length: 10 }, () => b.post(id, { ssn: SSN }, json)));
    expect(posts.map(({ status }) => status)).toEqual(Array(10).fill(200));
    // Once to wrap, and once to see that it can be unwrapped.
    expect(calls).toEqual({ wrap: 1, unwrap: 1 });
    const again = harness({ encryption: hooks, storage });
    expect((await again.submissions.list(id)).data.map(({ fields }) => fields[0]?.value)).toEqual(Array(10).fill(SSN));
    await b.submissions.list(id);
    await again.post(id, { ssn: SSN }, json);
    expect(calls).toEqual({ wrap: 1, unwrap: 2 });
  });

  for (const [what, fault, late] of [
    ["throws", () => Promise.reject(new Error("KMS is down")), false],
    ["answers no bytes", () => Promise.resolve("x" as never), false],
    ["hangs", () => new Promise<never>(() => {}), true],
  ] as const) {
    it(`that ${what} is a 503 in time for posts and reads, and nothing of it is stored; afterwards all works`, async () => {
      const { state, hooks } = service();
      const log: string[] = [];
      const storage = memoryStorage();
      const options = { encryption: hooks, logger: quiet(log), storage };
      const { b, id } = await privateForm(undefined, options);
      const before = await b.submit(id, { fields: { ssn: "before" } });
      const fresh = harness(options);
      state.fault = fault;
      if (late) vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const path = `/v1/forms/${id}/submissions`;
      const key = b.key;
      const calls = [
        () => fresh.post(id, { ssn: SSN }, json),
        () => fresh.call("GET", path, { key }),
        () => fresh.call("GET", `${path}/${before.id}`, { key }),
        () => fresh.call("POST", "/v1/data-subjects/export", { key, body: { email: "ann@example.com" } }),
      ];
      const { status } = await inTime(() => fresh.post(id, { ssn: SSN }, json));
      expect(status).toBe(503);
      for (const call of calls.slice(0, 3)) {
        const answer = await inTime(call);
        expect([answer.status, answer.json.error.code]).toEqual([503, "unavailable"]);
        expect(answer.headers.get("retry-after")).toBe("5");
      }
      // What needs no key still goes on: a post that fills no protected field, an export that omits it.
      expect((await inTime(() => fresh.post(id, { name: "Ann" }, json))).status).toBe(200);
      expect((await inTime(() => fresh.call("GET", `${path}/export`, { key }))).status).toBe(200);
      vi.useRealTimers();
      expect(log.filter((line) => line.includes("option `encryption`: unwrap")).length).toBeGreaterThan(0);
      state.fault = null;
      expect((await fresh.post(id, { ssn: SSN }, json)).status).toBe(200);
      const values = (await fresh.submissions.list(id)).data.map(({ fields }) => fields[0]?.value);
      expect(values.sort()).toEqual([SSN, "Ann", "before"].sort());
    });
  }

  it("that fails before the first key is made leaves no key, and the next post makes it", async () => {
    const { state, hooks } = service();
    const { b, id } = await privateForm(undefined, { encryption: hooks, logger: quiet() });
    state.fault = () => Promise.reject(new Error("down"));
    expect((await b.post(id, { ssn: SSN }, json)).status).toBe(503);
    state.fault = null;
    expect((await b.post(id, { ssn: SSN }, json)).status).toBe(200);
    expect((await b.submissions.list(id)).data).toHaveLength(1);
  });

  it("whose unwrap gives back something else seals nothing", async () => {
    const log: string[] = [];
    const wrong: EncryptionOptions = { wrap: async (key) => key, unwrap: async () => new Uint8Array(32) };
    const { b, id } = await privateForm(undefined, { encryption: wrong, logger: quiet(log) });
    expect((await b.post(id, { ssn: SSN }, json)).status).toBe(503);
    expect(log.join("\n")).toContain("`unwrap` does not return the original input of `wrap`");
  });

  it("that fails while a mail or webhook shows a value is tried again with it", async () => {
    const { state, hooks } = service();
    const storage = memoryStorage();
    const options = { encryption: hooks, logger: quiet(), storage };
    const { b, id } = await privateForm({ store: "encrypt", webhook: "show" }, options);
    await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
    await b.submit(id, { fields: { ssn: SSN } });
    const clock = b.clock;
    const worker = harness({ ...options, clock: { now: clock.now, setTimer: () => () => {} } as never });
    state.fault = () => Promise.reject(new Error("down"));
    await worker.tick();
    expect(worker.webhookCalls).toHaveLength(0);
    state.fault = null;
    await b.clock.advance(3_600_000);
    expect(b.webhookCalls[0]?.body).toContain(SSN);
  });
});

describe("keys of the host's", () => {
  it("that are older open what they wrapped; a key is wrapped anew by the first, so that the older one can go", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage });
    await b.submit(id, { fields: { ssn: SSN } });
    const read = async (keys: { id: string; key: string }[], log: string[] = []) =>
      (await harness({ storage, encryption: { keys }, logger: quiet(log) }).submissions.list(id)).data[0]?.fields[0]
        ?.value;
    const [old, fresh] = [encryption.keys[0] as { id: string; key: string }, { id: "k2", key: OTHER }];
    expect(await read([old, fresh])).toBe(SSN);
    expect((await markRows(storage, id))?.value["by"]).toBe("k1");
    expect(await read([fresh, old])).toBe(SSN);
    expect((await markRows(storage, id))?.value["by"]).toBe("k2");
    expect(await read([fresh])).toBe(SSN);
    const log: string[] = [];
    await expect(read([old], log)).rejects.toMatchObject({ code: "unavailable" });
    expect(log.join("\n")).toContain('under the key "k2", which `keys` does not have');
    await expect(read([{ id: "k2", key: KEY }])).rejects.toMatchObject({ code: "unavailable" });
  });

  it("taken away leave submissions unread with a 503 and lose no post", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage });
    await b.submit(id, { fields: { ssn: SSN } });
    const log: string[] = [];
    const without = harness({ storage, logger: quiet(log) });
    expect((await without.post(id, { ssn: "new" }, json)).status).toBe(503);
    await expect(without.submissions.list(id)).rejects.toMatchObject({ code: "unavailable" });
    expect(log.join("\n")).toContain("option `encryption`");
    expect((await b.submissions.list(id)).data).toHaveLength(1);
  });
});

describe("another `secret`", () => {
  it("at the head of the list opens what was encrypted, and finds a person by the hash of before", async () => {
    const storage = memoryStorage();
    const [old, fresh] = ["an old secret that is long enough to be one", "a new secret that is long enough to be one"];
    const { b, id } = await privateForm(undefined, { storage, secret: old });
    await b.forms.update(id, { settings: { fields: { mail: { store: "hash" } } } });
    const made = await b.submit(id, { fields: { ssn: SSN, mail: "ann@private.example" } });
    const rotated = harness({ storage, encryption, secret: [fresh, old] });
    expect((await rotated.submissions.get(id, made.id)).fields[0]?.value).toBe(SSN);
    const { json: found } = await rotated.call("POST", "/v1/data-subjects/export", {
      body: { email: "ann@private.example" },
    });
    expect(found.data).toHaveLength(1);
  });
});

describe("what is sealed", () => {
  it("opens at its own place only: not in another submission, field or form", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage });
    const ids: string[] = [];
    for (const ssn of ["first", "second"]) ids.push((await b.submit(id, { fields: { ssn, note: "" } })).id);
    const [one, two] = ids as [string, string];
    const rows = await storage.get("submissions", ids);
    const [first, second] = [rows.get(one), rows.get(two)];
    const put = (value: object) =>
      storage.commit([{ op: "put", collection: "submissions", id: two, value: { ...second?.value, ...value } }]);
    const seen = async () => (await b.submissions.get(id, two)).fields;
    await put({ protected: first?.value["protected"] });
    expect(await seen()).toEqual([
      { key: "ssn", value: UNREADABLE },
      { key: "note", value: "" },
    ]);
    const kept = second?.value["protected"] as { values: object[] };
    await put({ protected: { ...kept, values: [{ ...kept.values[0], at: 1 }] } });
    expect((await seen())[1]).toEqual({ key: "note", value: UNREADABLE });
    await put({ protected: { ...kept, values: [{ at: 0, sealed: "x" }] } });
    expect((await seen())[0]).toEqual({ key: "ssn", value: UNREADABLE });
    await put({ protected: kept });
    expect((await seen())[0]).toEqual({ key: "ssn", value: "second" });
  });

  it("is another text for the same value each time", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage });
    const sealed = new Set<unknown>();
    for (let i = 0; i < 3; i++) {
      const made = await b.submit(id, { fields: { ssn: SSN } });
      const row = (await storage.get("submissions", [made.id])).get(made.id);
      const kept = row?.value["protected"] as { values: { sealed: string }[] } | undefined;
      sealed.add(kept?.values[0]?.sealed);
    }
    expect(sealed.size).toBe(3);
  });

  it("can't be posted: text that looks like it stays text", async () => {
    const { b, id } = await privateForm({});
    const fields = { protected: "x", ssn: UNREADABLE, sealed: JSON.stringify({ at: 0, sealed: "AAAA" }) };
    const { id: made } = await b.submit(id, { fields });
    expect((await b.submissions.get(id, made)).fields).toEqual(
      Object.entries(fields).map(([key, value]) => ({ key, value })),
    );
  });
});

describe("shredding", () => {
  it("makes what was encrypted unreadable everywhere, which reads say, and what comes later is under a new key", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm({ store: "encrypt", export: "show", webhook: "show" }, { storage });
    await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
    const before = await b.submit(id, { fields: { ssn: SSN, name: "Ann" } });
    const other = harness({ storage, encryption });
    expect((await other.submissions.get(id, before.id)).fields[0]?.value).toBe(SSN);
    expect(await b.forms.shred(id)).toEqual({ id, shredded: true });
    expect(await b.forms.shred(id)).toEqual({ id, shredded: true });

    const fields = [
      { key: "ssn", value: UNREADABLE },
      { key: "name", value: "Ann" },
    ];
    const path = `/v1/forms/${id}/submissions`;
    expect((await b.call("GET", `${path}/${before.id}`)).json.fields).toEqual(fields);
    expect((await b.call("GET", path)).json.data[0].fields).toEqual(fields);
    expect((await b.call("GET", `${path}/export?format=json`)).json[0].fields).toEqual(fields);
    const { status, json: export_ } = await b.call("POST", "/v1/data-subjects/export", {
      body: { email: "a@b.example" },
    });
    expect([status, export_.data]).toEqual([200, []]);
    await b.tick();
    expect(b.webhookCalls[0]?.body).toContain(UNREADABLE);

    const after = await b.submit(id, { fields: { ssn: "later" } });
    expect((await b.submissions.get(id, after.id)).fields[0]?.value).toBe("later");
    expect((await b.submissions.get(id, before.id)).fields).toEqual(fields);
    // Another process notices within 2 s, and knows a new key at once.
    expect((await other.submissions.get(id, after.id)).fields[0]?.value).toBe("later");
    await other.clock.advance(2_000);
    expect((await other.submissions.get(id, before.id)).fields).toEqual(fields);
    expect((await other.submissions.get(id, after.id)).fields[0]?.value).toBe("later");
  });

  it("is noticed after 2 s by a process that read the key just before", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm({ store: "encrypt", export: "show" }, { storage });
    const { id: made } = await b.submit(id, { fields: { ssn: SSN } });
    const other = harness({ storage, encryption });
    const seen = async () => (await other.submissions.get(id, made)).fields[0]?.value;
    expect(await seen()).toBe(SSN);
    await b.forms.shred(id);
    await other.clock.advance(1_999);
    expect(await seen()).toBe(SSN);
    await other.clock.advance(1);
    expect(await seen()).toBe(UNREADABLE);
  });

  it("works for a deleted form, and says where there is none", async () => {
    const { b, id } = await privateForm();
    const { id: made } = await b.submit(id, { fields: { ssn: SSN } });
    await b.forms.delete(id);
    expect((await b.submissions.get(id, made)).fields[0]?.value).toBe(SSN);
    await b.forms.shred(id);
    expect((await b.submissions.get(id, made)).fields[0]?.value).toBe(UNREADABLE);
    await expect(b.forms.shred("nowhere")).rejects.toMatchObject({ code: "form_not_found" });
  });

  it("happens by itself once retention has removed the last submission of a deleted form", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage }, { storage: { keep_for: "30_days" } });
    await b.submit(id, { fields: { ssn: SSN } });
    await b.forms.delete(id);
    await b.sweep();
    expect(await markRows(storage, id)).toBeDefined();
    for (let day = 0; day < 33; day++) {
      await b.clock.advance(24 * 3_600_000);
      await b.sweep();
    }
    expect(await markRows(storage, id)).toBeUndefined();
  });

  it("happens by itself, too, after the last submission of a deleted form that keeps them forever", async () => {
    const storage = memoryStorage();
    const { b, id } = await privateForm(undefined, { storage });
    const { id: made } = await b.submit(id, { fields: { ssn: SSN } });
    await b.forms.delete(id);
    for (let day = 0; day < 3; day++) {
      await b.sweep();
      expect(await markRows(storage, id)).toBeDefined();
      await b.clock.advance(24 * 3_600_000 + 1);
    }
    await b.submissions.delete(id, made);
    await b.sweep();
    expect(await markRows(storage, id)).toBeUndefined();
  });

  it("leaves the wrapped key in no byte of SQLite's file and journal", async () => {
    const { readdirSync, readFileSync } = await import("node:fs");
    const folder = temporaryDirectory();
    const { b, id } = await privateForm(undefined, { storage: sqliteStorage({ path: `${folder}/forms.db` }) });
    const bytes = () => readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "latin1"));
    await b.submit(id, { fields: { ssn: SSN } });
    const [, wrapped = "none"] = /"wrapped":"([\w.-]+)"/.exec(bytes().join("\n")) ?? [];
    expect(wrapped).toMatch(/^eyJ/);
    await b.forms.shred(id);
    for (const file of bytes()) expect(file).not.toContain(wrapped);
    await b.close();
  });
});

/** Lets the fake clock of a call that hangs go on, a second at a time, for no longer than the bound. */
async function inTime<T>(call: () => Promise<T>): Promise<T> {
  let done = false;
  const answer = call().finally(() => {
    done = true;
  });
  for (let second = 0; vi.isFakeTimers() && !done && second < 6; ) {
    await new Promise(setImmediate);
    // The call may still load a module before it waits.
    if (vi.getTimerCount() === 0) continue;
    await vi.advanceTimersByTimeAsync(1_000);
    second++;
  }
  return answer;
}
