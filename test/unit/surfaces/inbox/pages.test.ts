import { describe, expect, it } from "vitest";
import type { InboxAction } from "../../../../src/index.ts";
import { inboxHarness, type Visitor } from "./_inbox.ts";

const base = "http://localhost:3000/forms/inbox";
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr data-submission-id="(\w+)"/g)].map(([, id = ""]) => id);

async function withSubmissions(
  n: number,
  fields: (i: number) => Record<string, string> = (i) => ({ message: `number ${i}` }),
) {
  const backend = inboxHarness({}, { rateLimit: false });
  const form = await backend.forms.create({ name: "Contact" });
  const ids: string[] = [];
  for (let i = 0; i < n; i++) {
    ids.push((await backend.submit(form.id, { fields: fields(i) })).id);
    await backend.clock.advance(1_000);
  }
  return { backend, form, ids, at: `/f/${form.id}`, ann: backend.as({}) };
}

/** Follows a redirect with the cookies that came. */
const followed = async (visitor: Visitor, answer: { headers: Headers }) =>
  visitor.get(answer.headers.get("location") ?? "");

describe("a list", () => {
  it("pages by cursor, forth and back", async () => {
    const { ann, at, ids } = await withSubmissions(12);
    const first = await ann.get(`${at}?limit=5`);
    expect(rowsOf(first.text)).toEqual(ids.slice(7).reverse());
    const link = (text: string, rel: string) =>
      new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await ann.get(link(first.text, "next"));
    expect(rowsOf(second.text)).toEqual(ids.slice(2, 7).reverse());
    const third = await ann.get(link(second.text, "next"));
    expect(rowsOf(third.text)).toEqual(ids.slice(0, 2).reverse());
    expect(link(third.text, "next")).toBe("");
    const back = await ann.get(link(third.text, "prev"));
    expect(rowsOf(back.text)).toEqual(rowsOf(second.text));
    expect(rowsOf((await ann.get(link(back.text, "prev"))).text)).toEqual(rowsOf(first.text));
  });

  it("searches with the parameters of the API, which stay in the address", async () => {
    const { ann, at, ids } = await withSubmissions(3, (i) => ({
      city: ["Rome", "Oslo", "Rome"][i] ?? "",
      text: "hello",
    }));
    const found = await ann.get(`${at}?q=hello&field[city][eq]=Rome&read=false`);
    expect(rowsOf(found.text)).toEqual([ids[2], ids[0]]);
    expect(found.text).toContain("city is ");
    const tidy = await ann.get(`${at}?q=&read=&country=&filter_field=city&filter_op=eq&filter_value=Oslo`);
    expect(tidy.headers.get("location")).toBe(`${base}${at}?field%5Bcity%5D%5Beq%5D=Oslo`);
    expect(rowsOf((await followed(ann, tidy)).text)).toEqual([ids[1]]);
    expect((await ann.get(`${at}?created_after=2026-01-01&created_before=2025-01-01`)).text).toContain(
      "Nothing matches",
    );
  });

  it("says what is wrong with an address", async () => {
    const { ann, at } = await withSubmissions(1);
    for (const query of [
      "cursor=tampered",
      "read=maybe",
      "status=bin",
      "field[a]=b",
      "q=a&q=b",
      `q=${"x".repeat(1001)}`,
    ]) {
      const { status, text } = await ann.get(`${at}?${query}`);
      expect(status, query).toBe(400);
      expect(text).toContain("That does not work");
    }
  });

  it("leads who has one form to its inbox", async () => {
    const { ann, at } = await withSubmissions(0);
    const answer = await ann.get("/");
    expect(answer.headers.get("location")).toBe(base + at);
    expect((await followed(ann, answer)).text).toContain("Nothing came in yet");
  });
});

describe("acts on what is selected", () => {
  it("mark, say how many, and tell the host", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(3);
    const told: InboxAction[] = [];
    backend.on("inbox.action", (event) => void told.push(event));
    const answer = await ann.post(`${at}/bulk?status=inbox`, { action: "mark_read", ids: ids.slice(0, 2) });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${base}${at}?status=inbox`]);
    expect((await followed(ann, answer)).text).toContain("2 marked as read");
    expect((await followed(ann, answer)).text).not.toContain("2 marked as read");
    expect((await backend.submissions.get(form.id, ids[0] ?? "")).read).toBe(true);
    expect(told).toEqual([
      {
        action: "mark_read",
        user: { id: "ann", name: "Ann" },
        team_id: "default",
        form_id: form.id,
        ids: ids.slice(0, 2),
        at: expect.stringMatching(/^2026-/),
      },
    ]);
  });

  it("delete into the trash, with undo, and ask before they delete for good, naming the number", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(3);
    const some = ids.slice(0, 2);
    const listed = async (status: "inbox" | "trash") =>
      (await backend.submissions.list(form.id, { status })).data.map(({ id }) => id).sort();
    const done = await followed(ann, await ann.post(`${at}/bulk`, { action: "delete", ids: some }));
    expect(done.text).toContain("2 deleted");
    expect(done.text).toContain('name="action" value="restore" data-key="z">Undo</button>');
    expect([await listed("inbox"), await listed("trash")]).toEqual([[ids[2]], [...some].sort()]);
    const undone = await followed(ann, await ann.post(`${at}/bulk`, { action: "restore", undo: "1", ids: some }));
    expect(undone.text).toContain("2 restored");
    expect([await listed("inbox"), await listed("trash")]).toEqual([[...ids].sort(), []]);

    await ann.post(`${at}/bulk`, { action: "delete", ids: some });
    expect((await ann.get(`${at}?status=trash`)).text).toContain("Delete for good");
    const asked = await ann.post(`${at}/bulk?status=trash`, { action: "delete_forever", ids: some });
    expect((await followed(ann, asked)).text).toContain("Delete 2 submissions?");
    expect(await listed("trash")).toHaveLength(2);
    await ann.post(`${at}/bulk?status=trash`, { action: "delete_forever", ids: some, confirm: "1" });
    expect([await listed("inbox"), await listed("trash")]).toEqual([[ids[2]], []]);
  });

  it("do to all that match what was confirmed, and no more", async () => {
    const { backend, form, ann, at } = await withSubmissions(60, (i) => ({ text: i % 10 === 0 ? "keep" : "casino" }));
    const asked = await ann.post(`${at}/bulk?q=casino`, { action: "delete", all: "1" });
    const page = await followed(ann, asked);
    expect(page.text).toContain("Delete 54 submissions?");
    expect(page.text).toContain("Type 54 to confirm");
    const body = { action: "delete", all: "1", confirm: "1", number: "54" };
    const wrong = await ann.post(`${at}/bulk?q=casino`, { ...body, typed: "53" });
    expect((await followed(ann, wrong)).text).toContain("Type the number 54 to confirm.");
    const done = await ann.post(`${at}/bulk?q=casino`, { ...body, typed: "54" });
    expect((await followed(ann, done)).text).toContain("54 deleted");
    expect((await backend.submissions.list(form.id)).data).toHaveLength(6);
  });

  it("bear what nobody selected, too much, and what is gone", async () => {
    const { ann, at } = await withSubmissions(1);
    expect((await followed(ann, await ann.post(`${at}/bulk`, { action: "mark_read" }))).text).toContain(
      "Select at least one",
    );
    const many = Array.from({ length: 101 }, (_, i) => `id${i}`);
    expect((await ann.post(`${at}/bulk`, { action: "mark_read", ids: many })).status).toBe(400);
    const flood = Array.from({ length: 10_000 }, (_, i) => `id${i}`);
    expect((await ann.post(`${at}/bulk`, { action: "mark_read", ids: flood })).status).toBe(413);
    expect((await ann.post(`${at}/bulk`, { action: "explode", ids: "x" })).status).toBe(400);
    const gone = await ann.post(`${at}/bulk`, { action: "mark_read", ids: "gone" });
    expect((await followed(ann, gone)).text).toContain("Nothing had to be changed");
  });
});

describe("one submission", () => {
  it("shows labels, files, the answer's address and its neighbours", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(3, () => ({ email: "bo@example.com", tel: "1" }));
    await backend.forms.update(form.id, { settings: { labels: { tel: "Telephone" } } });
    const { text } = await ann.get(`${at}/s/${ids[1]}`);
    expect(text).toContain('<dt title="tel"><bdi>Telephone</bdi>');
    expect(text).toContain('href="#reply-text"');
    expect(text).toContain("Your answer to bo@example.com");
    expect(text).toContain(`rel="prev" href="${base}${at}/s/${ids[2]}"`);
    expect(text).toContain(`rel="next" href="${base}${at}/s/${ids[0]}"`);
  });

  it("is assigned, labelled, noted, snoozed and done, and says who did it", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(3);
    const [, id = ""] = ids;
    const path = `${at}/s/${id}`;
    await ann.post(path, { action: "assign", assignee: JSON.stringify({ id: "ann", name: "Ann" }) });
    await ann.post(path, { action: "label", label: "<b>urgent</b>" });
    await ann.post(path, { action: "note", text: "Called <i>back</i>" });
    const { text } = await ann.get(path);
    for (const button of ["Done", "Assign", "Label", "Snooze", "Add note"])
      expect(text).toContain(`>${button}</button>`);
    expect(text).toContain("&lt;b&gt;urgent&lt;/b&gt;");
    expect(text).toContain("Called &lt;i&gt;back&lt;/i&gt;");
    expect(text).toContain("added the label");
    const wrong = await ann.post(path, { action: "assign", assignee: "nobody in particular" });
    expect(wrong.status).toBe(400);
    expect((await ann.get(`${at}?state=open&assignee=me`)).text).toContain(id);
    const done = await ann.post(path, { action: "done" });
    expect(done.headers.get("location")).toContain(`/s/${ids[0]}`);
    expect((await followed(ann, done)).text).toContain(">Undo</button>");
    expect((await ann.get(path)).text).toContain(">Reopen</button>");
    await ann.post(path, { action: "snooze", until: "tomorrow" });
    expect((await backend.submissions.get(form.id, id)).work).toMatchObject({
      assignee: { id: "ann", name: "Ann" },
      labels: ["<b>urgent</b>"],
      state: "open",
      notes: 1,
      snoozed_until: expect.stringMatching(/^2026-/),
    });
    expect((await ann.get(`${at}?state=open`)).text).not.toContain(`s-${id}`);
    expect((await ann.get(`${at}?state=snoozed`)).text).toContain(`s-${id}`);
  });

  it("leads to a list that is kept in the side bar, for the team or for oneself", async () => {
    const { backend, form, ann, at } = await withSubmissions(1);
    const view = { action: "save", name: "Urgent ones", form_id: form.id, query: "label=urgent&gone=1" };
    expect((await followed(ann, await ann.post("/views", view))).text).toContain("View saved");
    expect((await ann.get(at)).text).toContain(`${at}?label=urgent"><span class="name"><bdi>Urgent ones`);
    expect((await backend.as({ id: "bo", name: "Bo" }).get(at)).text).not.toContain("Urgent ones");
    await ann.post("/views", { ...view, name: "Ours", shared: "1" });
    expect((await backend.as({ id: "bo", name: "Bo" }).get(at)).text).toContain("Ours");
  });

  it("can be moved, and is deleted into the trash", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(1);
    const path = `${at}/s/${ids[0]}`;
    await ann.post(path, { action: "mark_spam" });
    expect((await backend.submissions.get(form.id, ids[0] ?? "")).spam).toBe(true);
    expect((await ann.get(path)).text).toContain("Not spam, and send what was missed");
    await ann.post(path, { action: "mark_not_spam" });
    const done = await ann.post(path, { action: "delete" });
    expect((await followed(ann, done)).text).toContain("1 deleted");
    expect((await ann.get(path)).text).toContain(">Restore</button>");
    const asked = await ann.post(path, { action: "delete_forever" });
    expect((await followed(ann, asked)).text).toContain("Delete this submission?");
    await ann.post(path, { action: "delete_forever", confirm: "1" });
    expect((await ann.get(path)).status).toBe(404);
    expect((await ann.post(path, { action: "mark_read" })).status).toBe(404);
  });

  it("outlives its form", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(1);
    await backend.forms.delete(form.id);
    expect((await ann.get("/all")).text).toContain("A deleted form");
    expect((await ann.get(`${at}/s/${ids[0]}`)).text).toContain("number 0");
    expect((await ann.get(at)).status).toBe(404);
  });
});

describe("what else there is", () => {
  it("creates a form, shows its snippet, and says what is wrong with a name", async () => {
    const { ann } = await withSubmissions(0);
    const made = await ann.post("/new", { name: "Orders" });
    const page = await followed(ann, made);
    expect(page.text).toMatch(
      /&lt;form action=&quot;http:\/\/localhost:3000\/forms\/f\/\w{11}&quot; method=&quot;post&quot;&gt;/,
    );
    const wrong = await ann.post("/new", { name: "" });
    expect([wrong.status, wrong.text.includes("Must not be empty")]).toEqual([400, true]);
  });

  it("exports what is filtered", async () => {
    const { ann, at } = await withSubmissions(2, (i) => ({ city: ["Rome", "Oslo"][i] ?? "" }));
    const { headers, text } = await ann.get(`${at}/export?format=csv&field[city][eq]=Rome`);
    expect(headers.get("content-type")).toContain("text/csv");
    expect(text).toContain("Rome");
    expect(text).not.toContain("Oslo");
  });

  it("polls, and is silent while nothing changes", async () => {
    const { backend, form, ann, at, ids } = await withSubmissions(2);
    const since = (await backend.submissions.get(form.id, ids[1] ?? "")).created_at;
    const url = `/poll?form=${form.id}&since=${since}`;
    const first = await ann.get(url);
    expect(JSON.parse(first.text)).toMatchObject({ fresh: 0, unread: { [form.id]: 2 } });
    const etag = first.headers.get("etag") ?? "";
    expect((await ann.get(url, { "if-none-match": etag })).status).toBe(304);
    await backend.submit(form.id, { fields: { a: "b" } });
    expect(JSON.parse((await ann.get(url, { "if-none-match": etag })).text)).toMatchObject({
      fresh: 1,
      says: "1 new submission",
    });
    expect((await ann.get(at)).text).toContain('data-poll="');
  });

  it("counts new submissions for the top of the inbox alone", async () => {
    const { backend, form, ann, at } = await withSubmissions(3);
    await backend.submissions.update(form.id, (await backend.submit(form.id, { fields: { a: "b" } })).id, {
      spam: true,
    });
    const other = await backend.forms.create({ name: "Empty" });
    const pollOf = async (path: string): Promise<string> => {
      const [, poll = ""] = /data-poll="([^"]+)"/.exec((await ann.get(path)).text) ?? [];
      return poll.replaceAll("&amp;", "&");
    };
    const next = /rel="next" href="([^"]+)"/.exec((await ann.get(`${at}?limit=2`)).text)?.[1]?.replaceAll("&amp;", "&");
    const others = [
      "?q=number",
      "?state=open",
      "?assignee=me",
      "?label=x",
      "?status=spam",
      "?status=trash",
      "?status=all",
      "?order=asc",
    ];
    const paths = [next ?? "", ...others.map((query) => at + query)];
    const polls = await Promise.all([at, `/f/${other.id}`, ...paths].map(pollOf));
    await backend.clock.advance(1_000);
    await backend.submit(form.id, { fields: { message: "now" } });
    await backend.submit(other.id, { fields: { message: "now" } });
    const fresh = await Promise.all(polls.map(async (poll) => JSON.parse((await ann.get(poll)).text).fresh));
    expect(fresh).toEqual([1, 1, ...paths.map(() => 0)]);
    expect(next).toContain("cursor=");
  });

  it("switches the keys off for a browser", async () => {
    const { ann } = await withSubmissions(0);
    const off = await ann.post("/shortcuts", { keys: "off" });
    expect(off.headers.getSetCookie().join()).toMatch(
      /form-backend-keys=off; Path=\/; Max-Age=31536000; SameSite=Lax(,|$)/,
    );
    expect((await followed(ann, off)).text).toContain("Turn the shortcuts on");
  });

  it("says when the store is down, and recovers", async () => {
    const { backend, ann, at } = await withSubmissions(1);
    await backend.close();
    const { status, text } = await ann.get(at);
    expect(status).toBe(503);
    expect(text).toContain("The inbox can&#39;t be reached at the moment");
    expect(text).toContain("data-retry");
  });

  it("refuses more requests of one person than the rate allows", async () => {
    const backend = inboxHarness({}, { rateLimit: { inbox: { points: 3, seconds: 60 } } });
    const [ann, bo] = [backend.as({}), backend.as({ id: "bo" })];
    for (let i = 0; i < 3; i++) expect((await ann.get("/shortcuts")).status).toBe(200);
    expect((await ann.get("/shortcuts")).status).toBe(429);
    expect((await bo.get("/shortcuts")).status).toBe(200);
  });
});
