import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { everWritten } from "../../../_support/ever-written.ts";
import { filled, moveCases, world } from "../../../_support/move-cases.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const stores: Record<string, () => StorageDriver> = {
  memory: () => memoryStorage(),
  SQLite: () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }),
};

describe("a copy of a form", () => {
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
