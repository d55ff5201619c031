import { describe, expect, it } from "vitest";
import { airtable, BASE, TABLE, tableUrl } from "../../../../_support/destinations/fakes.ts";
import { fault } from "../../submissions/_submissions.ts";
import { overFaults, withService } from "./_destination.ts";

const body = { url: tableUrl, format: "airtable", config: { token: "pat.secret" } } as const;

describe("a record in Airtable", () => {
  it("gets the fields that the table has, and names the others", async () => {
    const b = await withService(airtable, body);
    const { id, status, message } = await b.sent({ name: "Ada", shoe: "42", n: "1" });
    expect([...b.service.records.values()]).toEqual([
      { submission_id: id, created_at: expect.any(String), Name: "Ada", n: "1" },
    ]);
    expect([status, message]).toEqual(["succeeded", "Left out, because the table has no such field: shoe"]);
  });

  it("learns from refusals which fields the table has, where the token may not read that", async () => {
    const b = await withService((now) => airtable(now, { fields: ["submission_id", "n"], schema: false }), body);
    const { id, message } = await b.sent({ shoe: "42", hat: "L", n: "1" });
    expect([...b.service.records.values()]).toEqual([{ submission_id: id, n: "1" }]);
    expect(message).toBe("Left out, because the table has no such field: shoe, hat");
  });

  it("goes with nine others in one request, in order", async () => {
    const b = await withService(airtable, body);
    const ids = [];
    for (let n = 0; n < 25; n++) ids.push(await b.now({ n: `${n}` }));
    await b.clock.advance(10_000);
    // A delivery that is read late, on a busy machine, is in the next request: the order is that of each request.
    expect([...b.service.records.keys()].sort()).toEqual(ids);
    const sent: string[][] = b.service.got
      .filter(({ method }) => method === "PATCH")
      .map(({ json }) => json.records.map((one: { fields: { submission_id: string } }) => one.fields.submission_id));
    expect(sent.map((batch) => batch.length)).toEqual([10, 10, 5]);
    for (const batch of sent) expect(batch).toEqual([...batch].sort());
  });

  it("is one record of a submission that changed before it was written", async () => {
    const b = await withService(airtable, { ...body, events: ["submission.created", "submission.updated"] });
    const id = await b.now({ n: "1" });
    await b.submissions.update(b.id, id, { labels: ["vip"] });
    await b.clock.advance(10_000);
    const sent = b.service.got.filter(({ method }) => method === "PATCH").map(({ json }) => json.records);
    expect(sent).toEqual([[{ fields: expect.objectContaining({ submission_id: id }) }]]);
    expect(await b.jobs.list({ form_id: b.id, kind: "webhook", status: "succeeded" })).toHaveLength(2);
  });

  it("is there once each, over refusals, lost answers and kills", async () => {
    const { service, ids, seen, states } = await overFaults(
      airtable,
      body,
      80,
      (n) => ({ n: `${n}` }),
      ({ method }) => method === "PATCH",
    );
    expect([...service.records.keys()].sort()).toEqual([...ids].sort());
    expect(ids.map((id) => service.records.get(id)?.["n"])).toEqual(ids.map((_, n) => `${n}`));
    expect([seen.kills, states]).toEqual([4, new Set(["succeeded"])]);
  }, 120_000);
});

describe("what a person has to mend in Airtable", () => {
  it.each([
    ["a refused token", { ...body, config: { token: "pat.old" } }, {}, "Airtable refuses the token"],
    ["a missing table", { ...body, url: `https://airtable.com/${BASE}/tblZzZzZzZz123456` }, {}, "finds no table"],
    ["a missing field for the id", body, { fields: ["Name"] }, "has no field “submission_id”"],
    ["the same without the schema", body, { fields: ["name"], schema: false }, "has no field “submission_id”"],
  ])("is %s", async (_, create, options, words) => {
    const b = await withService((now) => airtable(now, options), create);
    const { status, message } = await b.sent({ name: "Ada" });
    expect([status, message]).toEqual(["failed", expect.stringContaining(words)]);
    expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ enabled: false });
    expect(b.mailed()).toContain(words);
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({
      delivered: false,
      message: expect.stringContaining(words),
    });
  });

  it("waits 30 seconds at the limit, for the others too", async () => {
    const b = await withService(airtable, body);
    b.service.fate.fate = () => ({ status: 429, json: { errors: [{ error: "RATE_LIMIT_REACHED" }] } });
    const id = await b.now({ n: "1" });
    await b.tick();
    expect(await b.delivery(id)).toMatchObject({ status: "retrying", http_status: 429 });
    b.service.fate.fate = () => undefined;
    await b.now({ n: "2" });
    await b.clock.advance(29_000);
    expect(b.service.records.size).toBe(0);
    await b.clock.advance(40_000);
    expect(b.service.records.size).toBe(2);
  });
});

it.each([
  ["a shared view", `https://airtable.com/${BASE}/shrAbCdEfGh123456`],
  ["a base", `https://airtable.com/${BASE}`],
  ["no address", TABLE],
])("Airtable's address is not that of %s", async (_, url) => {
  const b = await withService(airtable, body);
  expect(fault(await b.call("POST", b.path, { body: { ...body, url } }))).toEqual([400, "invalid_parameter", "url"]);
  expect(JSON.stringify(await b.webhooks.list(b.id))).not.toContain("pat.secret");
});
