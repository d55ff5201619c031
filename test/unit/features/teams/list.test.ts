import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const many = async (count: number) => {
  const b = harness();
  for (let n = 0; n < count; n++) {
    await b.teams.create({
      id: `team_${n}`,
      name: n % 2 ? `Bakery ${n}` : `Studio ${n}`,
      plan: n % 3 ? "free" : "unlimited",
      owner: { email: `owner${n}@example.com` },
    });
  }
  return b;
};
const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);

describe("a list of teams", () => {
  it("comes in pages, oldest first, each team once", async () => {
    const b = await many(7);
    const ids: string[] = [];
    let cursor: string | undefined;
    const sizes: number[] = [];
    do {
      const page = await b.teams.list({ limit: 3, ...(cursor !== undefined && { cursor }) });
      expect(page.has_more).toBe(page.next_cursor !== null);
      sizes.push(page.data.length);
      ids.push(...idsOf(page));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(sizes).toEqual([3, 3, 2]);
    expect(ids.sort()).toEqual(["default", ...Array.from({ length: 7 }, (_, n) => `team_${n}`)]);
  });

  it("is narrowed by a text, a plan and whether they are on, across pages", async () => {
    const b = await many(8);
    await b.teams.update("team_3", { active: false });
    expect(idsOf(await b.teams.list({ q: "BAKERY" }))).toEqual(["team_1", "team_3", "team_5", "team_7"]);
    expect(idsOf(await b.teams.list({ q: "owner4@" }))).toEqual(["team_4"]);
    expect(idsOf(await b.teams.list({ q: "team_6" }))).toEqual(["team_6"]);
    expect(idsOf(await b.teams.list({ active: false }))).toEqual(["team_3"]);
    const first = await b.teams.list({ q: "bakery", plan: "free", limit: 2 });
    expect(idsOf(first)).toEqual(["team_1", "team_5"]);
    const second = await b.teams.list({ q: "bakery", plan: "free", limit: 2, cursor: first.next_cursor ?? "" });
    expect([idsOf(second), second.has_more]).toEqual([["team_7"], false]);
  });

  it("names a wrong parameter, and refuses the cursor of another question", async () => {
    const b = await many(3);
    const { next_cursor } = await b.teams.list({ limit: 1 });
    const cursor = next_cursor ?? "";
    await expect(b.teams.list({ q: "bakery", cursor })).rejects.toMatchObject({ param: "cursor" });
    await expect(b.teams.list({ limit: 101 })).rejects.toMatchObject({ code: "invalid_parameter", param: "limit" });
    await expect(b.teams.list({ q: "" })).rejects.toMatchObject({ param: "q" });
    const misspelt = { actve: true } as object;
    await expect(b.teams.list(misspelt)).rejects.toMatchObject({ code: "invalid_parameter" });
  });
});

describe("a team that must be there", () => {
  it("is created once, however many ask at the same time, and stays as it is", async () => {
    const b = harness();
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => b.teams.ensure("acme", { name: `Name ${n}` })));
    expect(new Set(all.map(({ name }) => name)).size).toBe(1);
    await b.teams.update("acme", { name: "Renamed" });
    expect(await b.teams.ensure("acme", { name: "Other", plan: "unlimited" })).toMatchObject({ name: "Renamed" });
    expect((await b.teams.list()).data).toHaveLength(2);
  });

  it("throws what creating it throws", async () => {
    const b = harness();
    await expect(b.teams.ensure("acme", { name: "", plan: "free" })).rejects.toMatchObject({ param: "name" });
    await expect(b.teams.ensure("acme", { name: "A", plan: "gold" })).rejects.toMatchObject({ param: "plan" });
    await expect(b.teams.ensure("no spaces", { name: "A" })).rejects.toMatchObject({ param: "id" });
  });
});
