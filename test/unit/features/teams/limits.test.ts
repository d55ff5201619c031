import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { RateStore, TeamCreate } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

/** A form of a team with these limits, in processes that share one store. */
async function limited(limits: NonNullable<TeamCreate["limits"]>, processes = 1) {
  const storage = memoryStorage();
  const backends = Array.from({ length: processes }, () => harness({ storage, rateLimit: false }));
  const [b] = backends as [Harness];
  await b.teams.create({ id: "acme", name: "Acme", limits });
  const { id } = await b.forms.create({ name: "A" }, { team_id: "acme" });
  return { b, backends, id };
}

describe("the limits of a team", () => {
  it("are none at first, and each is set and taken away by itself", async () => {
    const b = harness();
    const none = { posts_per_second: null, file_bytes: null, stored_submissions: null, keys: null };
    expect((await b.teams.create({ id: "acme", name: "Acme" })).limits).toEqual(none);
    expect((await b.teams.get("default")).limits).toEqual(none);
    await b.teams.update("acme", { limits: { keys: 3 } });
    await b.teams.update("acme", { limits: { posts_per_second: 5 } });
    expect((await b.teams.get("acme")).limits).toEqual({ ...none, keys: 3, posts_per_second: 5 });
    await b.teams.update("acme", { limits: { keys: null } });
    expect((await b.teams.get("acme")).limits).toEqual({ ...none, posts_per_second: 5 });
  });

  it("are none of a team that was stored before there were any", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    await b.teams.create({ id: "acme", name: "Acme" });
    const [stored] = (await storage.get("teams", ["acme"])).values();
    const { limits: _, ...before } = stored?.value ?? {};
    await storage.commit([{ op: "put", collection: "teams", id: "acme", value: before }]);
    await b.clock.advance(3_000);
    expect((await b.teams.get("acme")).limits).toEqual({
      posts_per_second: null,
      file_bytes: null,
      stored_submissions: null,
      keys: null,
    });
  });

  it.each([
    ["limits.posts_per_second", { posts_per_second: 0 }],
    ["limits.keys", { keys: 1.5 }],
    ["limits.file_bytes", { file_bytes: -1 }],
    ["limits.stored_submissions", { stored_submissions: "10" }],
    ["limits.forms", { forms: 1 }],
  ])("%s is named where it is wrong", async (param, limits) => {
    const b = harness();
    const input = { name: "X", limits } as TeamCreate;
    await expect(b.teams.create(input)).rejects.toMatchObject({ code: "invalid_parameter", param });
  });
});

describe("posts_per_second", () => {
  it("counts the posts to all forms of the team, whoever sends them, and those of no other team", async () => {
    const { b, id } = await limited({ posts_per_second: 2 });
    const { id: second } = await b.forms.create({ name: "B" }, { team_id: "acme" });
    const { id: other } = await b.forms.create({ name: "C" });
    const statuses = [];
    for (const form of [id, second, id, second, other]) statuses.push((await b.post(form, { n: "1" })).status);
    expect(statuses).toEqual([200, 200, 429, 429, 200]);
    const refused = await b.post(id, { n: "1" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit-policy")).toBe('"team";q=2;w=1');
    await b.clock.advance(1_000);
    expect((await b.post(id, { n: "1" })).status).toBe(200);
  });

  it("counts changes by senders as well", async () => {
    const { b } = await limited({ posts_per_second: 2 });
    const { id } = await b.forms.create({ name: "B", settings: { edit: { enabled: true } } }, { team_id: "acme" });
    const { edit_url } = (await b.post(id, { n: "1" })).json;
    const change = (n: string) => b.fetch(new Request(edit_url, { method: "POST", body: new URLSearchParams({ n }) }));
    expect((await change("2")).status).toBe(200);
    const refused = await change("what was typed");
    expect(refused.status).toBe(429);
    // The page has it again, so that nobody sends the stored value in its place.
    expect(await refused.text()).toContain("what was typed");
    await b.clock.advance(1_000);
    expect((await change("3")).status).toBe(200);
  });

  it("is counted by the store of rates for all processes, with the points of each team", async () => {
    const asked: string[] = [];
    const counts = new Map<string, number>();
    // Each key has its second in it, so that no timer is needed.
    const store: RateStore = ({ name, points }) => {
      asked.push(`${name}:${points}`);
      return {
        consume: async (key, more = 1) => {
          const count = (counts.get(name + key) ?? 0) + more;
          counts.set(name + key, count);
          const state = { remainingPoints: points - count, msBeforeNext: 1_000 };
          return count > points ? Promise.reject(state) : state;
        },
      };
    };
    const storage = memoryStorage();
    const processes = [0, 1].map(() => harness({ storage, rateLimit: { store } })) as [Harness, Harness];
    const forms = await Promise.all(
      [3, 5].map(async (posts_per_second) => {
        const team = await processes[0].teams.create({ name: "T", limits: { posts_per_second } });
        return (await processes[0].forms.create({ name: "A" }, { team_id: team.id })).id;
      }),
    );
    for (const [at, most] of [3, 5].entries()) {
      const statuses = [];
      for (let i = 0; i < 8; i++)
        statuses.push((await (processes[i % 2] as Harness).post(forms[at] ?? "", { n: "1" })).status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(most);
    }
    const ofTeams = asked.filter((name) => name.startsWith("perTeam"));
    expect(ofTeams).toEqual(["perTeam:3", "perTeam:3", "perTeam:5", "perTeam:5"]);
  });

  it("changes within two seconds, and counts nothing that came in process", async () => {
    const { b, id } = await limited({ posts_per_second: 1 });
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: "1" } });
    expect((await b.post(id, { n: "1" })).status).toBe(200);
    expect((await b.post(id, { n: "1" })).status).toBe(429);
    await b.teams.update("acme", { limits: { posts_per_second: null } });
    await b.clock.advance(2_000);
    for (let i = 0; i < 5; i++) expect((await b.post(id, { n: "1" })).status).toBe(200);
  });
});

describe("keys", () => {
  it("are refused beyond the limit, until one is revoked or has expired", async () => {
    const { b } = await limited({ keys: 2 });
    const create = (more = {}) => b.keys.create({ team_id: "acme", name: "k", scopes: "all", ...more });
    const { id } = await create();
    await create({ expires_at: "2026-01-02T00:00:00Z" });
    await expect(create()).rejects.toMatchObject({
      code: "limit_reached",
      status: 409,
      message: 'The team "acme" can have 2 keys; revoke one first.',
    });
    await b.keys.create({ name: "of another team", scopes: "all" });
    await b.keys.revoke(id);
    await create();
    await expect(create()).rejects.toMatchObject({ code: "limit_reached" });
    await b.clock.advance(86_400_000);
    await create();
  });

  it("take no more than the last place when several processes create them at the same time", async () => {
    const { b, backends } = await limited({ keys: 3 }, 3);
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        (backends[i % 3] as Harness).keys.create({ team_id: "acme", name: `k${i}`, scopes: "all" }),
      ),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await b.keys.list({ team_id: "acme" })).toHaveLength(3);
  });
});
