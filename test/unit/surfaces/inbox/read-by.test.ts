import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { inboxHarness } from "./_inbox.ts";

const DAY = 24 * 60 * 60_000;
const person = (id: string) => ({ role: "editor" as const, id, name: id });

async function world(storage = memoryStorage()) {
  const backend = inboxHarness({}, { storage });
  const { id: form } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
  const { json } = await backend.post(form, { email: "ann@example.com", message: "Hello" });
  const id: string = json.submission_id;
  const isUnread = async (who: string): Promise<boolean> => {
    const { text } = await backend.as(person(who)).get(`/f/${form}`);
    return new RegExp(`id="s-${id}" class="unread"`).test(text);
  };
  const readers = async () => (await backend.submissions.get(form, id)).read_by;
  return {
    backend,
    form,
    id,
    isUnread,
    readers,
    open: (who: string) => backend.as(person(who)).get(`/f/${form}/s/${id}`),
  };
}

describe("a submission in the inbox", () => {
  it("is unread for each person until that person has opened it; the API says that somebody has", async () => {
    const { backend, form, id, isUnread, readers, open } = await world();
    expect([await isUnread("ann"), await isUnread("bo")]).toEqual([true, true]);
    await open("ann");
    expect([await isUnread("ann"), await isUnread("bo")]).toEqual([false, true]);
    expect((await backend.call("GET", `/v1/forms/${form}/submissions/${id}`)).json.read).toBe(true);
    const { updated_at } = await backend.submissions.get(form, id).then((one) => one as { updated_at?: string });
    await open("bo");
    await open("bo");
    expect(await isUnread("bo")).toBe(false);
    expect(await readers()).toEqual(["ann", "bo"]);
    // Who read it is no change of the submission.
    expect((await backend.submissions.get(form, id)) as { updated_at?: string }).toMatchObject({
      ...(updated_at && { updated_at }),
    });
  });

  it("is unread for everybody again when somebody says so, and read for everybody when a program does", async () => {
    const { backend, form, id, isUnread, readers, open } = await world();
    await open("ann");
    await backend.as(person("ann")).post(`/f/${form}/s/${id}`, { action: "mark_unread" });
    expect([await isUnread("ann"), await isUnread("bo"), await readers()]).toEqual([true, true, []]);
    await backend.call("PATCH", `/v1/forms/${form}/submissions/${id}`, { body: { read: true } });
    expect([await isUnread("ann"), await isUnread("bo"), await readers()]).toEqual([false, false, []]);
  });

  it("tells people apart for 90 days, in selections as well", async () => {
    const { backend, form, id, isUnread, readers, open } = await world();
    await open("ann");
    await backend.as(person("bo")).post(`/f/${form}/bulk`, { action: "mark_read", ids: id });
    expect([await isUnread("bo"), await isUnread("cy"), await readers()]).toEqual([false, true, ["ann", "bo"]]);
    await backend.clock.advance(91 * DAY);
    await backend.sweep();
    expect([await isUnread("cy"), await readers()]).toEqual([false, []]);
    await open("cy");
    expect(await readers()).toEqual([]);
  });
});

describe("the numbers of the side bar", () => {
  const numbers = async (storage = memoryStorage()) => {
    const { backend, form, id, isUnread, open } = await world(storage);
    const { json } = await backend.post(form, { email: "bea@example.com", message: "And I" });
    const unreadOf = async (who: object, path = `/f/${form}`): Promise<number> => {
      const { text } = await backend.as(who).get(path);
      const side = text.slice(text.indexOf('class="side"'), text.indexOf("<main"));
      return Number(/<span aria-hidden="true">(\d+)</.exec(side)?.[1] ?? 0);
    };
    const both = async () => [await unreadOf(person("ann")), await unreadOf(person("bo"))];
    return { backend, form, ids: [id, json.submission_id as string], isUnread, open, unreadOf, both };
  };

  it("are those of the person who looks, and say the same as the lines, right after each act", async () => {
    const { backend, form, ids, isUnread, open, both } = await numbers();
    expect(await both()).toEqual([2, 2]);
    // The page that marks it counts it already.
    expect((await open("ann")).text).toContain('<span aria-hidden="true">1</span>');
    expect(await both()).toEqual([1, 2]);
    expect([await isUnread("ann"), await isUnread("bo")]).toEqual([false, true]);
    await open("bo");
    await open("bo");
    expect(await both()).toEqual([1, 1]);
    const act = (who: string, action: string) => backend.as(person(who)).post(`/f/${form}/bulk`, { action, ids });
    await act("ann", "mark_read");
    expect(await both()).toEqual([0, 1]);
    await act("bo", "mark_spam");
    expect(await both()).toEqual([0, 0]);
    await act("bo", "mark_not_spam");
    expect(await both()).toEqual([0, 1]);
    await act("bo", "delete");
    expect(await both()).toEqual([0, 0]);
    await act("bo", "restore");
    expect(await both()).toEqual([0, 1]);
    await act("bo", "mark_unread");
    expect(await both()).toEqual([2, 2]);
  });

  it("are the team's for programs and for a person who may mark nothing, as the lines are", async () => {
    const { backend, form, open, unreadOf } = await numbers();
    await open("ann");
    const viewer = { role: "viewer" as const, id: "vi", name: "Vi" };
    expect(await unreadOf(viewer)).toBe(1);
    const { text } = await backend.as(viewer).get(`/f/${form}`);
    expect(text.match(/class="unread"/g)).toHaveLength(1);
    expect((await backend.forms.overview({})).data[0]?.unread).toBe(1);
  });

  it("do not change when names grow too old without a sweep, and count them as read after it", async () => {
    const { backend, form, isUnread, open, both } = await numbers();
    await open("ann");
    await backend.clock.advance(91 * DAY);
    expect([await isUnread("bo"), (await both())[1]]).toEqual([true, 2]);
    await backend.sweep();
    expect([await isUnread("bo"), await both()]).toEqual([false, [1, 1]]);
    // Nothing is left to count of it.
    expect((await backend.submissions.list(form, {})).data.flatMap(({ read_by }) => read_by)).toEqual([]);
  });

  it("read counters only, however many submissions there are", async () => {
    const memory = memoryStorage();
    const read: string[] = [];
    const noted = <T extends "page" | "count" | "get">(name: T): StorageDriver[T] =>
      ((collection: string, ...rest: never[]) => {
        read.push(collection);
        return (memory[name] as (...all: unknown[]) => unknown)(collection, ...rest);
      }) as StorageDriver[T];
    const { backend, open } = await numbers({
      ...memory,
      page: noted("page"),
      count: noted("count"),
      get: noted("get"),
    });
    await open("ann");
    read.length = 0;
    await backend.as(person("bo")).get("/shortcuts");
    expect(read).toContain("counters");
    expect(read).not.toContain("submissions");
  });
});
