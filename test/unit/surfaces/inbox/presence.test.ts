import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { StaleWriteError, type StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { MOST, MOST_OF_PERSON } from "../../../../src/features/presence/service.ts";
import de from "../../../../src/texts/locales/de.ts";
import { person, presenceCases, SECOND, saidBy, twoProcesses } from "../../../_support/presence-cases.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { inboxHarness } from "./_inbox.ts";

const ROW = "presence:default";
const inMemory = () => {
  const storage = memoryStorage();
  return () => storage;
};

describe("in memory", () => presenceCases(inMemory));
describe("in SQLite", () =>
  presenceCases(() => {
    const path = join(temporaryDirectory(), "presence.db");
    return () => sqliteStorage({ path });
  }));

describe("presence", () => {
  it("is grouped by what people do, in the language of the reader, each name in its own direction", async () => {
    const { one, open, poll, form, id } = await twoProcesses(inMemory());
    for (const name of ["Anna", "Ben", "מירי"]) await open(one, person(name));
    await poll(one, person("Ben"), "answers");
    const seen = await one.as(person("Zoe", { locale: "de" })).get(`/f/${form}/s/${id}`);
    expect(saidBy(seen.text)).toBe("Ben is writing an answer · Anna and \u2068מירי\u2069 are looking at this");
    const german = inboxHarness({}, { locales: [de] });
    const { id: contact } = await german.forms.create({ name: "Kontakt" });
    const { id: sent } = await german.submit(contact, { fields: { email: "cy@example.com" } });
    for (const name of ["Anna", "Ben"]) await german.as(person(name)).get(`/f/${contact}/s/${sent}`);
    const read = await german.as(person("Zoe", { locale: "de" })).get(`/f/${contact}/s/${sent}`);
    expect(saidBy(read.text)).toBe("Anna und Ben sehen sich das gerade an");
  });

  it("shows names as text, cut and without marks of direction", async () => {
    const { one, open, poll, form } = await twoProcesses(inMemory());
    const name = `<img src=x onerror=alert(1)>"'\u202e\u2066\n${"z".repeat(150)}`;
    await open(one, person(name, { id: "evil" }));
    const text = await open(one, person("Ben"));
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(text).not.toMatch(/[\u202e\u2066\n]|<img/);
    expect(text.length).toBeLessThan(150);
    expect(await poll(one, person("Ben"))).toContain("<img src=x onerror=alert(1)>");
    const list = (await one.as(person("Ben")).get(`/f/${form}`)).text;
    expect(list).toMatch(/class="there" role="img" title="&lt;img src=x [^"<>]*" aria-label="&lt;img [^"<>]*">&lt;</);
    // A name of marks alone.
    await open(one, person("\u202e", { id: "marks" }));
    expect(await open(one, person("Ben"))).toContain("marks");
  });

  it("marks the lines of a list, and its poll", async () => {
    const { one, open, poll, form, id, submit } = await twoProcesses(inMemory());
    const other = await submit();
    await open(one, person("anna"));
    await poll(one, person("anna"), "answers");
    const { text } = await one.as(person("Ben")).get(`/f/${form}`);
    const lines = text.split("<tr data-submission-id=").slice(1);
    const mark =
      '<span class="there" role="img" title="anna is writing an answer" aria-label="anna is writing an answer">A</span>';
    expect(lines.map((line) => [line.slice(1, 25), line.includes(mark)])).toEqual([
      [other, false],
      [id, true],
    ]);
    const polled = await one.as(person("Ben")).get(`/poll?form=${form}`);
    expect(JSON.parse(polled.text).there).toEqual({ [id]: { says: "anna is writing an answer", letter: "A" } });
    // Not for oneself.
    expect((await one.as(person("anna")).get(`/f/${form}`)).text).not.toContain('class="there"');
  });

  it("leaves a submission with the person, and stays where another window of theirs is", async () => {
    const { one, open, poll, submit, id } = await twoProcesses(inMemory());
    const other = await submit();
    const [anna, ben] = [person("Anna"), person("Ben")];
    await open(one, anna);
    await open(one, anna, other);
    expect([await open(one, ben), await open(one, ben, other)]).toEqual(["", "Anna is looking at this"]);
    // An answer that is being written in another window is not forgotten for a look elsewhere.
    await poll(one, anna, "answers");
    await open(one, anna, other);
    expect([await open(one, ben), await open(one, ben, other)]).toEqual([
      "Anna is writing an answer",
      "Anna is looking at this",
    ]);
    await open(one, anna, id);
    expect(await open(one, ben)).toBe("Anna is looking at this");
  });

  it("is one small row for a team, whatever people ask for", async () => {
    const { one, open, poll, row, form } = await twoProcesses(inMemory());
    const mallory = person("Mallory");
    for (let i = 0; i < 10; i++) await poll(one, mallory, "answers", `made-up-${i}`);
    expect((await row())?.value.there).toHaveLength(MOST_OF_PERSON);
    for (let i = 0; i < MOST + 5; i++) await poll(one, person(`Person ${i}`));
    expect((await row())?.value.there).toHaveLength(MOST);
    await poll(one, person("Long"), "looks", "x".repeat(65));
    await poll(one, person("Long"), "dances");
    expect((await row())?.value.there.some(({ name }) => name === "Long")).toBe(false);
    expect(await open(one, person("Ben"))).toContain(" others are looking at this");
    expect((await one.as(person("Ben")).get(`/f/${form}`)).status).toBe(200);
  });

  it("writes nothing while nothing is new: one row each 30 seconds for a person alone", async () => {
    const { one, open, poll, row } = await twoProcesses(inMemory());
    const anna = person("Anna");
    await open(one, anna);
    const versions = new Set<number>();
    for (let second = 0; second <= 120; second += 15) {
      await poll(one, anna);
      versions.add((await row())?.version ?? 0);
      await one.clock.advance(15 * SECOND);
    }
    expect(versions.size).toBe(5);
  });

  it("is neither seen nor said by somebody without the form, nor on a page loaded in advance", async () => {
    const { one, open, poll, form, id, row } = await twoProcesses(inMemory());
    const { id: theirs } = await one.forms.create({ name: "Theirs" });
    await open(one, person("Anna"));
    const stranger = one.as(person("Sly", { form_ids: [theirs] }));
    expect((await stranger.get(`/f/${form}/s/${id}`)).status).toBe(403);
    const polled = await stranger.get(`/poll?of=${form}&item=${id}&doing=answers`);
    expect([polled.status, JSON.parse(polled.text).there]).toEqual([200, {}]);
    // By a form of their own, of a submission that is not there.
    await stranger.get(`/poll?of=${theirs}&item=${id}&doing=answers`);
    const other = one.as(person("Oz", { team_ids: ["other"] }));
    await other.get(`/poll?of=${form}&item=${id}&doing=answers`);
    for (const headers of [{ "sec-purpose": "prefetch" }, { "sec-fetch-site": "cross-site" }]) {
      await one.as(person("Robot")).get(`/f/${form}/s/${id}`, headers);
      await one.as(person("Robot")).get(`/poll?of=${form}&item=${id}&doing=answers`, headers);
    }
    expect(await poll(one, person("Ben"), "")).toBe("Anna is looking at this");
    expect((await row())?.value.there.map(({ name }) => name).sort()).toEqual(["Anna", "Sly"]);
    // Somebody who may not write only looks.
    const viewer = person("Vi", { role: "viewer" });
    await open(one, viewer);
    await poll(one, viewer, "answers");
    expect(await poll(one, person("Ben"), "")).toBe("Anna and Vi are looking at this");
  });

  it("can be hidden, and is not kept of a form that is gone", async () => {
    const hidden = await twoProcesses(inMemory(), { hide: ["presence"] });
    await hidden.open(hidden.one, person("Anna"));
    expect(await hidden.open(hidden.one, person("Ben"))).toBe("");
    expect(await hidden.row()).toBeUndefined();
    const { one, open, form, id, row } = await twoProcesses(inMemory());
    await one.submissions.delete(form, id, { trash: true });
    await open(one, person("Anna"));
    expect(await row()).toBeUndefined();
    await one.forms.delete(form);
    const polled = await one.as(person("Anna")).get(`/poll?of=${form}&item=${id}&doing=looks`);
    expect([polled.status, JSON.parse(polled.text).there]).toEqual([200, {}]);
  });

  it("stops no page of a store that takes no writes", async () => {
    const storage = memoryStorage();
    let full = false;
    const refuses: StorageDriver["commit"] = async (writes) => {
      if (full && writes.some(({ id }) => id === ROW)) throw new Error("disk full");
      return storage.commit(writes);
    };
    const { one, open } = await twoProcesses(() => ({ ...storage, commit: refuses }));
    await open(one, person("Anna"));
    full = true;
    expect(await open(one, person("Ben"))).toBe("Anna is looking at this");
  });

  it("is not lost to another writer", async () => {
    const storage = memoryStorage();
    let refusals = 3;
    const contended: StorageDriver["commit"] = async (writes) => {
      if (writes.some(({ id }) => id === ROW) && refusals-- > 0) throw new StaleWriteError("marks", ROW);
      return storage.commit(writes);
    };
    const { one, open } = await twoProcesses(() => ({ ...storage, commit: contended }));
    await open(one, person("Anna"));
    expect(await open(one, person("Ben"))).toBe("Anna is looking at this");
  });
});
