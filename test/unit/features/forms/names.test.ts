import { join } from "node:path";
import { createStorage } from "unstorage";
import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { unstorageStorage } from "../../../../src/drivers/storage/unstorage.ts";
import { formIdByAlias, formIdByKey } from "../../../../src/features/forms/names.ts";
import { type ApiError, memoryStorage } from "../../../../src/index.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { harness } from "../../../_support/backend.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const settings = (key: string | null, aliases: string[] = []) => ({ settings: { key, aliases } });
const taken = (param: string) => expect.objectContaining({ code: "invalid_parameter", param });

describe("a form's key", () => {
  it("is one of its team, and no other form of the team may have it", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const { id } = await b.forms.create({ name: "A", ...settings("contact") });
    await b.forms.create({ name: "B", team_id: "acme", ...settings("contact") });
    await expect(b.forms.create({ name: "C", ...settings("contact") })).rejects.toEqual(taken("settings.key"));
    const other = await b.forms.create({ name: "D" });
    await expect(b.forms.update(other.id, settings("contact"))).rejects.toEqual(taken("settings.key"));
    const over = await b.call("PATCH", `/v1/forms/${other.id}/settings`, { body: { key: "contact" } });
    expect([over.status, over.json.error.code, over.json.error.param]).toEqual([400, "invalid_parameter", "key"]);
    expect((await b.forms.get(other.id)).settings.key).toBeNull();
    expect((await b.forms.list({ team_id: "default" })).data).toHaveLength(2);
    // Its own key again is no other form's.
    expect((await b.forms.update(id, settings("contact"))).settings.key).toBe("contact");
  });

  it("is free again once it is changed, taken away, or its form deleted", async () => {
    const b = harness();
    const first = await b.forms.create({ name: "A", ...settings("one") });
    await b.forms.update(first.id, settings("two"));
    const second = await b.forms.create({ name: "B", ...settings("one") });
    await b.forms.update(first.id, settings(null));
    await b.forms.update(second.id, settings("two"));
    const third = await b.forms.create({ name: "C", ...settings("one") });
    await b.forms.delete(third.id);
    expect((await b.forms.update(first.id, settings("one"))).settings.key).toBe("one");
  });
});

describe("a form's aliases", () => {
  it("are unique over the installation, and freed with what had them", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const { id } = await b.forms.create({ name: "A", ...settings(null, ["xyz", "me@example.com", "xyz"]) });
    expect((await b.forms.get(id)).settings.aliases).toEqual(["xyz", "me@example.com"]);
    const other = await b.forms.create({ name: "B", team_id: "acme" });
    await expect(b.forms.update(other.id, settings(null, ["new", "xyz"]))).rejects.toEqual(taken("settings.aliases"));
    await b.forms.update(id, settings(null, ["me@example.com"]));
    await b.forms.update(other.id, settings(null, ["new", "xyz"]));
    await b.forms.delete(other.id);
    expect((await b.forms.update(id, settings(null, ["xyz", "new"]))).settings.aliases).toEqual(["xyz", "new"]);
  });

  it("are no other form's id, and may be a key of any team", async () => {
    const b = harness();
    const first = await b.forms.create({ name: "A", ...settings("contact") });
    const second = await b.forms.create({ name: "B" });
    await expect(b.forms.update(second.id, settings(null, [first.id]))).rejects.toEqual(taken("settings.aliases"));
    const update = b.forms.update(second.id, settings(null, ["contact"]));
    expect((await update).settings.aliases).toEqual(["contact"]);
  });

  it.each([
    ["a slash", ["a/b"], "settings.aliases.0"],
    ["an empty one", [""], "settings.aliases.0"],
    ["one of 255 characters", ["a".repeat(255)], "settings.aliases.0"],
    ["21 of them", Array.from({ length: 21 }, (_, i) => `a${i}`), "settings.aliases"],
  ])("refuse %s", async (_, aliases, param) => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    await expect(b.forms.update(id, settings(null, aliases))).rejects.toEqual(taken(param));
  });
});

describe.each([
  ["memory", () => memoryStorage()],
  ["unstorage", () => unstorageStorage(createStorage())],
  ["SQLite", () => sqliteStorage({ path: join(temporaryDirectory(), "names.db") })],
])("names that two processes ask for at once, on %s", (_, open) => {
  it("go to one form", async () => {
    const storage = open();
    const [one, two] = [harness({ storage }), harness({ storage })];
    await one.ready();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 === 0 ? one : two).forms.create({ name: `F${i}`, ...settings("contact", ["shared"]) }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect((outcome.reason as ApiError).code).toBe("invalid_parameter");
    }
    expect((await one.forms.list()).data).toHaveLength(1);

    const forms = await Promise.all(Array.from({ length: 6 }, (_, i) => one.forms.create({ name: `G${i}` })));
    const moved = await Promise.allSettled(
      forms.map(({ id }, i) => (i % 2 === 0 ? one : two).forms.update(id, settings("moved"))),
    );
    expect(moved.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const keys = await Promise.all(forms.map(async ({ id }) => (await two.forms.get(id)).settings.key));
    expect(keys.filter((key) => key === "moved")).toHaveLength(1);
    await one.close();
  });

  it("are ensured to be of one form, which is made once and left as it is", async () => {
    const storage = open();
    const [one, two] = [harness({ storage }), harness({ storage })];
    await one.ready();
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : two).forms.ensure("contact", { name: `F${i}` })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect((await one.forms.list()).data).toHaveLength(1);
    const [first] = made;
    await one.forms.update(first?.id ?? "", { name: "Renamed" });
    expect(await two.forms.ensure("contact", { name: "Other", active: false })).toMatchObject({
      id: first?.id,
      name: "Renamed",
      active: true,
      settings: { key: "contact" },
    });
    await one.close();
  });
});

describe("looking a form up", () => {
  it("finds it by its key in its team and by its alias, for as long as it has them", async () => {
    const opened: Core[] = [];
    const options = { baseUrl: "http://localhost:3000/forms", storage: memoryStorage(), work: false };
    const b = createBackend(options, { onReady: async (core) => void opened.push(core) });
    const { id } = await b.forms.create({ name: "A", ...settings("contact", ["me@example.com"]) });
    const [core] = opened;
    if (!core) throw new Error("the backend has not opened");
    expect(await formIdByKey(core, "default", "contact")).toBe(id);
    expect(await formIdByKey(core, "acme", "contact")).toBeNull();
    expect(await formIdByAlias(core, "me@example.com")).toBe(id);
    await b.forms.delete(id);
    expect([await formIdByKey(core, "default", "contact"), await formIdByAlias(core, "me@example.com")]).toEqual([
      null,
      null,
    ]);
    await b.close();
  });
});

describe("ensuring a form", () => {
  it("makes it in the team that is named, with what is sent", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const form = await b.forms.ensure("contact", { name: "A", team_id: "acme", settings: { labels: { a: "A" } } });
    expect(form).toMatchObject({ name: "A", team_id: "acme", settings: { key: "contact", labels: { a: "A" } } });
    expect((await b.forms.ensure("contact", { name: "A" })).id).not.toBe(form.id);
    await b.forms.delete(form.id);
    expect((await b.forms.ensure("contact", { name: "New", team_id: "acme" })).name).toBe("New");
  });

  it("refuses what no form can be made of", async () => {
    const b = harness();
    await expect(b.forms.ensure("Contact", { name: "A" })).rejects.toEqual(taken("settings.key"));
    await expect(b.forms.ensure("contact", { name: "" })).rejects.toEqual(taken("name"));
    await expect(b.forms.ensure("contact", { name: "A", ...settings("other") })).rejects.toEqual(taken("settings.key"));
    await expect(b.forms.ensure("contact", { name: "A", team_id: "none" })).rejects.toEqual(taken("team_id"));
    await b.forms.create({ name: "B", ...settings(null, ["mine"]) });
    const inUse = { name: "A", settings: { aliases: ["mine"] } };
    await expect(b.forms.ensure("contact", inUse)).rejects.toEqual(taken("settings.aliases"));
    expect((await b.forms.list()).data).toHaveLength(1);
  });
});
