import { describe, expect, it } from "vitest";
import { fault, ids, type Submitted, submitted } from "./_submissions.ts";

/** A form with one submission of each kind; answers the names of those that a query lists, oldest first. */
async function variety(): Promise<Submitted & { named(query: string): Promise<string[]> }> {
  const b = await submitted();
  const names = new Map<string, string>();
  const add = async (name: string, ...args: Parameters<Submitted["submitted"]>): Promise<void> => {
    names.set(await b.submitted(...args), name);
  };
  await add("ann", { email: "Ann@Example.com", city: "Köln" }, { country: "DE" });
  await add("bob", { email: "bob@example.com", city: "", "a[b]": "1" }, { country: "FR" });
  await add("eve", { email: "eve@example.com", tag: ["x", "y,z"], "naïve][🙂": "50%_off" });
  await add("spam", { email: "spam@example.com" }, { spam: true });
  const read = [...names].find(([, name]) => name === "bob")?.[0] as string;
  await b.submissions.update(b.id, read, { read: true });
  return Object.assign(b, {
    async named(query: string) {
      const answer = await b.list(`?order=asc&${query}`);
      expect(answer.status, JSON.stringify(answer.json)).toBe(200);
      return ids(answer).map((id) => names.get(id) as string);
    },
  });
}

describe("submission queries", () => {
  it("status: inbox (default), spam, all", async () => {
    const b = await variety();
    expect(await b.named("")).toEqual(["ann", "bob", "eve"]);
    expect(await b.named("status=inbox")).toEqual(["ann", "bob", "eve"]);
    expect(await b.named("status=spam")).toEqual(["spam"]);
    expect(await b.named("status=all")).toEqual(["ann", "bob", "eve", "spam"]);
  });

  it("read: true, false", async () => {
    const b = await variety();
    expect(await b.named("read=true")).toEqual(["bob"]);
    expect(await b.named("read=false")).toEqual(["ann", "eve"]);
  });

  it("country: codes, comma separated, whatever their case; unknown", async () => {
    const b = await variety();
    expect(await b.named("country=DE")).toEqual(["ann"]);
    expect(await b.named("country=fr,DE,US")).toEqual(["ann", "bob"]);
    expect(await b.named("country=unknown")).toEqual(["eve"]);
    expect(await b.named("country=unknown,FR")).toEqual(["bob", "eve"]);
  });

  it("created_after includes its moment, created_before does not, in any offset", async () => {
    const b = await variety();
    expect(await b.named("created_after=2026-01-01T00:00:02.000Z")).toEqual(["bob", "eve"]);
    expect(await b.named("created_before=2026-01-01T00:00:02.000Z")).toEqual(["ann"]);
    expect(await b.named("created_after=2026-01-01T00:00:02Z&created_before=2026-01-01T00:00:03Z")).toEqual(["bob"]);
    expect(await b.named("created_after=2026-01-01T01:00:03%2B01:00")).toEqual(["eve"]);
    expect(await b.named("created_after=2027-01-01T00:00:00Z&created_before=2026-01-01T00:00:00Z")).toEqual([]);
  });

  it("q: literal, case-insensitive text in any value", async () => {
    const b = await variety();
    expect(await b.named("q=EXAMPLE")).toEqual(["ann", "bob", "eve"]);
    expect(await b.named("q=k%C3%96LN")).toEqual(["ann"]);
    expect(await b.named("q=50%25_o")).toEqual(["eve"]);
    expect(await b.named("q=5%25")).toEqual([]);
    expect(await b.named("q=email")).toEqual([]);
  });

  it("words: all of them, in any order and any value; phrases in quotes; at most 20", async () => {
    const b = await variety();
    expect(await b.named("words=EXAMPLE")).toEqual(["ann", "bob", "eve"]);
    expect(await b.named("words=k%C3%B6ln+ann@example")).toEqual(["ann"]);
    expect(await b.named("words=ann+bob")).toEqual([]);
    expect(await b.named("words=%22y,z%22+50%25_")).toEqual(["eve"]);
    expect(await b.named("words=%22example.com+bob%22")).toEqual([]);
    expect(await b.named("words=%22ann@")).toEqual(["ann"]);
    const many = Array.from({ length: 21 }, (_, n) => `w${n}`).join("+");
    for (const words of ["%22%22", "+", many]) expect(fault(await b.list(`?words=${words}`))).toContain("words");
  });

  it("field[NAME][eq], case and all", async () => {
    const b = await variety();
    expect(await b.named("field[email][eq]=bob@example.com")).toEqual(["bob"]);
    expect(await b.named("field[email][eq]=BOB@example.com")).toEqual([]);
    expect(await b.named("field[city][eq]=")).toEqual(["bob"]);
    expect(await b.named("field[tag][eq]=y,z")).toEqual(["eve"]);
  });

  it("field[NAME][contains] and [starts_with], whatever the case", async () => {
    const b = await variety();
    expect(await b.named("field[email][contains]=N%40EXAM")).toEqual(["ann"]);
    expect(await b.named("field[email][starts_with]=BOB")).toEqual(["bob"]);
    expect(await b.named("field[email][starts_with]=ob")).toEqual([]);
  });

  it("field[NAME][exists]=true, false", async () => {
    const b = await variety();
    expect(await b.named("field[city][exists]=true")).toEqual(["ann", "bob"]);
    expect(await b.named("field[city][exists]=false")).toEqual(["eve"]);
  });

  it("field[NAME][in], comma separated", async () => {
    const b = await variety();
    expect(await b.named("field[tag][in]=q,x")).toEqual(["eve"]);
    expect(await b.named("field[email][in]=bob@example.com,eve@example.com")).toEqual(["bob", "eve"]);
  });

  it("takes names with brackets, percent signs and any script, encoded or not", async () => {
    const b = await variety();
    expect(await b.named("field[a[b]][eq]=1")).toEqual(["bob"]);
    expect(await b.named("field%5Ba%5Bb%5D%5D%5Beq%5D=1")).toEqual(["bob"]);
    expect(await b.named(`field[${encodeURIComponent("naïve][🙂")}][contains]=%25_`)).toEqual(["eve"]);
    expect(await b.named("field[__proto__][exists]=false")).toEqual(["ann", "bob", "eve"]);
  });

  it("ANDs every filter", async () => {
    const b = await variety();
    expect(await b.named("field[email][contains]=example&field[city][exists]=true&q=K%C3%B6ln")).toEqual(["ann"]);
    expect(await b.named("field[email][contains]=example&field[email][starts_with]=eve&read=false")).toEqual(["eve"]);
    expect(await b.named("q=ann&country=FR")).toEqual([]);
  });

  it("takes 5 field filters and 20 values of `in`", async () => {
    const b = await variety();
    const five = [1, 2, 3, 4, 5].map((n) => `field[f${n}][exists]=false`).join("&");
    expect(await b.named(five)).toEqual(["ann", "bob", "eve"]);
    const twenty = Array.from({ length: 19 }, (_, i) => `v${i}`).join(",");
    expect(await b.named(`field[tag][in]=${twenty},x`)).toEqual(["eve"]);
  });

  const many = (n: number): string => Array.from({ length: n }, (_, i) => `v${i}`).join(",");
  const bad: [query: string, param: string][] = [
    ["status=new", "status"],
    ["status=", "status"],
    ["read=yes", "read"],
    ["read=1", "read"],
    ["country=DEU", "country"],
    ["country=DE,", "country"],
    ["country=", "country"],
    ["country=D1", "country"],
    ["created_after=yesterday", "created_after"],
    ["created_after=2026-01-01", "created_after"],
    ["created_after=2026-02-30T00:00:00Z", "created_after"],
    ["created_before=2026-01-01T00:00:00", "created_before"],
    ["created_before=9999-12-31T23:59:59-23:00", "created_before"],
    ["created_before=1767225600", "created_before"],
    ["q=", "q"],
    [`q=${"x".repeat(1001)}`, "q"],
    ["q=a&q=b", "q"],
    ["limit=5&limit=6", "limit"],
    ["field=x", "field"],
    ["field[email]=x", "field[email]"],
    ["field[]=x", "field[]"],
    ["field[][eq]=x", "field[][eq]"],
    ["field[email][eq]x=1", "field[email][eq]x"],
    ["field[email][]=x", "field[email][]"],
    ["field[email][gt]=1", "field[email][gt]"],
    ["field[email][EQ]=1", "field[email][EQ]"],
    ["field[email][not_contains]=1", "field[email][not_contains]"],
    ["field[a[b]][like]=1", "field[a[b]][like]"],
    ["field[email][exists]=yes", "field[email][exists]"],
    ["field[email][exists]=", "field[email][exists]"],
    ["field[email][in]=", "field[email][in]"],
    [`field[email][in]=${many(21)}`, "field[email][in]"],
    ["field[email][eq]=a&field[email][eq]=b", "field[email][eq]"],
    [`field[${"n".repeat(201)}][eq]=x`, `field[${"n".repeat(201)}][eq]`],
    [[1, 2, 3, 4, 5, 6].map((n) => `field[f${n}][eq]=x`).join("&"), "field[f6][eq]"],
    ["Field[email][eq]=x", "Field[email][eq]"],
    ["status[eq]=inbox", "status[eq]"],
    ["page=2", "page"],
    ["form_id=x", "form_id"],
    ["__proto__=1", "__proto__"],
    ["team_id=default", "team_id"],
  ];
  for (const [query, param] of bad) {
    it(`400 invalid_parameter on ${param.slice(0, 40)}: ?${query.slice(0, 80)}`, async () => {
      const b = await submitted();
      expect(fault(await b.list(`?${query}`))).toEqual([400, "invalid_parameter", param]);
      expect(fault(await b.call("GET", `/v1/forms/${b.id}/submissions/export?format=json&${query}`))).toEqual([
        400,
        "invalid_parameter",
        param,
      ]);
      // The list over all forms takes these two.
      if (param !== "form_id" && param !== "team_id") {
        expect(fault(await b.call("GET", `/v1/submissions?${query}`))).toEqual([400, "invalid_parameter", param]);
      }
    });
  }

  it("takes the same filters in process, typed", async () => {
    const b = await variety();
    const emails = async (query: Parameters<typeof b.submissions.list>[1]): Promise<unknown[]> =>
      (await b.submissions.list(b.id, { order: "asc", ...query })).data.map(({ fields }) => fields[0]?.value);
    expect(await emails({ status: "spam", limit: 1 })).toEqual(["spam@example.com"]);
    expect(await emails({ read: true })).toEqual(["bob@example.com"]);
    expect(await emails({ country: ["DE", "FR"], q: "ann" })).toEqual(["Ann@Example.com"]);
    expect(await emails({ field: { tag: { in: ["y,z"] }, city: { exists: false } } })).toEqual(["eve@example.com"]);
    const refused: [object, string][] = [
      [{ limit: 0 }, "limit"],
      [{ limit: 1.5 }, "limit"],
      [{ read: "yes" }, "read"],
      [{ field: { email: { like: "x" } } }, "field[email][like]"],
      [{ field: { email: "x" } }, "field[email]"],
      [{ field: "x" }, "field"],
      [{ nonsense: 1 }, "nonsense"],
    ];
    for (const [query, param] of refused) {
      await expect(b.submissions.list(b.id, query), JSON.stringify(query)).rejects.toMatchObject({
        name: "ApiError",
        status: 400,
        code: "invalid_parameter",
        param,
      });
    }
  });
});
