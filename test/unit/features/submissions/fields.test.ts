import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import { fault, submitted } from "./_submissions.ts";

const fields = (b: Awaited<ReturnType<typeof submitted>>) => b.call("GET", `/v1/forms/${b.id}/fields`);

describe("GET /v1/forms/{form_id}/fields", () => {
  it("answers names with count and last_seen, most used first, ties by name, spam included", async () => {
    const b = await submitted();
    await b.submitted({ email: "a", zeta: "1", tag: ["x", "y"] });
    await b.submitted({ email: "b", alpha: "1" }, { spam: true });
    const { status, json } = await fields(b);
    expect(status).toBe(200);
    expect(json).toEqual({
      data: [
        { name: "email", count: 2, last_seen: "2026-01-01T00:00:02.000Z" },
        { name: "alpha", count: 1, last_seen: "2026-01-01T00:00:02.000Z" },
        { name: "tag", count: 1, last_seen: "2026-01-01T00:00:01.000Z" },
        { name: "zeta", count: 1, last_seen: "2026-01-01T00:00:01.000Z" },
      ],
      submissions_read: 2,
    });
    expect(await b.forms.fields(b.id)).toEqual(json);
  });

  it("answers an empty list for a form without submissions", async () => {
    expect((await fields(await submitted())).json).toEqual({ data: [], submissions_read: 0 });
  });

  it("field name list: newest 2,000 submissions read, first 200 names returned", async () => {
    const storage = memoryStorage();
    const b = await submitted({ storage });
    await storage.commit(
      Array.from({ length: 2_050 }, (_, i) => ({
        op: "put" as const,
        collection: "submissions",
        id: `s${String(i).padStart(5, "0")}`,
        value: {
          form_id: b.id,
          team_id: "default",
          created_at: new Date(Date.UTC(2026, 0, 1) + i).toISOString(),
          updated_at: "2026-01-01T00:00:00.000Z",
          spam: false,
          // The oldest 50 carry a name of their own, which is not reached; the rest share 250 names.
          fields: [{ key: i < 50 ? "old" : `n${String(i % 250).padStart(3, "0")}`, value: "1" }],
        },
      })),
    );
    const { json } = await fields(b);
    expect(json.submissions_read).toBe(2_000);
    expect(json.data).toHaveLength(200);
    expect(json.data[0]).toMatchObject({ name: "n000", count: 8 });
    expect(json.data[199]).toMatchObject({ name: "n199", count: 8 });
    expect(json.data.map(({ name }: { name: string }) => name)).not.toContain("old");
  });

  it.each([
    ["few pages of light submissions", 10, 2_000, [101, 202, 404, 500, 500, 293]],
    ["a few at a time of those that weigh 100 KB", 100_000, 50, [6, 6, 6, 6, 6, 6, 6, 6, 2, 0]],
  ])("reads %s", async (_, weight, count, lengths) => {
    const storage = memoryStorage();
    const read: number[] = [];
    const b = await submitted({
      storage: {
        ...storage,
        async page(collection, query) {
          const rows = await storage.page(collection, query);
          if (collection === "submissions") read.push(rows.length);
          return rows;
        },
      },
    });
    const created_at = new Date(Date.UTC(2026, 0, 1)).toISOString();
    const times = { created_at, updated_at: created_at };
    const sent = [{ key: "name", value: "x".repeat(weight - "name".length) }];
    await storage.commit(
      Array.from({ length: count }, (_, i) => ({
        op: "put" as const,
        collection: "submissions",
        id: `s${String(i).padStart(5, "0")}`,
        value: { form_id: b.id, team_id: "default", ...times, spam: false, fields: sent },
      })),
    );
    const { json } = await fields(b);
    expect(json).toEqual({ data: [{ name: "name", count, last_seen: created_at }], submissions_read: count });
    expect(read).toEqual(lengths);
  });

  it("asks for the scope forms:read and for a form that is there", async () => {
    const b = await submitted();
    const { json } = await b.call("GET", `/v1/forms/${b.id}/fields`, { key: await b.keyWith(["submissions:read"]) });
    expect([json.error.code, json.error.required]).toEqual(["insufficient_scope", ["forms:read"]]);
    expect(fault(await b.call("GET", "/v1/forms/nosuchform1/fields"))).toEqual([404, "form_not_found", undefined]);
  });
});
