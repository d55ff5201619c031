import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const email = "ann@example.com";

describe("a person's data in process", () => {
  async function withTeams(...teams: string[]) {
    const b = harness();
    const forms: Record<string, string> = {};
    for (const id of teams) {
      if (id !== "default") await b.teams.create({ id, name: id });
      const form = await b.forms.create({ name: id, settings: { drafts: { enabled: true } } }, { team_id: id });
      forms[id] = form.id;
      await b.submit(form.id, { fields: { email, from: id } });
    }
    const left = async () => {
      const counts = await Promise.all(teams.map((id) => b.submissions.count(forms[id]!)));
      return counts.map(({ count }) => count);
    };
    return { b, left };
  }

  it("is of one team, and must name it as soon as there is another", async () => {
    const { b, left } = await withTeams("default", "a", "b");
    const refused = { status: 400, code: "invalid_parameter", param: "team_id" };
    await expect(b.dataSubjects.erase({ email })).rejects.toMatchObject(refused);
    await expect(b.dataSubjects.export({ email })).rejects.toMatchObject(refused);
    await expect(b.dataSubjects.erase({ email, team_id: "none" })).rejects.toMatchObject(refused);
    await expect(b.dataSubjects.erase({ email, team_id: 1 as never })).rejects.toMatchObject(refused);
    expect(await left()).toEqual([1, 1, 1]);

    const { data } = await b.dataSubjects.export({ email, team_id: "a" });
    expect(data.map(({ fields }) => fields.at(-1)?.value)).toEqual(["a"]);
    // Suspended or not: the person has a right to it.
    await b.teams.update("a", { active: false });
    expect(await b.dataSubjects.erase({ email, team_id: "a" })).toMatchObject({ erased: { submissions: 1 } });
    expect(await left()).toEqual([1, 0, 1]);
    expect((await b.dataSubjects.export({ email, team_id: null })).data).toHaveLength(2);
    expect(await b.dataSubjects.erase({ email, team_id: null })).toMatchObject({ erased: { submissions: 2 } });
    expect(await left()).toEqual([0, 0, 0]);
  });

  it("needs no team while there is one", async () => {
    const { b, left } = await withTeams("default");
    expect((await b.dataSubjects.export({ email })).data).toHaveLength(1);
    await b.dataSubjects.erase({ email });
    expect(await left()).toEqual([0]);
  });

  it("can name no team over HTTP: the credential does", async () => {
    const { b } = await withTeams("default", "a");
    const answer = await b.call("POST", "/v1/data-subjects/erase", { body: { email, team_id: "a" } });
    expect([answer.status, answer.json.error.param]).toEqual([400, "team_id"]);
  });

  it("lists the submissions of one team, among all", async () => {
    const { b } = await withTeams("default", "a", "b");
    const of = async (query: object) =>
      (await b.submissions.list(null, query)).data.map(({ fields }) => fields.at(-1)?.value).sort();
    expect(await of({})).toEqual(["a", "b", "default"]);
    expect(await of({ team_id: "b" })).toEqual(["b"]);
    expect(await of({ team_id: "none" })).toEqual([]);
  });
});
