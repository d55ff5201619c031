import { describe, expect, it } from "vitest";
import { inboxHarness, type Page, type Visitor } from "./_inbox.ts";
import { undoFormOf } from "./_undo.ts";

const HOUR = 60 * 60_000;

async function world() {
  const backend = inboxHarness();
  const { id: form } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await backend.submit(form, { fields: { message: `Hello ${i}` } })).id);
  const ann = backend.as({});
  const followed = async (visitor: Visitor, page: Page): Promise<Page> =>
    page.status === 303 ? visitor.get(page.headers.get("location") ?? "") : page;
  const post = async (path: string, body: Record<string, string | string[]>) =>
    followed(ann, await ann.post(path, body));
  const undone = async (page: Page): Promise<Page> => {
    const undo = undoFormOf(page);
    if (!undo) throw new Error("nothing to take back");
    return post(undo.at, undo.body);
  };
  const stateOf = async (id = ids[0] ?? "") => {
    const { data } = await backend.submissions.list(form, { status: "all" });
    const { spam, read, work } = data.find((one) => one.id === id) ?? {};
    return work && { spam, read, ...work };
  };
  return { backend, form, ids, ann, post, undone, stateOf, item: `/f/${form}/s/${ids[0]}` };
}

describe("an act on a submission", () => {
  it.each([
    ["assign", { assignee: JSON.stringify({ id: "bo", name: "Bo" }) }],
    ["label", { label: "Käse & Co" }],
    ["snooze", { until: "week" }],
    ["done", {}],
    ["mark_spam", {}],
    ["delete", {}],
  ])("%s is taken back by one form, which works without a script, and leads back to it", async (action, more) => {
    const { ann, post, undone, stateOf, item } = await world();
    await ann.get(item);
    const before = await stateOf();
    const acted = await post(item, { action, ...more });
    expect(await stateOf()).not.toEqual(before);
    expect(acted.text).toMatch(/<div class="toast" role="status">/);
    const back = await undone(acted);
    expect(await stateOf()).toEqual(before);
    expect(back.text).toContain(`<article class="item" data-submission-id="${item.split("/").at(-1)}"`);
    // What is taken back is not taken back once more.
    expect(undoFormOf(back)).toBeNull();
  });

  it("gives back the person, the time and the state from before", async () => {
    const { backend, post, undone, stateOf, item } = await world();
    await post(item, { action: "assign", assignee: JSON.stringify({ id: "cy", name: "Cy “the” <b>" }) });
    await post(item, { action: "snooze", until: "hours" });
    const before = await stateOf();
    await undone(await post(item, { action: "assign", assignee: "none" }));
    await undone(await post(item, { action: "snooze", until: "week" }));
    await undone(await post(item, { action: "done" }));
    expect(await stateOf()).toEqual(before);
    const late = await post(item, { action: "done" });
    await backend.clock.advance(4 * HOUR);
    // Its time has come meanwhile, so that it is open again.
    await undone(late);
    expect(await stateOf()).toMatchObject({ state: "open", snoozed_until: null });
    await post(item, { action: "done" });
    await undone(await post(item, { action: "snooze", until: "week" }));
    expect(await stateOf()).toMatchObject({ state: "done", snoozed_until: null });
    await undone(await post(item, { action: "reopen" }));
    expect(await stateOf()).toMatchObject({ state: "done" });
  });

  it("that changed nothing offers no undo, such as a label that was there before", async () => {
    const { post, stateOf, item } = await world();
    await post(item, { action: "label", label: "urgent" });
    const again = await post(item, { action: "label", label: "urgent" });
    expect([undoFormOf(again), (await stateOf())?.labels]).toEqual([null, ["urgent"]]);
  });
});

describe("an act on a selection", () => {
  it("is taken back for those that it changed, and for no other, in the list with its search", async () => {
    const { form, ids, post, undone, stateOf } = await world();
    await post(`/f/${form}/bulk`, { action: "done", ids: ids[1] ?? "" });
    const acted = await post(`/f/${form}/bulk?words=Hello`, { action: "done", ids });
    const back = await undone(acted);
    expect(back.text).toContain('value="Hello"');
    expect([(await stateOf(ids[0]))?.state, (await stateOf(ids[1]))?.state]).toEqual(["open", "done"]);
  });

  it("snoozes what was snoozed once more, until the same time, and opens what has returned meanwhile", async () => {
    const { backend, form, ids, post, undone, stateOf, item } = await world();
    const all = `/f/${form}/bulk`;
    await post(item, { action: "snooze", until: "week" });
    await post(`/f/${form}/s/${ids[1]}`, { action: "snooze", until: "hours" });
    const states = () => Promise.all(ids.map((id) => stateOf(id)));
    const before = await states();
    await undone(await post(all, { action: "done", ids }));
    expect(await states()).toEqual(before);
    await undone(await post("/all/bulk", { action: "reopen", ids }));
    expect(await states()).toEqual(before);
    await undone(await post(item, { action: "reopen" }));
    expect(await states()).toEqual(before);
    const late = await post(all, { action: "done", ids });
    await backend.clock.advance(4 * HOUR);
    await undone(late);
    const [week, hours] = await states();
    expect(week).toEqual(before[0]);
    expect(hours).toMatchObject({ state: "open", snoozed_until: null });
    const made = { action: "reopen", undo: "1", ids, snoozed: [`${ids[0]}_-1`, "x_zz", `${ids[2]}_!`] };
    expect((await post(all, made)).status).toBe(200);
    expect((await stateOf(ids[2]))?.snoozed_until).toBeNull();
  });

  it("over all forms needs no question where there is a trash, and is taken back as well", async () => {
    const { backend, form, ids, post, undone, stateOf } = await world();
    const other = await backend.forms.create({ name: "Other" });
    const { id } = await backend.submit(other.id, { fields: { message: "There" } });
    const acted = await post("/all/bulk", { action: "delete", ids: [...ids, id] });
    expect(acted.text).toContain("4 deleted");
    expect((await backend.submissions.list(form, {})).data).toEqual([]);
    const back = await undone(acted);
    expect(back.text).toContain("4 restored");
    expect((await stateOf())?.state).toBe("open");
    expect((await backend.submissions.list(other.id, {})).data).toHaveLength(1);
    await undone(await post("/all/bulk", { action: "mark_spam", ids }));
    expect((await stateOf())?.spam).toBe(false);
  });

  it("leaves what somebody else has done since, and says so", async () => {
    const { backend, form, ids, ann, post, undone, stateOf, item } = await world();
    const bo = backend.as({ id: "bo", name: "Bo" });
    const assign = (id: string) => ({ action: "assign", assignee: JSON.stringify({ id, name: id }) });
    const [, second = "", third = ""] = ids;
    const later = () => backend.clock.advance(1_000);
    const acts: (readonly [own: Record<string, string>, ...others: Record<string, string>[]])[] = [
      [assign("bo"), assign("dee")],
      [{ action: "done" }, { action: "snooze", until: "week" }],
      [{ action: "mark_spam" }, { action: "mark_not_spam" }, { action: "mark_spam" }],
    ];
    for (const [own, ...others] of acts) {
      const acted = await post(item, own);
      await later();
      for (const other of others) await bo.post(item, other);
      const before = await stateOf();
      expect((await undone(acted)).text, own["action"]).toContain("Nothing had to be changed.");
      expect(await stateOf()).toEqual(before);
      await later();
    }
    await post(item, { action: "mark_not_spam" });
    // Another label and another kind of act are no matter.
    const labelled = await post(item, { action: "label", label: "urgent" });
    await later();
    await bo.post(item, { action: "label", label: "later" });
    await bo.post(item, { action: "done" });
    await undone(labelled);
    expect(await stateOf()).toMatchObject({ labels: ["later"], state: "done" });
    for (const path of [`/f/${form}/bulk`, "/all/bulk"]) {
      const acted = await post(path, { action: "done", ids: [second, third] });
      expect(acted.text).toContain("2 done");
      await later();
      for (const action of ["reopen", "done"]) await bo.post(`/f/${form}/s/${second}`, { action });
      expect((await undone(acted)).text).toContain("1 open again");
      expect([(await stateOf(second))?.state, (await stateOf(third))?.state]).toEqual(["done", "open"]);
      await ann.post(`/f/${form}/s/${second}`, { action: "reopen" });
      await later();
    }
  });

  it("does nothing for somebody who was handed the cookie of another team", async () => {
    const { backend, form, ids } = await world();
    const eve = backend.as({ id: "eve", team_ids: ["elsewhere"] });
    const page = await eve.post(`/f/${form}/bulk`, { action: "done", undo: "1", ids });
    expect(page.status).toBe(404);
    expect((await backend.submissions.list(form, { state: "done" })).data).toEqual([]);
  });

  it("says nothing where a cookie was made up", async () => {
    const { form, ann } = await world();
    for (const cookie of ["done.1.~~~", "done.1.x~constructor~~y", `done.1.${"a".repeat(4000)}`, "constructor.1"]) {
      ann.jar.set("form-backend-done", cookie);
      const { status, text } = await ann.get(`/f/${form}`);
      expect([status, text.includes('class="undo"')]).toEqual([200, false]);
    }
  });
});
