import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const DAY = 24 * 60 * 60_000;
const person = (id: string) => ({ role: "editor" as const, id, name: id });

async function world() {
  const backend = inboxHarness();
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
    expect(await isUnread("cy")).toBe(false);
    await open("cy");
    expect(await readers()).toEqual(["ann", "bo"]);
  });
});
