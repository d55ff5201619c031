import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const ANN = "ann@example.com";

/** Two forms that keep drafts, one of another team, with drafts of two people. */
async function drafts() {
  const b = harness({ rateLimit: false });
  await b.teams.create({ id: "other", name: "Other" });
  const make = async (team_id: string) =>
    (await b.forms.create({ name: "Application", team_id, settings: { drafts: { enabled: true } } })).id;
  const [own, foreign] = [await make("default"), await make("other")];
  let names = 0;
  const put = (form: string, fields: object) =>
    b.call("PUT", `/f/${form}/drafts/${`draft${names++}`.padEnd(32, "x")}`, { key: null, body: fields });
  await put(own, { email: "Ann@Example.com", age: 40, wishes: ["a", null, true] });
  await put(own, { email: "joann@example.com" });
  await put(own, { note: ["write to ann@example.com."] });
  await put(foreign, { email: ANN });
  const export_ = async (key = b.key) =>
    (await b.call("POST", "/v1/data-subjects/export", { key, body: { email: ANN } })).json;
  return { b, own, foreign, export_ };
}

describe("the drafts of a person", () => {
  it("are in the export, without the name that opens them, and nobody else's", async () => {
    const { b, own, foreign, export_ } = await drafts();
    const { data, drafts: found } = await export_();
    expect(data).toEqual([]);
    expect(found).toHaveLength(2);
    const expires_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(found).toEqual(
      expect.arrayContaining([
        { form_id: own, fields: { email: "Ann@Example.com", age: 40, wishes: ["a", null, true] }, expires_at },
        { form_id: own, fields: { note: ["write to ann@example.com."] }, expires_at },
      ]),
    );
    expect(JSON.stringify(found)).not.toContain("draft0");
    expect((await b.dataSubjects.export({ email: ANN, team_id: null })).drafts).toHaveLength(3);
    const other = await b.keyWith(["submissions:read"], { team_id: "other" });
    expect((await export_(other)).drafts).toMatchObject([{ form_id: foreign }]);
  });

  it("are gone from it after they were erased, as is the member", async () => {
    const { b, export_ } = await drafts();
    await b.call("POST", "/v1/data-subjects/erase", { body: { email: ANN } });
    expect(await export_()).toEqual({ data: [] });
    expect((await b.dataSubjects.export({ email: "joann@example.com", team_id: null })).drafts).toHaveLength(1);
  });

  it("of forms that a key can't reach are in no export of it", async () => {
    const { b, export_ } = await drafts();
    const { id } = await b.forms.create({ name: "Contact" });
    expect(await export_(await b.keyWith(["submissions:read"], { form_ids: [id] }))).toEqual({ data: [] });
  });
});
