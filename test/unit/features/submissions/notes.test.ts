import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { harness } from "../../../_support/backend.ts";

/** A form with a submission, and two keys. */
async function noted() {
  const b = harness({ rateLimit: false });
  const form = await b.forms.create({ name: "Contact" });
  const { id } = await b.submit(form.id, { fields: { message: "Hello" } });
  const at = `/v1/forms/${form.id}/submissions/${id}`;
  return { b, form: form.id, id, at, other: await b.keyWith("all") };
}

describe("notes", () => {
  it("have the key as author, and are deleted by nobody but their author and the host", async () => {
    const { b, form, id, at, other } = await noted();
    const made = await b.call("POST", `${at}/notes`, { body: { text: "Called back." } });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      author: { id: expect.stringMatching(/^key_/), name: "test" },
      text: "Called back.",
    });
    const theirs = await b.call("POST", `${at}/notes`, { key: other, body: { text: "Mine" } });
    const refused = await b.call("DELETE", `${at}/notes/${theirs.json.id}`);
    expect([refused.status, refused.json.error.code]).toEqual([403, "not_author"]);
    expect((await b.call("DELETE", `${at}/notes/${made.json.id}`)).json).toEqual({ id: made.json.id, deleted: true });
    expect((await b.submissions.get(form, id)).work.notes).toBe(1);
    await b.submissions.deleteNote(form, id, theirs.json.id);
    expect((await b.submissions.notes(form, id)).data).toEqual([]);
    expect((await b.call("DELETE", `${at}/notes/${made.json.id}`)).status).toBe(404);
  });

  it("are refused in place where they are too long or empty", async () => {
    const { b, at } = await noted();
    for (const text of ["x".repeat(60_000), " "]) {
      const { status, json } = await b.call("POST", `${at}/notes`, { body: { text } });
      expect([status, json.error.param]).toEqual([400, "text"]);
    }
  });

  it("are in an export that asks for them, and not shown to an agent that may not write", async () => {
    const { b, form, at } = await noted();
    await b.call("POST", `${at}/notes`, { body: { text: "Called back." } });
    const plain = await b.call("GET", `/v1/forms/${form}/submissions/export`);
    expect(plain.text).not.toContain("Called back.");
    const full = await b.call("GET", `/v1/forms/${form}/submissions/export?notes=true&include=work`);
    expect(full.text).toContain(",state,assignee,labels,snoozed_until,notes\r\n");
    expect(full.text).toContain("test: Called back.");
    const agent = {
      key: await b.keyWith(["submissions:read", "forms:read"]),
      headers: { "form-backend-sees": "agents" },
    };
    for (const path of [`${at}/notes`, `/v1/forms/${form}/submissions/export?notes=true`])
      expect((await b.call("GET", path, agent)).json.error.code).toBe("insufficient_scope");
  });

  it("go with a submission whose removal began before it went to the trash and came back", async () => {
    const memory = memoryStorage();
    let meanwhile: (() => Promise<unknown>) | undefined;
    const commit: StorageDriver["commit"] = async (writes) => {
      const removes = (name: string) => writes.some((write) => write.op === "remove" && write.collection === name);
      const first = removes("submissions") ? meanwhile : undefined;
      if (first) meanwhile = undefined;
      await first?.();
      await memory.commit(writes);
    };
    const b = harness({ rateLimit: false, storage: { ...memory, commit } });
    const form = (await b.forms.create({ name: "Contact" })).id;
    const { id } = await b.submit(form, { fields: { message: "Hello" } });
    meanwhile = async () => {
      await b.submissions.addNote(form, id, { text: "Called back." });
      await b.submissions.delete(form, id, { trash: true });
      await b.submissions.bulk(form, { action: "restore", ids: [id] });
    };
    await b.submissions.delete(form, id);
    expect(meanwhile).toBeUndefined();
    const about = { index: "submission", equals: { submission_id: id }, order: "asc", limit: 10 } as const;
    expect([(await memory.get("submissions", [id])).size, await memory.page("activities", about)]).toEqual([0, []]);
  });

  it("go with a submission that is erased from the trash", async () => {
    const { b, form } = await noted();
    const { id } = await b.submit(form, { fields: { email: "ann@example.com" } });
    await b.submissions.addNote(form, id, { text: "About Ann", author: { id: "7", name: "Bo" } });
    await b.submissions.delete(form, id, { trash: true });
    expect((await b.dataSubjects.erase({ email: "ann@example.com" })).erased).toMatchObject({ submissions: 1 });
    expect((await b.submissions.list(form, { status: "trash" })).data).toEqual([]);
  });
});

describe("a change of a submission", () => {
  it("is sent to the webhooks that subscribe to it, and to no others", async () => {
    const { b, form, id } = await noted();
    await b.teams.update("default", { plan: "unlimited" });
    await b.webhooks.create(form, { url: "https://hooks.example.com/a", events: ["submission.updated"] });
    await b.submissions.update(form, id, { state: "done", labels: ["urgent"] });
    await b.submissions.update(form, id, { state: "done" });
    await b.tick();
    const [call, ...more] = b.webhookCalls;
    expect(more).toEqual([]);
    expect(JSON.parse(call?.body ?? "")).toEqual({
      type: "submission.updated",
      timestamp: expect.stringMatching(/^2026-/),
      data: { id, form_id: form, changed: ["state", "labels"] },
    });
  });

  it("is refused in place: a snooze in the past, a label too long or one too many", async () => {
    const { b, at } = await noted();
    const patches = [
      [{ snoozed_until: "2020-01-01T00:00:00Z" }, "snoozed_until"],
      [{ labels: Array.from({ length: 21 }, (_, i) => `l${i}`) }, "labels"],
      [{ labels: ["x".repeat(41)] }, "labels.0"],
      [{ assignee: { id: "" } }, "assignee.id"],
    ] as const;
    for (const [body, param] of patches) {
      const { status, json } = await b.call("PATCH", at, { body });
      expect([status, json.error.param]).toEqual([400, param]);
    }
    const emojis = "👍".repeat(40);
    const { json } = await b.call("PATCH", `${at}?include=work`, { body: { labels: [emojis] } });
    expect(json.work.labels).toEqual([emojis]);
    expect((await b.call("GET", at)).json.work).toBeUndefined();
  });
});
