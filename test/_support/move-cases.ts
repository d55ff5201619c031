import { describe, expect, it, onTestFinished } from "vitest";
import { memoryBlob } from "../../src/drivers/blob/memory.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { type Harness, harness } from "./backend.ts";
import { formData } from "./blobs.ts";
import { everWritten } from "./ever-written.ts";
import { encryption } from "./privacy.ts";

const HOUR = 60 * 60_000;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A form of one team, and another team to move or copy it to. */
export async function world(storage: StorageDriver, plans = {}) {
  const b = harness({ storage, blob: memoryBlob(), encryption, rateLimit: false, plans });
  onTestFinished(() => b.close());
  await b.teams.create({ id: "from", name: "From" });
  await b.teams.create({ id: "to", name: "To" });
  const { id } = await b.forms.create(
    {
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"] },
      settings: { key: "contact", aliases: ["contact@alias.example"], fields: { ssn: { store: "encrypt" } } },
    },
    { team_id: "from" },
  );
  const hook = await b.webhooks.create(id, { url: "https://hooks.example.com/x" });
  return { b, id, hook };
}

/** Posts to a form, with a file each. */
export async function filled(b: Harness, id: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = formData([
      ["email", `ann${n}@visitor.example`],
      ["ssn", `${n}23-45`],
      ["cv", [`${n}.txt`, `bytes ${n}`, "text/plain"]],
    ]);
    ids.push((await b.post(id, body)).json.submission_id);
  }
  return ids;
}

/** Holds the copy and the move of a form against a store. */
export const moveCases = (name: string, opened: () => StorageDriver): void => {
  describe(`a form that is moved to another team, on ${name},`, () => {
    const open = () => everWritten(opened());

    it("takes everything along, and its old team sees nothing of it", async () => {
      const kept = open();
      const { b, id, hook } = await world(kept.storage);
      const [old, fresh] = [await b.keyWith("all", { team_id: "from" }), await b.keyWith("all", { team_id: "to" })];
      const ids = await filled(b, id, 70);
      const [first = "", second = "", third = ""] = ids;
      await b.submissions.update(id, first, { labels: ["urgent"] });
      await b.messages.send(id, second, { text: "Thank you." });
      await b.submissions.delete(id, third, { trash: true });
      await b.tick();
      const before = await b.forms.get(id);

      const moved = await b.forms.move(id, { team_id: "to" });
      expect(moved).toEqual({ ...before, team_id: "to" });
      // The audit of the team that it leaves says what was done there.
      const rows = (await kept.left()).filter(
        ({ collection, row }) => row.value["team_id"] === "from" && collection !== "audit",
      );
      expect(rows.map(({ collection, row }) => [collection, row.value["kind"]])).toEqual([
        ["keys", undefined],
        // The mails of the hour are counted for the team, whichever form they came from.
        ["jobs", "summary"],
      ]);
      const at = (status = "all") => `/v1/forms/${id}/submissions?status=${status}&limit=50&include=work`;
      expect((await b.call("GET", at(), { key: old })).json.error.code).toBe("form_not_found");
      const listed = await b.call("GET", at(), { key: fresh });
      expect([listed.status, listed.json.data.length]).toEqual([200, 50]);
      const labelled = await b.call("GET", "/v1/submissions?label=urgent&include=work", { key: fresh });
      expect(labelled.json.data.map((one: { id: string }) => one.id)).toEqual([first]);
      expect((await b.call("GET", "/v1/submissions?label=urgent", { key: old })).json.data).toEqual([]);
      expect((await b.messages.list(id, second)).data.map(({ text }) => text)).toEqual(["Thank you."]);
      const one = await b.submissions.get(id, second);
      expect(one.values).toMatchObject({ ssn: "123-45" });
      expect((await b.webhooks.list(id)).map(({ url }) => url)).toEqual([hook.url]);
      expect((await b.submissions.count(id, { status: "trash" } as never)).count).toBe(1);
      // The key of the form is free in the team that it left.
      await b.forms.create({ name: "Next", settings: { key: "contact" } }, { team_id: "from" });
      expect(await b.forms.move(id, { team_id: "to" })).toEqual(moved);
    });

    it("follows wholly, wherever the process is killed, with posts that were under way", async () => {
      const kept = open();
      const { b, id } = await world(kept.storage);
      await filled(b, id, 30);
      let kills = 0;
      for (; kills < 100; kills++) {
        kept.dieAfter(kills === 0 ? 1 : kills % 3);
        const done = await (kills === 0 ? b.forms.move(id, { team_id: "to" }) : b.sweep()).then(
          () => true,
          () => false,
        );
        kept.dieAfter(null);
        // The audit of the team that it leaves says what was done there.
        const rows = (await kept.left()).filter(
          ({ collection, row }) => row.value["team_id"] === "from" && collection !== "audit",
        );
        if (done && rows.length === 0) break;
      }
      expect([kills > 0, kills < 100]).toEqual([true, true]);
      expect(await b.submissions.count(id)).toMatchObject({ count: 30 });
      // A process that knows the form for seconds stores a post for the team that the form has left.
      const [late] = (await b.submissions.list(id)).data;
      const row = (await kept.storage.get("submissions", [late?.id ?? ""])).get(late?.id ?? "");
      if (!row) throw new Error("there is no submission");
      await kept.storage.commit([
        { op: "put", collection: "submissions", id: "late", value: { ...row.value, team_id: "from" } },
      ]);
      await b.clock.advance(2 * HOUR);
      await b.sweep();
      expect((await kept.storage.get("submissions", ["late"])).get("late")?.value["team_id"]).toBe("to");
      expect((await kept.storage.get("marks", [`form-move:${id}`])).size).toBe(0);
    });

    it("can't leave it, so that nothing of it is left behind or lost on the way", async () => {
      const { b, id } = await world(opened());
      await filled(b, id, 3);
      await b.teams.delete("from");
      await expect(b.forms.move(id, { team_id: "to" })).rejects.toMatchObject({ code: "team_inactive" });
      await b.sweep();
      expect((await b.teams.deletion("from")).removed).toMatchObject({ forms: 1, submissions: 3 });
    });

    it("can't leave it either where the deletion begins at the same moment", async () => {
      const kept = open();
      let begin: (() => Promise<unknown>) | null = null;
      const storage: StorageDriver = {
        ...kept.storage,
        async commit(writes, ...more) {
          const isMove = writes.some((write) => write.op === "put" && write.id.startsWith("form-move:"));
          const now = isMove ? begin : null;
          if (now) {
            begin = null;
            await now();
          }
          return kept.storage.commit(writes, ...more);
        },
      };
      const { b, id } = await world(storage);
      await filled(b, id, 3);
      begin = () => b.teams.delete("from");
      await expect(b.forms.move(id, { team_id: "to" })).rejects.toMatchObject({ code: "team_inactive" });
      await b.sweep();
      expect((await b.teams.deletion("from")).removed).toMatchObject({ forms: 1, submissions: 3 });
    });
  });

  describe(`a copy of a form, on ${name},`, () => {
    it("has its settings, webhooks and images, under ids and secrets of its own, and none of its submissions", async () => {
      const { b, id, hook } = await world(opened());
      const image = await b.forms.uploadImage(id, { file: PNG, use: "after_submit_logo", name: "logo" });
      await b.forms.update(id, {
        after_submit: { page: { logo_url: image.url, headline: "Thanks" } },
        settings: {
          routing: {
            rules: [
              {
                if: { any: [{ field: "topic", type: "equals", value: "sales", negate: false }] },
                to: { webhooks: [hook.id] },
                stop: true,
              },
            ],
          },
        },
      });
      await filled(b, id, 2);
      const copy = await b.forms.copy(id, { team_id: "to", name: "Contact of To" });
      const original = await b.forms.get(id);
      expect(copy).toMatchObject({ team_id: "to", name: "Contact of To", submissions: { all_time: 0 } });
      expect(copy.settings).toMatchObject({ key: null, aliases: [], fields: original.settings.fields });
      const [webhook] = await b.webhooks.list(copy.id);
      expect(webhook?.url).toBe(hook.url);
      expect(webhook?.id).not.toBe(hook.id);
      expect(copy.settings.routing.rules[0]?.to).toMatchObject({ webhooks: [webhook?.id] });
      const logo = copy.after_submit.page.logo_url;
      expect(logo).not.toBe(image.url);
      // The copy's image stays when the form and its images go.
      await b.forms.delete(id);
      const shown = await b.call("GET", logo.slice(b.baseUrl.length), { key: null });
      expect(shown.status).toBe(200);
      expect((await b.post(copy.id, { email: "new@visitor.example" })).status).toBe(200);
    });
  });
};
