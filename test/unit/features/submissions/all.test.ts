import { describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/index.ts";
import { fault, ids, submitted } from "./_submissions.ts";

/** Two teams with forms, and a host session that covers both. */
async function twoTeams() {
  let caller: Caller = { auth: "host", id: "s", team_ids: ["default", "team_b"], scopes: "all", form_ids: null };
  const b = await submitted({ authenticate: () => caller });
  await b.teams.create({ id: "team_b", name: "B" });
  await b.teams.create({ id: "team_c", name: "C" });
  const second = await b.forms.create({ name: "Second" });
  const other = await b.forms.create({ name: "B" }, { team_id: "team_b" });
  const foreign = await b.forms.create({ name: "C" }, { team_id: "team_c" });
  const all = [
    await b.submitted({ n: "1" }),
    await b.submitted({ n: "2" }, { form: second.id }),
    await b.submitted({ n: "3" }, { form: other.id }),
    await b.submitted({ n: "4" }),
  ] as [string, string, string, string];
  const hidden = await b.submitted({ n: "5" }, { form: foreign.id });
  return Object.assign(b, {
    all,
    hidden,
    second: second.id,
    other: other.id,
    foreign: foreign.id,
    as: (patch: Partial<Caller>) => {
      caller = { ...caller, ...patch };
    },
    everywhere: (query = "", key: string | null = b.key) => b.call("GET", `/v1/submissions${query}`, { key }),
  });
}

describe("GET /v1/submissions", () => {
  it("lists every form of a key's team, newest first", async () => {
    const b = await twoTeams();
    const [one, two, , four] = b.all;
    expect(ids(await b.everywhere())).toEqual([four, two, one]);
    expect(ids(await b.everywhere("?order=asc"))).toEqual([one, two, four]);
    expect(ids(await b.everywhere("?q=2"))).toEqual([two]);
  });

  it("merges several teams, page by page", async () => {
    const b = await twoTeams();
    expect(ids(await b.everywhere("", null))).toEqual(b.all.toReversed());
    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await b.everywhere(`?limit=1${cursor && `&cursor=${cursor}`}`, null);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      cursor = json.next_cursor ?? "";
    } while (cursor);
    expect(seen).toEqual(b.all.toReversed());
  });

  it("form_id, repeated, narrows", async () => {
    const b = await twoTeams();
    const [one, two, three, four] = b.all;
    expect(ids(await b.everywhere(`?form_id=${b.second}`))).toEqual([two]);
    expect(ids(await b.everywhere(`?form_id=${b.second}&form_id=${b.id}`))).toEqual([four, two, one]);
    expect(ids(await b.everywhere(`?form_id=${b.id}&form_id=${b.id}`))).toEqual([four, one]);
    expect(ids(await b.everywhere(`?form_id=${b.other}&form_id=${b.second}`, null))).toEqual([three, two]);
    const many = Array.from({ length: 101 }, () => `form_id=${b.id}`).join("&");
    expect(fault(await b.everywhere(`?${many}`))).toEqual([400, "invalid_parameter", "form_id"]);
  });

  it("404 form_not_found: a form_id of another team or of no form, without telling which", async () => {
    const b = await twoTeams();
    const answers = [await b.everywhere(`?form_id=${b.other}`), await b.everywhere("?form_id=nosuchform1")];
    for (const answer of answers) expect(fault(answer)).toEqual([404, "form_not_found", undefined]);
    const [a, c] = answers.map(({ json }) => ({ ...json.error, request_id: "" }));
    expect(a).toEqual(c);
  });

  it("403 form_access_restricted: a form_id outside the key's forms", async () => {
    const b = await twoTeams();
    const key = await b.keyWith("all", { form_ids: [b.second] });
    expect(fault(await b.everywhere(`?form_id=${b.id}`, key))).toEqual([403, "form_access_restricted", undefined]);
  });

  it("shows a restricted key its own forms only, whatever ids it was made with", async () => {
    const b = await twoTeams();
    const [, two] = b.all;
    const key = await b.keyWith("all", { form_ids: [b.second, b.foreign, "nosuchform1"] });
    expect(ids(await b.everywhere("", key))).toEqual([two]);
    const none = await b.keyWith("all", { form_ids: ["nosuchform1"] });
    expect((await b.everywhere("", none)).json).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  it("lists what a deleted form has left, for its team and for a key that was restricted to it", async () => {
    const b = await twoTeams();
    const [one, two, , four] = b.all;
    await b.call("DELETE", `/v1/forms/${b.second}`);
    expect(ids(await b.everywhere())).toEqual([four, two, one]);
    expect(ids(await b.everywhere(`?form_id=${b.second}`))).toEqual([two]);
    expect(ids(await b.everywhere("", await b.keyWith("all", { form_ids: [b.second] })))).toEqual([two]);
    const elsewhere = await b.keyWith("all", { form_ids: [b.id] });
    expect(fault(await b.everywhere(`?form_id=${b.second}`, elsewhere))[1]).toBe("form_access_restricted");
    expect(fault(await b.everywhere(`?form_id=${b.second}`, await b.keyWith("all", { team_id: "team_c" })))[1]).toBe(
      "form_not_found",
    );
    expect(fault(await b.call("GET", `/v1/forms/${b.second}/submissions`))[1]).toBe("form_not_found");
  });

  it("leaves a suspended team out of the list, and refuses it when a form of it is named", async () => {
    const b = await twoTeams();
    const [one, two, three, four] = b.all;
    await b.teams.update("team_b", { active: false });
    expect(ids(await b.everywhere("", null))).toEqual([four, two, one]);
    expect(fault(await b.everywhere(`?form_id=${b.other}`, null))).toEqual([403, "team_inactive", undefined]);
    await b.forms.delete(b.other);
    expect(fault(await b.everywhere(`?form_id=${b.other}`, null))).toEqual([403, "team_inactive", undefined]);
    await b.teams.update("team_b", { active: true, owner: { email_verified: false } });
    expect(ids(await b.everywhere("", null))).not.toContain(three);
    expect(fault(await b.everywhere(`?form_id=${b.other}`, null))).toEqual([403, "owner_unverified", undefined]);
  });

  it("a cursor is bound to what the caller reaches", async () => {
    const b = await twoTeams();
    const { next_cursor } = (await b.everywhere("?limit=1", null)).json;
    b.as({ team_ids: ["default", "team_c"] });
    expect(fault(await b.everywhere(`?limit=1&cursor=${next_cursor}`, null))).toEqual([
      400,
      "invalid_parameter",
      "cursor",
    ]);
  });

  it("takes the last one of a deleted form back from the trash, or removes it there", async () => {
    const b = await twoTeams();
    const two = b.all[1];
    await b.forms.delete(b.second);
    await b.submissions.delete(b.second, two, { trash: true });
    const trashed = async () => (await b.submissions.list(b.second, { status: "trash" })).data.map(({ id }) => id);
    expect(await trashed()).toEqual([two]);
    expect(ids(await b.everywhere(`?form_id=${b.second}&status=trash`))).toEqual([two]);
    await b.submissions.bulk(b.second, { ids: [two], action: "restore" });
    expect((await b.submissions.list(b.second)).data.map(({ id }) => id)).toEqual([two]);
    await b.submissions.delete(b.second, two, { trash: true });
    await b.submissions.bulk(b.second, { ids: [two], action: "delete_forever" });
    await expect(trashed()).rejects.toMatchObject({ code: "form_not_found" });
  });

  it("lists every team in process, deleted forms included, by form too", async () => {
    const b = await twoTeams();
    await b.forms.delete(b.second);
    const { data } = await b.submissions.list(null);
    expect(data.map(({ id }) => id)).toEqual([b.hidden, ...b.all.toReversed()]);
    const left = await b.submissions.list(b.second);
    expect(left.data.map(({ id }) => id)).toEqual([b.all[1]]);
    expect(await b.submissions.get(b.second, b.all[1])).toMatchObject({ form_id: b.second });
    expect(await b.submissions.count(b.second)).toEqual({ count: 1, exact: true });
    expect(await new Response(await b.submissions.export(b.second)).text()).toContain(b.all[1]);
    await b.submissions.delete(b.second, b.all[1]);
    await expect(b.submissions.list(b.second)).rejects.toMatchObject({ code: "form_not_found" });
    const narrowed = await b.submissions.list(null, { form_id: [b.other, b.foreign], order: "asc", limit: 1 });
    expect(narrowed).toMatchObject({ data: [{ id: b.all[2] }], has_more: true });
  });
});
