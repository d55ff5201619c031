import { describe, expect, it } from "vitest";
import { jsonIn, textIn } from "../../../_support/mcp.ts";
import { rpc } from "./_rpc.ts";

const form = async (b: ReturnType<typeof rpc>, more: object = {}) =>
  (await b.forms.create({ name: "Contact", ...more })).id;

it("a single deletion in bulk needs `confirm` like any other", async () => {
  const b = rpc();
  const form_id = await form(b);
  const { id } = await b.submit(form_id, { fields: { a: "1" } });
  const call = { form_id, action: "delete", ids: [id] };
  const refused = await b.tool("bulk_update_submissions", call);
  expect(refused.isError).toBe(true);
  expect(textIn(refused)).toContain("\nField: confirm\n");
  expect((await b.submissions.list(form_id)).data).toHaveLength(1);
  expect((await b.tool("bulk_update_submissions", { ...call, confirm: "Contact" })).isError).not.toBe(true);
  expect((await b.submissions.list(form_id)).data).toEqual([]);
});

describe("bad input", () => {
  it("an unknown tool is an error of the protocol", async () => {
    await expect(rpc().tool("delete_form", { form_id: "x" })).rejects.toThrow("-32602 Unknown tool: delete_form");
  });

  it("wrong arguments name the field, and what to do", async () => {
    const b = rpc();
    const form_id = await form(b);
    for (const [name, args, field] of [
      ["get_form", {}, "form_id"],
      ["get_form", { form_id: 5 }, "form_id"],
      ["get_form", { form_id, colour: "red" }, "colour"],
      ["list_forms", { limit: 51 }, "limit"],
      ["list_forms", { limit: 0 }, "limit"],
      ["list_forms", { limit: "20" }, "limit"],
      ["list_submissions", { form_id, status: "junk" }, "status"],
      ["list_submissions", { form_id, field: { a: { like: "x" } } }, "field[a][like]"],
      ["list_submissions", { form_id, created_after: "yesterday" }, "created_after"],
      ["update_form", { form_id, spam: { captcha: { provider: "x" } } }, "spam.captcha.provider"],
      ["update_form_settings", { form_id, key: "Not A Key" }, "key"],
      ["create_webhook", { form_id, url: 1 }, "url"],
      ["export_submissions", { form_id, format: "xls" }, "format"],
      ["bulk_update_submissions", { form_id, action: "explode", ids: ["a"] }, "action"],
      ["mark_submission_read", { form_id, submission_id: "x", spam: true }, "spam"],
    ] as const) {
      const result = await b.tool(name, args);
      expect(result.isError, name).toBe(true);
      expect(result.structuredContent).toBeUndefined();
      const text = textIn(result);
      expect(text).toMatch(/^invalid_parameter: /);
      expect(text).toContain(`\nField: ${field}\n`);
      expect(text).toContain("\nNext: ");
    }
  });

  it("a cursor of another list, or a changed one, is refused", async () => {
    const b = rpc();
    const one = await form(b);
    const two = await form(b);
    for (const id of [one, one, two, two]) await b.post(id, { a: "b" });
    const { next_cursor } = (await b.tool("list_submissions", { form_id: one, limit: 1 })).structuredContent;
    expect(next_cursor).toBeTypeOf("string");
    for (const [name, args] of [
      ["list_submissions", { form_id: two, cursor: next_cursor }],
      ["list_submissions", { form_id: one, cursor: next_cursor, status: "spam" }],
      ["list_submissions", { form_id: one, cursor: `${next_cursor}x` }],
      ["list_webhooks", { form_id: one, cursor: next_cursor }],
      ["get_form", { form_id: one, cursor: "abcdefghijkl.1.256" }],
    ] as const) {
      expect(textIn(await b.tool(name, args)), name).toMatch(/^invalid_parameter: .*\nField: cursor\n/);
    }
    const rest = await b.tool("list_submissions", { form_id: one, limit: 1, cursor: next_cursor });
    expect(rest.structuredContent).toMatchObject({ has_more: false, next_cursor: null });
  });

  it("goes on through teams, email servers and webhooks with a cursor of their own", async () => {
    const b = rpc({ plans: { unlimited: { webhooks_per_form: 10 } } });
    const form_id = await form(b);
    for (const name of ["a", "b", "c"]) await b.webhooks.create(form_id, { url: `https://hooks.example.com/${name}` });
    const urls: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, next_cursor, has_more } = (
        await b.tool("list_webhooks", { form_id, limit: 2, ...(cursor && { cursor }) })
      ).structuredContent;
      urls.push(...data.map(({ url }: { url: string }) => url.slice(-1)));
      expect(has_more).toBe(next_cursor !== null);
      cursor = next_cursor ?? undefined;
    } while (cursor);
    expect(urls).toEqual(["a", "b", "c"]);
  });
});

describe("confirm", () => {
  it("is the submission's id, for delete_submission", async () => {
    const b = rpc();
    const form_id = await form(b);
    const submission_id = (await b.post(form_id, { a: "b" })).json.submission_id as string;
    for (const confirm of [undefined, "", "Contact", `${submission_id} `, true]) {
      const result = await b.tool("delete_submission", {
        form_id,
        submission_id,
        ...(confirm !== undefined && { confirm }),
      });
      expect(textIn(result)).toMatch(/^invalid_parameter: `confirm` .*\nField: confirm\n/);
    }
    expect((await b.submissions.list(form_id)).data).toHaveLength(1);
    const done = await b.tool("delete_submission", { form_id, submission_id, confirm: submission_id });
    expect(done.structuredContent).toEqual({ id: submission_id, deleted: true });
  });

  it("is the form's name, for delete_webhook and a bulk of more than one", async () => {
    const b = rpc();
    const form_id = await form(b);
    const { id: webhook_id } = await b.webhooks.create(form_id, { url: "https://hooks.example.com/a" });
    const ids: string[] = [];
    for (const a of ["1", "2"]) ids.push((await b.post(form_id, { a })).json.submission_id as string);
    for (const confirm of [undefined, "contact", webhook_id, form_id]) {
      const more = confirm === undefined ? {} : { confirm };
      for (const [name, args] of [
        ["delete_webhook", { webhook_id }],
        ["bulk_update_submissions", { action: "delete", ids }],
      ] as const) {
        expect(textIn(await b.tool(name, { form_id, ...args, ...more })), name).toMatch(/Field: confirm/);
      }
    }
    const one = await b.tool("bulk_update_submissions", { form_id, action: "mark_read", ids: ids.slice(0, 1) });
    expect(one.structuredContent.changed).toBe(1);
    const both = await b.tool("bulk_update_submissions", { form_id, action: "delete", ids, confirm: "Contact" });
    expect(both.structuredContent.changed).toBe(2);
    expect((await b.tool("delete_webhook", { form_id, webhook_id, confirm: "Contact" })).isError).toBeFalsy();
  });

  it("is optional elsewhere, and then must match all the same", async () => {
    const b = rpc();
    const form_id = await form(b);
    expect(textIn(await b.tool("update_form", { form_id, active: false, confirm: "Other" }))).toMatch(/does not match/);
    expect((await b.tool("update_form", { form_id, active: false, confirm: "Contact" })).structuredContent.active).toBe(
      false,
    );
  });
});

describe("a result over 10,000 tokens", () => {
  const bytes = (result: Parameters<typeof textIn>[0]): number => Buffer.byteLength(textIn(result));

  it("of a list has fewer entries, and its cursor leads to the next one", async () => {
    const b = rpc();
    const form_id = await form(b);
    const sent: string[] = [];
    for (let i = 0; i < 20; i++)
      sent.push((await b.post(form_id, { n: String(i), text: "ж<".repeat(2_000) })).json.submission_id);
    for (const name of ["list_submissions", "export_submissions"]) {
      const ids: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const result = await b.tool(name, {
          form_id,
          order: "asc",
          ...(cursor && { cursor }),
          ...(name.startsWith("export") && { format: "ndjson" }),
        });
        expect(bytes(result)).toBeLessThanOrEqual(30_500);
        const { data, untrusted, next_cursor } = result.structuredContent;
        ids.push(
          ...(
            data ??
            untrusted.content
              .trim()
              .split("\n")
              .map((line: string) => JSON.parse(line))
          ).map(({ id }: { id: string }) => id),
        );
        cursor = next_cursor ?? undefined;
        pages++;
      } while (cursor);
      expect(ids, name).toEqual(sent);
      expect(pages).toBeGreaterThan(3);
    }
  });

  it("of a list of 40 MB is never read as a whole", async () => {
    const b = rpc();
    const form_id = await form(b);
    const fields = Array.from({ length: 14 }, (_, n) => ({ key: `n${n}`, value: "x".repeat(60_000) }));
    const rows = async function* () {
      for (let i = 0; i < 50; i++) yield { created_at: "2025-11-20T08:00:00Z", source_id: String(i), fields };
    };
    expect((await b.submissions.import(form_id, rows(), { source: "test" })).imported).toBe(50);
    for (const name of ["list_submissions", "search_submissions", "export_submissions"]) {
      const result = await b.tool(name, { ...(name !== "search_submissions" && { form_id }), limit: 50 });
      expect(result.isError, textIn(result)).toBeFalsy();
      expect(bytes(result)).toBeLessThanOrEqual(30_500);
      expect(result.structuredContent.has_more).toBe(true);
      expect(result.structuredContent.data?.length ?? result.structuredContent.rows).toBe(1);
    }
  });

  it("of one submission goes on with its cursor, until every value was read", async () => {
    const b = rpc();
    const form_id = await form(b);
    const long = Array.from({ length: 15_000 }, (_, i) => String.fromCodePoint(0x1f300 + (i % 200))).join("");
    const submission_id = (await b.post(form_id, { first: "1", long, quoted: '"'.repeat(9_000), last: "z" })).json
      .submission_id;
    const read = new Map<string, string>();
    let cursor: string | undefined;
    let parts = 0;
    do {
      const result = await b.tool("get_submission", { form_id, submission_id, ...(cursor && { cursor }) });
      expect(bytes(result)).toBeLessThanOrEqual(30_500);
      for (const { key, value } of result.structuredContent.untrusted.fields)
        read.set(key, (read.get(key) ?? "") + value);
      cursor = result.structuredContent.next_cursor;
      expect(result.structuredContent.cut).toBe(cursor ? true : undefined);
      parts++;
    } while (cursor);
    expect(parts).toBeGreaterThan(2);
    expect(Object.fromEntries(read)).toEqual({ first: "1", long, quoted: '"'.repeat(9_000), last: "z" });
    const listed = (await b.tool("list_submissions", { form_id })).structuredContent.data[0];
    expect(listed.cut).toBe(true);
    expect(JSON.stringify(listed).length).toBeLessThan(30_500);
  });

  it("of a form and its settings shows long texts and lists in parts", async () => {
    const b = rpc();
    const html = `<p>${"Hällo ".repeat(15_000)}</p>`;
    const words = Array.from({ length: 500 }, (_, i) => `${i} ${"w".repeat(90)}`);
    const form_id = await form(b, { self_email_notification: { template: { html } }, settings: { spam: { words } } });
    const whole = async (name: string, at: (value: never) => string | string[]) => {
      let read: unknown[] = [];
      let cursor: string | undefined;
      do {
        const result = await b.tool(name, { form_id, ...(cursor && { cursor }) });
        expect(bytes(result)).toBeLessThanOrEqual(30_500);
        read = [...read, ...at(result.structuredContent as never)];
        cursor = result.structuredContent.next_cursor;
        expect(cursor === undefined).toBe(result.structuredContent.cut === undefined);
      } while (cursor);
      return read;
    };
    const text = await whole(
      "get_form",
      (value: { self_email_notification: { template: { html: string } } }) =>
        value.self_email_notification.template.html,
    );
    expect(text.join("")).toBe(html);
    expect(await whole("get_form_settings", (value: { spam: { words: string[] } }) => value.spam.words)).toEqual(words);
    const changed = await b.tool("update_form", { form_id, active: true });
    expect(bytes(changed)).toBeLessThanOrEqual(30_500);
    expect(changed.structuredContent.cut).toEqual(["self_email_notification.template.html"]);
    expect(jsonIn(changed).value).toEqual(changed.structuredContent);
  });

  it("of statistics and field names goes on as well", async () => {
    const b = rpc();
    const form_id = await form(b, { settings: { statistics: { enabled: true } } });
    const range = { from: "2025-12-20T00:00:00Z", to: "2026-01-04T00:00:00Z", interval: "hour" };
    const starts: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, next_cursor } = (await b.tool("get_statistics", { form_id, ...range, ...(cursor && { cursor }) }))
        .structuredContent;
      starts.push(...data.map(({ start }: { start: string }) => start));
      cursor = next_cursor ?? undefined;
    } while (cursor);
    expect(new Set(starts).size).toBe(360);
  });
});
