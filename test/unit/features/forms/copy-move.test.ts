import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { everWritten } from "../../../_support/ever-written.ts";
import { filled, moveCases, world } from "../../../_support/move-cases.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const stores: Record<string, () => StorageDriver> = {
  memory: () => memoryStorage(),
  SQLite: () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }),
};

describe("a copy of a form", () => {
  it("has its settings, webhooks and images, under ids and secrets of its own, and none of its submissions", async () => {
    const { b, id, hook } = await world(memoryStorage());
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

  it("sends from the default sender in another team, and needs room in its plan", async () => {
    const { b, id } = await world(memoryStorage(), { none: { forms: 0 } });
    await b.teams.update("to", { plan: "none" });
    await expect(b.forms.copy(id, { team_id: "to" })).rejects.toMatchObject({ code: "plan_restricted" });
    await expect(b.forms.copy(id, { team_id: "nobody" })).rejects.toMatchObject({ param: "team_id" });
    await expect(b.forms.copy("nothing")).rejects.toMatchObject({ code: "form_not_found" });
    await b.forms.lock(id, { reason: "Phishing" });
    expect((await b.forms.copy(id)).locked).toMatchObject({ reason: "Phishing" });
  });
});

for (const [name, open] of Object.entries(stores)) moveCases(name, open);

describe("a form and a team that is deleted", () => {
  it("can't leave it, so that nothing of it is left behind or lost on the way", async () => {
    const { b, id } = await world(memoryStorage());
    await filled(b, id, 3);
    await b.teams.delete("from");
    await expect(b.forms.move(id, { team_id: "to" })).rejects.toMatchObject({ code: "team_inactive" });
    await b.sweep();
    expect((await b.teams.deletion("from")).removed).toMatchObject({ forms: 1, submissions: 3 });
  });

  it("can't leave it either where the deletion begins at the same moment", async () => {
    const kept = everWritten(memoryStorage());
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

  it("keeps a post that came in for the team which it had left, when that is deleted", async () => {
    const kept = everWritten(memoryStorage());
    const { b, id } = await world(kept.storage);
    await filled(b, id, 3);
    await b.forms.move(id, { team_id: "to" });
    const [some] = (await b.submissions.list(id)).data;
    const row = (await kept.storage.get("submissions", [some?.id ?? ""])).get(some?.id ?? "");
    if (!row) throw new Error("there is no submission");
    const late = { ...row.value, team_id: "from", attachments: [], attached: false };
    await kept.storage.commit([{ op: "put", collection: "submissions", id: "late", value: late }]);
    await b.teams.delete("from");
    await b.sweep();
    expect((await b.teams.deletion("from")).done).toBe(true);
    expect(await b.submissions.count(id)).toMatchObject({ count: 4 });
    expect((await kept.storage.get("submissions", ["late"])).get("late")?.value["team_id"]).toBe("to");
  });
});

describe("a form that can't be moved", () => {
  it("says what holds it: no such team, no room, keys of its own, its team's mail server", async () => {
    const { b, id } = await world(memoryStorage(), { none: { forms: 0 } });
    await expect(b.forms.move(id, { team_id: "nobody" })).rejects.toMatchObject({ param: "team_id" });
    await expect(b.forms.move("nothing", { team_id: "to" })).rejects.toMatchObject({ code: "form_not_found" });
    const own = await b.keys.create({ team_id: "from", name: "Own", scopes: "all", form_ids: [id] });
    await expect(b.forms.move(id, { team_id: "to" })).rejects.toThrow(own.id);
    await b.keys.revoke(own.id);
    await b.teams.update("to", { plan: "none" });
    await expect(b.forms.move(id, { team_id: "to" })).rejects.toMatchObject({ code: "plan_restricted" });
    await b.teams.update("to", { plan: "unlimited", active: false });
    await expect(b.forms.move(id, { team_id: "to" })).rejects.toMatchObject({ code: "team_inactive" });
    expect(await b.forms.get(id)).toMatchObject({ team_id: "from" });
  });
});
