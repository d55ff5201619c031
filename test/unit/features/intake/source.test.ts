import { describe, expect, it } from "vitest";
import { csvRows, jsonRows } from "../../../../src/surfaces/import/index.ts";
import { harness } from "../../../_support/backend.ts";

const spring = { utm_source: "news", utm_campaign: "spring sale", referrer: "https://blog.example/post" };

async function world(settings: object = { source: { enabled: true } }) {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "Lead", settings });
  const send = (source: string, rest = "") =>
    b.post(id, `email=ann%40example.com&_source=${encodeURIComponent(source)}${rest}`);
  const newest = async () => (await b.submissions.list(id, { limit: 1, status: "all" })).data[0];
  return { b, id, send, newest };
}

describe("the source of a submission", () => {
  it("is kept apart from the fields, in answers, lists and webhooks' content", async () => {
    const { b, id, send, newest } = await world();
    expect((await send(JSON.stringify(spring))).status).toBe(200);
    expect(await newest()).toMatchObject({ source: spring, fields: [{ key: "email", value: "ann@example.com" }] });
    const { data } = (await b.call("GET", `/v1/forms/${id}/submissions`)).json;
    expect(data[0].source).toEqual(spring);
    expect((await b.call("GET", `/v1/forms/${id}/submissions/${data[0].id}`)).json.source).toEqual(spring);
  });

  it("is dropped where the form does not keep it, and hand-written utm fields stay ordinary fields", async () => {
    const { send, newest } = await world({});
    expect((await send(JSON.stringify(spring), "&utm_source=mine")).status).toBe(200);
    const stored = await newest();
    expect(stored).not.toHaveProperty("source");
    expect(stored?.fields.map(({ key }) => key)).toEqual(["email", "utm_source"]);
  });

  it.each([
    ["no JSON", "{", undefined],
    ["a list", "[1]", undefined],
    ["nothing", "", undefined],
    ["null", "null", undefined],
    [
      "other names, other types and long values",
      JSON.stringify({ evil: "x", __proto__: "x", utm_a: 7, utm_b: "x".repeat(501), utm_c: "c" }),
      { utm_c: "c" },
    ],
    ["500 characters", JSON.stringify({ utm_term: "ü".repeat(500) }), { utm_term: "ü".repeat(500) }],
    ["10 KB of values", JSON.stringify({ utm_term: "x".repeat(10_000), gclid: "g" }), { gclid: "g" }],
    ["a name of its own", '{"__proto__":"x","constructor":"y","utm_x":"z"}', { utm_x: "z" }],
  ])("never refuses a post: %s", async (_, sent, kept) => {
    const { send, newest } = await world();
    expect((await send(sent)).status).toBe(200);
    expect((await newest())?.source).toEqual(kept);
  });

  it("keeps 20 members at most, and reads no text that is longer than all of them", async () => {
    const { send, newest } = await world();
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`utm_n${i}`, "x"]));
    await send(JSON.stringify(many));
    expect(Object.keys((await newest())?.source ?? {})).toHaveLength(20);
    await send(JSON.stringify({ utm_source: "a", pad: "x".repeat(64 * 1024 - 30) }));
    expect((await newest())?.source).toEqual({ utm_source: "a" });
  });

  it("may be an object in a JSON post", async () => {
    const { b, id, newest } = await world();
    const body = JSON.stringify({ email: "ann@example.com", _source: spring });
    expect((await b.post(id, body, { "content-type": "application/json" })).status).toBe(200);
    expect((await newest())?.source).toEqual(spring);
  });

  it("does not say a value that the form encrypts, drops or hides", async () => {
    const { send, newest } = await world({ source: { enabled: true }, fields: { email: { store: "drop" } } });
    const leaking = { utm_source: "news", landing_page: "https://shop.example/ann@example.com" };
    await send(JSON.stringify(leaking));
    expect((await newest())?.source).toEqual({ utm_source: "news" });
  });

  it("filters and groups, over HTTP and in process", async () => {
    const { b, id, send } = await world();
    await send(JSON.stringify(spring));
    await send(JSON.stringify({ utm_source: "ads", utm_campaign: "Spring Fair" }));
    await send("");
    const list = async (query: string) =>
      (await b.call("GET", `/v1/forms/${id}/submissions?${query}`)).json.data.length;
    expect(await list("source[utm_campaign][eq]=spring+sale")).toBe(1);
    expect(await list("source[utm_campaign][contains]=SPRING")).toBe(2);
    expect(await list("source[utm_source][in]=ads,news")).toBe(2);
    expect(await list("source[gclid][exists]=true")).toBe(0);
    expect(await list("source[utm_source][exists]=false")).toBe(1);
    expect(await list("field[utm_campaign][eq]=spring+sale")).toBe(0);
    const found = await b.submissions.list(id, { source: { utm_source: { starts_with: "AD" } } });
    expect(found.data).toHaveLength(1);
    const count = await b.submissions.count(id, { group_by: "source:utm_source" });
    expect([count.other, new Map(count.groups?.map(({ key, count }) => [key, count]))]).toEqual([
      1,
      new Map([
        ["news", 1],
        ["ads", 1],
      ]),
    ]);
  });

  it.each([
    ["source[email][eq]=x", "source[email]"],
    ["source[utm_x][is]=x", "source[utm_x][is]"],
    ["source[]=x", "source[]"],
    [
      "field[a][eq]=1&field[b][eq]=1&field[c][eq]=1&source[utm_a][eq]=1&source[utm_b][eq]=1&source[utm_c][eq]=1",
      "source[utm_c][eq]",
    ],
  ])("refuses the filter %s", async (query, param) => {
    const { b, id } = await world();
    const { status, json } = await b.call("GET", `/v1/forms/${id}/submissions?${query}`);
    expect([status, json.error?.code, json.error?.param]).toEqual([400, "invalid_parameter", param]);
  });

  it.each(["csv", "json", "ndjson"] as const)("is exported as %s, and comes back by an import", async (format) => {
    const { b, id, send } = await world();
    await send(JSON.stringify(spring));
    await send("");
    const stream = await b.submissions.export(id, { format });
    const text = await new Response(stream).text();
    if (format === "csv")
      expect(text).toContain("email,_source.utm_source,_source.utm_campaign,_source.referrer,attachments");
    const { id: other } = await b.forms.create({ name: "Copy", settings: { source: { enabled: true } } });
    const rows = (format === "csv" ? csvRows : jsonRows)(new Blob([text]).stream());
    expect(await b.submissions.import(other, rows, { source: "copy" })).toMatchObject({ imported: 2 });
    const copied = (await b.submissions.list(other)).data.map(({ source, fields }) => [source, fields.length]);
    expect(new Set(copied.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify([null, 1]), JSON.stringify([spring, 1])]),
    );
  });

  it("survives a confirmation of the address", async () => {
    const { b, id, send } = await world({
      source: { enabled: true },
      double_opt_in: { enabled: true, field: "email" },
    });
    await send(JSON.stringify(spring));
    const { data } = await b.submissions.list(id, { status: "pending", source: { utm_source: { eq: "news" } } });
    expect(data[0]?.source).toEqual(spring);
  });
});
