import { describe, expect, it } from "vitest";
import { fault, ids, submitted } from "./_submissions.ts";

describe("GET /v1/forms/{form_id}/submissions", () => {
  it("answers a SubmissionList, newest first, with every field of a Submission", async () => {
    const b = await submitted();
    const first = await b.submitted({ email: "ann@example.com", tag: ["a", "b"] }, { country: "DE" });
    const second = await b.submitted({ email: "bob@example.com" });
    const { status, json } = await b.list();
    expect(status).toBe(200);
    expect(json).toMatchObject({ has_more: false, next_cursor: null });
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(json.data[1]).toEqual({
      id: first,
      form_id: b.id,
      created_at: "2026-01-01T00:00:01.000Z",
      spam: false,
      read: false,
      ip: "203.0.113.9",
      country: "DE",
      user_agent: null,
      referer: null,
      fields: [
        { key: "email", value: "ann@example.com" },
        { key: "tag", value: "a" },
        { key: "tag", value: "b" },
      ],
      attachments: [],
    });
  });

  it("limit: 1 to 100, default 25", async () => {
    const b = await submitted();
    for (let i = 0; i < 27; i++) await b.submit(b.id, { fields: { n: String(i) } });
    expect((await b.list()).json.data).toHaveLength(25);
    expect((await b.list("?limit=1")).json.data).toHaveLength(1);
    expect((await b.list("?limit=100")).json.data).toHaveLength(27);
    for (const limit of ["0", "101", "-1", "1.5", "ten", "", "1e2", "%201"]) {
      expect(fault(await b.list(`?limit=${limit}`)), limit).toEqual([400, "invalid_parameter", "limit"]);
    }
  });

  it("cursor: walks every page without loss or repeat, both ways, within one millisecond too", async () => {
    const b = await submitted();
    for (let i = 0; i < 11; i++) await b.submit(b.id, { fields: { n: String(i) } });
    for (const order of ["desc", "asc"]) {
      const seen: string[] = [];
      let cursor = "";
      do {
        const { json } = await b.list(`?limit=3&order=${order}${cursor && `&cursor=${cursor}`}`);
        seen.push(...json.data.map(({ fields }: { fields: { value: string }[] }) => fields[0]?.value));
        expect(json.has_more).toBe(json.next_cursor !== null);
        cursor = json.next_cursor ?? "";
      } while (cursor);
      const all = Array.from({ length: 11 }, (_, i) => String(i));
      expect(seen).toEqual(order === "asc" ? all : all.reverse());
    }
  });

  it("cursor: survives the removal of the row it was taken at", async () => {
    const b = await submitted();
    const all = [];
    for (let i = 0; i < 5; i++) all.unshift(await b.submitted({ n: String(i) }));
    const page = await b.list("?limit=2");
    await b.submissions.delete(b.id, all[1] as string);
    expect(ids(await b.list(`?limit=2&cursor=${page.json.next_cursor}`))).toEqual([all[2], all[3]]);
  });

  it("cursor: one that was tampered with, or is another query's, is 400 on `cursor`", async () => {
    const b = await submitted();
    for (let i = 0; i < 3; i++) await b.submitted({ n: String(i) });
    const other = await b.forms.create({ name: "Other" });
    const cursor: string = (await b.list("?limit=1")).json.next_cursor;
    const [payload = "", mac = ""] = cursor.split(".");
    const forged = Buffer.from(JSON.stringify(["2026-01-01T00:00:03.000Z", "0"])).toString("base64url");
    const wrong = [`${forged}.${mac}`, payload, `${payload}.`, `.${mac}`, `${cursor}x`, `${cursor}.x`, "x", "%00", ""];
    for (const bad of wrong) {
      expect(fault(await b.list(`?limit=1&cursor=${bad}`)), bad).toEqual([400, "invalid_parameter", "cursor"]);
    }
    const paths = [
      `/v1/forms/${b.id}/submissions?order=asc`,
      `/v1/forms/${b.id}/submissions?status=all`,
      `/v1/forms/${b.id}/submissions?q=1`,
      `/v1/forms/${b.id}/submissions?field[n][eq]=1`,
      `/v1/forms/${b.id}/submissions?read=false`,
      `/v1/forms/${b.id}/submissions?country=DE`,
      `/v1/forms/${b.id}/submissions?created_after=2026-01-01T00:00:00Z`,
      `/v1/forms/${b.id}/submissions?created_before=2027-01-01T00:00:00Z`,
      `/v1/forms/${other.id}/submissions?`,
      `/v1/submissions?`,
      `/v1/forms?`,
    ];
    for (const path of paths) {
      expect(fault(await b.call("GET", `${path}&cursor=${cursor}`)), path).toEqual([
        400,
        "invalid_parameter",
        "cursor",
      ]);
    }
    expect((await b.list(`?limit=2&cursor=${cursor}`)).status, "another page size is the same query").toBe(200);
  });

  it("order: asc, desc and nothing else", async () => {
    const b = await submitted();
    const all = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" })];
    expect(ids(await b.list("?order=asc"))).toEqual(all);
    expect(ids(await b.list("?order=desc"))).toEqual(all.toReversed());
    expect(fault(await b.list("?order=newest"))).toEqual([400, "invalid_parameter", "order"]);
  });

  it("refuses a form that is not there, and asks for the scope submissions:read", async () => {
    const b = await submitted();
    expect(fault(await b.call("GET", "/v1/forms/nosuchform1/submissions"))).toEqual([404, "form_not_found", undefined]);
    const { status, json } = await b.list("", await b.keyWith(["forms:read", "forms:write", "submissions:write"]));
    expect([status, json.error.code, json.error.required]).toEqual([403, "insufficient_scope", ["submissions:read"]]);
  });

  it("lists nothing of a form that stores nothing", async () => {
    const b = await submitted();
    await b.forms.update(b.id, { storage: { store_submissions: false } });
    const id = await b.submitted({ email: "ann@example.com" });
    expect((await b.list()).json.data).toEqual([]);
    expect(fault(await b.call("GET", `/v1/forms/${b.id}/submissions/${id}`))).toEqual([
      404,
      "submission_not_found",
      undefined,
    ]);
  });
});

describe("GET /v1/forms/{form_id}/submissions/{submission_id}", () => {
  it("answers the submission", async () => {
    const b = await submitted();
    const id = await b.submitted({ email: "ann@example.com" });
    const { status, json } = await b.call("GET", `/v1/forms/${b.id}/submissions/${id}`);
    expect(status).toBe(200);
    expect(json).toEqual((await b.list()).json.data[0]);
    expect(await b.submissions.get(b.id, id)).toEqual({
      ...json,
      verdict: [],
      values: { email: "ann@example.com" },
      files: [],
      work: { state: "open", assignee: null, labels: [], snoozed_until: null, notes: 0 },
      read_by: [],
    });
  });

  it("404 submission_not_found: unknown, of another form, removed", async () => {
    const b = await submitted();
    const other = await b.forms.create({ name: "Other" });
    const id = await b.submitted({ email: "ann@example.com" });
    const elsewhere = await b.submitted({ email: "ann@example.com" }, { form: other.id });
    await b.submissions.delete(b.id, id);
    for (const missing of [id, elsewhere, "000000000000000000000000", "x", "%00", "%F0%9F%92%A9"]) {
      expect(fault(await b.call("GET", `/v1/forms/${b.id}/submissions/${missing}`)), missing).toEqual([
        404,
        "submission_not_found",
        undefined,
      ]);
    }
  });
});
