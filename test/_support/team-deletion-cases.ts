import { describe, expect, it, onTestFinished } from "vitest";
import { memoryBlob } from "../../src/drivers/blob/memory.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { collections } from "../../src/model/collections.ts";
import { inbox } from "../../src/surfaces/inbox/index.ts";
import { type Harness, harness } from "./backend.ts";
import { formData } from "./blobs.ts";
import { everWritten } from "./ever-written.ts";
import { encryption } from "./privacy.ts";

const HOUR = 60 * 60_000;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A team with something of everything, and the ids that name it. */
async function filled(b: Harness, id: string): Promise<{ names: string[]; form: string; key: string }> {
  await b.teams.create({ id, name: `Team ${id}`, limits: { stored_submissions: 1_000 } });
  const key = await b.keyWith("all", { team_id: id });
  const { id: form } = await b.forms.create(
    {
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: [`owner@${id}.example`] },
      auto_response: { enabled: true },
      settings: {
        key: `contact-${id}`,
        aliases: [`${id}@alias.example`],
        unique: { fields: ["email"] },
        availability: { limit: 500 },
        drafts: { enabled: true },
        statistics: { enabled: true },
        fields: { ssn: { store: "encrypt" } },
      },
    },
    { team_id: id },
  );
  const webhook = await b.webhooks.create(form, { url: "https://hooks.example.com/x" });
  await b.emailServers.create({
    name: "Ours",
    host: "smtp.example.com",
    port: 587,
    from: `hi@${id}.example`,
    team_id: id,
  });
  await keptView(b, id);
  await b.forms.uploadImage(form, { file: PNG, use: "after_submit_logo", name: "logo" });
  const names = [id, form, webhook.id];
  for (let n = 0; n < 5; n++) {
    const body = formData([
      ["email", `ann${n}@${id}.visitor`],
      ["ssn", `${n}23-45`],
      ["cv", [`${n}.txt`, `bytes ${n}`, "text/plain"]],
    ]);
    names.push((await b.post(form, body, { "idempotency-key": `${id}-${n}` })).json.submission_id);
  }
  const [first = "", second = "", third = ""] = names.slice(3);
  await b.submissions.addNote(form, first, { text: "Called back.", author: { id: "7", name: "Bo" } });
  await b.call("PATCH", `/v1/forms/${form}/submissions/${first}`, { key, body: { labels: ["urgent"], state: "done" } });
  await b.messages.send(form, second, { text: "Thank you." });
  await b.submissions.delete(form, third, { trash: true });
  await b.spamModel.forget({ team_id: id });
  await b.suppressions.add({ team_id: id, email: `bad@${id}.visitor` });
  const { id: waiting } = await b.forms.create(
    { name: "Waits", settings: { double_opt_in: { enabled: true } } },
    { team_id: id },
  );
  names.push(waiting, (await b.post(waiting, { email: `bo@${id}.visitor` })).json.submission_id);
  const { id: gone } = await b.forms.create({ name: "Gone" }, { team_id: id });
  names.push(gone, (await b.post(gone, { email: `cy@${id}.visitor` })).json.submission_id);
  await b.tick();
  await b.forms.delete(gone);
  const hidden = { storage: { store_submissions: false }, self_email_notification: { recipients: ["a@b.example"] } };
  const { id: transient } = await b.forms.create({ name: "Kept for its emails", ...hidden }, { team_id: id });
  names.push(transient, (await b.post(transient, { email: `di@${id}.visitor` })).json.submission_id);
  await b.call("PUT", `/f/${form}/drafts/${"d".repeat(32)}`, { key: null, body: { note: "Hel" } });
  await b.call("POST", "/v1/saved-replies", { key, body: { name: "Thanks", text: "Thank you." } });
  await b.forms.update(form, { settings: { labels: { f: "Password" } } });
  return { names, form, key };
}

/** A view that somebody of the team has saved at a screen. */
async function keptView(b: Harness, team_id: string): Promise<void> {
  const person = { id: "ann", name: "Ann", team_ids: [team_id], role: "admin" };
  const response = await b.handle(
    new Request(`${b.baseUrl}/inbox/views`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
        origin: new URL(b.baseUrl).origin,
        "x-user": JSON.stringify(person),
      },
      body: new URLSearchParams({ action: "save", name: "Unread", query: "read=false" }),
    }),
  );
  expect(response.status).toBe(303);
}

/** Holds the deletion of a team against a store. */
export const teamDeletionCases = (name: string, open: () => StorageDriver): void => {
  describe(`a team that is deleted, on ${name},`, () => {
    function world() {
      const kept = everWritten(open());
      const blob = memoryBlob();
      const files = new Set<string>();
      const counted = {
        ...blob,
        put: async (...args: Parameters<typeof blob.put>) => {
          files.add(args[0]);
          return blob.put(...args);
        },
      };
      const options = {
        storage: kept.storage,
        blob: counted,
        encryption,
        rateLimit: false,
        inbox: inbox({ authenticate: ({ headers }) => JSON.parse(headers.get("x-user") ?? "null") }),
      } as const;
      const b = harness(options);
      onTestFinished(() => b.close());
      const bytes = async () => {
        const left: string[] = [];
        for (const id of files) if (await blob.get(id)) left.push(id);
        return left;
      };
      return { b, kept, bytes };
    }

    it("leaves nothing in any collection and no file, and the receipt is exact; another team keeps everything", async () => {
      const { b, kept, bytes } = world();
      const other = await filled(b, "other-team");
      const before = (await kept.left()).length;
      const filesBefore = (await bytes()).length;
      const { names, form, key } = await filled(b, "leaving-team");
      // A collection that is added later needs a row here, or it could stay behind unseen.
      const owned = (await kept.left()).filter(({ row }) => names.some((one) => JSON.stringify(row).includes(one)));
      expect([...new Set(owned.map(({ collection }) => collection))].sort()).toEqual(Object.keys(collections).sort());
      const events: unknown[] = [];
      b.on("team.deleted", (event) => void events.push(event));

      expect(await b.teams.delete("leaving-team")).toEqual({ id: "leaving-team", deleting: true });
      expect((await b.post(form, { email: "late@visitor.example" })).json.error.code).toBe("form_inactive");
      expect((await b.call("GET", "/v1/forms", { key })).json.error.code).toBe("team_inactive");
      await expect(b.teams.update("leaving-team", { active: true })).rejects.toMatchObject({ code: "team_inactive" });
      const under = await b.teams.deletion("leaving-team");
      expect([under.done, under.left > 10]).toEqual([false, true]);

      await b.sweep();
      const receipt = await b.teams.deletion("leaving-team");
      expect(receipt).toMatchObject({
        done: true,
        left: 0,
        removed: { forms: 3, submissions: 6, pending: 1, files: 5, images: 1, messages: 0, keys: 1, suppressions: 1 },
      });
      expect(events).toEqual([{ id: "leaving-team", removed: receipt.removed }]);
      await b.clock.advance(2 * HOUR);
      await b.sweep();
      const left = await kept.left();
      const named = left.filter(({ row }) => names.some((one) => JSON.stringify(row).includes(one)));
      expect(named.map(({ collection, row }) => `${collection} ${row.id}`)).toEqual([
        "marks team-deletion:leaving-team",
      ]);
      expect((await bytes()).length).toBe(filesBefore);
      expect((await b.teams.list()).data.map(({ id }) => id)).not.toContain("leaving-team");
      // The sweep itself removes marks of the other team whose time is over.
      expect(left.length).toBeLessThanOrEqual(before + 2);
      expect((await b.submissions.list(other.form)).data).toHaveLength(4);
      expect((await b.post(other.form, { email: "new@visitor.example" })).status).toBe(200);
    });

    it("is deleted exactly, wherever the process is killed", async () => {
      const { b, kept } = world();
      await filled(b, "leaving-team");
      await b.teams.delete("leaving-team");
      let kills = 0;
      for (; !(await b.teams.deletion("leaving-team")).done && kills < 400; kills++) {
        kept.dieAfter(1 + (kills % 3));
        await b.sweep().catch(() => {});
        kept.dieAfter(null);
      }
      expect(kills).toBeGreaterThan(4);
      expect(await b.teams.deletion("leaving-team")).toMatchObject({
        done: true,
        removed: { forms: 3, submissions: 6, pending: 1, files: 5, images: 1, keys: 1, suppressions: 1 },
      });
      const text = JSON.stringify((await kept.left()).filter(({ row }) => row.id !== "team-deletion:leaving-team"));
      expect(text).not.toContain("leaving-team");
    });

    it("is read and removed many rows at a time", async () => {
      const store = open();
      let asked = 0;
      const count = <A extends unknown[], R>(ask: (...args: A) => R) => {
        return (...args: A): R => {
          asked++;
          return ask(...args);
        };
      };
      const { get, page, commit } = store;
      const counted: StorageDriver = { ...store, get: count(get), page: count(page), commit: count(commit) };
      const b = harness({ storage: counted, rateLimit: false });
      onTestFinished(() => b.close());
      const statementsFor = async (id: string, posts: number): Promise<number> => {
        await b.teams.create({ id, name: id });
        const { id: form } = await b.forms.create({ name: "Contact", spam: { protection: false } }, { team_id: id });
        await b.webhooks.create(form, { url: "https://hooks.example.com/x" });
        for (let n = 0; n < posts; n++) {
          const { id: submission } = await b.submit(form, { fields: { email: `ann${n}@visitor.example` } });
          if (n % 20 === 0) await b.messages.send(form, submission, { text: "Thank you." });
        }
        await b.teams.delete(id);
        asked = 0;
        await b.sweep();
        expect((await b.teams.deletion(id)).removed).toMatchObject({ submissions: posts });
        return asked;
      };
      const few = await statementsFor("small-team", 10);
      expect((await statementsFor("large-team", 410)) - few).toBeLessThan(40);
    });

    it("is counted once, and then from what was removed, however often one asks how far it is", async () => {
      const store = open();
      let counts = 0;
      const count: StorageDriver["count"] = (...args) => {
        counts++;
        return store.count(...args);
      };
      const storage: StorageDriver = { ...store, count };
      const { storage: kept, dieAfter } = everWritten(storage);
      const b = harness({ storage: kept, rateLimit: false });
      onTestFinished(() => b.close());
      await b.teams.create({ id: "large-team", name: "Large" });
      const { id: form } = await b.forms.create({ name: "F", spam: { protection: false } }, { team_id: "large-team" });
      for (let n = 0; n < 310; n++) await b.submit(form, { fields: { email: `ann${n}@visitor.example` } });
      await b.teams.delete("large-team");
      counts = 0;
      const { left } = await b.teams.deletion("large-team");
      const once = counts;
      expect(left).toBeGreaterThan(310);
      const lefts = [left];
      for (let kills = 0; kills < 60; kills++) {
        dieAfter(1);
        await b.sweep().catch(() => {});
        dieAfter(null);
        const now = await b.teams.deletion("large-team");
        if (now.done) break;
        lefts.push(now.left);
      }
      expect(lefts.length).toBeGreaterThan(4);
      expect(lefts).toEqual([...lefts].sort((a, z) => z - a));
      // Each look in between is what a count would have said.
      expect(lefts).toContain(left - 100);
      expect(counts).toBe(once);
      expect(await b.teams.deletion("large-team")).toMatchObject({ done: true, left: 0 });
    });

    it("keeps its id until the last post can have come in", async () => {
      const { b } = world();
      await b.teams.create({ id: "acme", name: "Acme" });
      await b.teams.delete("acme");
      await b.teams.delete("acme");
      await b.sweep();
      await expect(b.teams.create({ id: "acme", name: "Again" })).rejects.toMatchObject({ param: "id" });
      await expect(b.teams.ensure("acme", { name: "Again" })).rejects.toMatchObject({ param: "id" });
      await b.clock.advance(2 * HOUR);
      await b.sweep();
      const { id: form } = await b.forms.create(
        { name: "New" },
        { team_id: (await b.teams.ensure("acme", { name: "Again" })).id },
      );
      await b.post(form, { email: "ann@visitor.example" });
      await b.clock.advance(2 * HOUR);
      await b.sweep();
      expect(await b.submissions.count(form)).toMatchObject({ count: 1 });
      expect((await b.teams.deletion("acme")).done).toBe(true);
      await b.clock.advance(401 * 24 * HOUR);
      await b.sweep();
      await expect(b.teams.deletion("acme")).rejects.toMatchObject({ code: "not_found" });
    });

    it("must be there, and not be the one that always is", async () => {
      const { b } = world();
      await expect(b.teams.delete("nobody")).rejects.toMatchObject({ code: "not_found" });
      await expect(b.teams.deletion("nobody")).rejects.toMatchObject({ code: "not_found" });
      await expect(b.teams.delete("default")).rejects.toMatchObject({ code: "invalid_parameter", param: "id" });
    });
  });
};
