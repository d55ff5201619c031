import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { rows } from "../../../../src/surfaces/mcp/operations.ts";
import { tools } from "../../../../src/surfaces/mcp/tools.ts";
import { ALL, connect, jsonIn, running, textIn } from "../../../_support/mcp.ts";
import { plans, worldOf } from "../../../_support/mcp-world.ts";

const NAMES =
  "list_teams, list_forms, get_form, get_form_fields, create_form, update_form, get_form_settings, update_form_settings, add_recipient, remove_recipient, list_email_servers, list_submissions, search_submissions, count_submissions, get_submission, mark_submission_read, mark_submission_spam, restore_submission, bulk_update_submissions, delete_submission, reply_to_submission, export_submissions, list_webhooks, create_webhook, update_webhook, delete_webhook, rotate_webhook_secret, test_webhook, list_webhook_deliveries, get_delivery, redeliver_webhook, backfill_webhook, send_test_email, get_statistics, backtest_spam, get_spam_model";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe("the list of tools", { timeout: 60_000 }, () => {
  it("has every name, in a fixed order, each with its four annotations and lean schemas", async () => {
    const b = await running();
    const listed = await (await connect(b.url, b.key)).list();
    expect(listed.map(({ name }) => name)).toEqual(NAMES.split(", "));
    for (const tool of listed) {
      expect(Object.keys(tool.annotations ?? {}).sort()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
        "title",
      ]);
      expect(tool.description.length).toBeLessThan(2_048);
      expect(JSON.stringify([tool.inputSchema, tool.outputSchema]), tool.name).not.toMatch(/"\$ref"|\{"type":"null"\}/);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    // A model reads the name, the description and the input of each tool.
    const read = listed.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
    expect(JSON.stringify(read).length).toBeLessThan(54_500);
  });

  it("holds only what the options leave", async () => {
    const b = await running({ mcpOptions: { readOnly: true, tools: (name) => name !== "list_teams" } });
    const agent = await connect(b.url, b.key);
    const names = (await agent.list()).map(({ name }) => name);
    expect(names).toEqual(
      tools.filter(({ kind, name }) => kind === "read" && name !== "list_teams").map(({ name }) => name),
    );
    await expect(agent.call("create_form", { name: "X" })).rejects.toThrow(/Unknown tool: create_form/);
    await expect(agent.call("list_teams")).rejects.toThrow(/Unknown tool/);
  });
});

describe("every tool, called once through a real client,", { timeout: 60_000 }, () => {
  it("answers what its output schema says, and the same as text", async () => {
    const b = await running({ plans });
    const { calls } = await worldOf(b);
    const agent = await connect(b.url, b.key, "pinned");
    const schemas = new Map((await agent.list()).map(({ name, outputSchema }) => [name, outputSchema as object]));
    expect(Object.keys(calls).sort()).toEqual([...schemas.keys()].sort());
    for (const [name, args] of Object.entries(calls)) {
      const result = await agent.call(name, args);
      expect(result.isError, `${name}: ${textIn(result)}`).toBeFalsy();
      const valid = ajv.compile(schemas.get(name) as object);
      expect(valid(result.structuredContent), `${name}: ${JSON.stringify(valid.errors)}`).toBe(true);
      const { value, fence } = jsonIn(result);
      expect(value).toEqual(result.structuredContent);
      expect(fence !== null, name).toBe(JSON.stringify(value).includes('"untrusted"'));
    }
  });
});

describe("tools × scopes", { timeout: 60_000 }, () => {
  it("lists what a credential may, and refuses the rest with the scope that is missing", async () => {
    const b = await running({ plans });
    const { calls } = await worldOf(b);
    for (const scope of ALL) {
      const agent = await connect(b.url, await b.keyWith([scope]));
      const listed = (await agent.list()).map(({ name }) => name);
      const allowed = tools.filter(({ operation }) => (rows[operation].scopes ?? []).every((one) => one === scope));
      expect(listed, scope).toEqual(allowed.map(({ name }) => name));
      for (const { name, operation } of tools) {
        if (listed.includes(name)) continue;
        const result = await agent.call(name, calls[name]);
        expect(result.isError, `${name} with ${scope}`).toBe(true);
        const [needed = ""] = rows[operation].scopes ?? [];
        expect(textIn(result)).toMatch(new RegExp(`^insufficient_scope: .*\\nNeeds: ${needed}\\n`));
      }
    }
  });

  it("of other teams answer like missing ones, for every tool that takes a form", async () => {
    const b = await running({ plans });
    const { calls, form_id } = await worldOf(b);
    await b.teams.create({ id: "other", name: "Other", owner: { email: "o@example.com", email_verified: true } });
    const stranger = await connect(b.url, await b.keyWith("all", { team_id: "other" }));
    for (const [name, args] of Object.entries(calls)) {
      if (!("form_id" in args)) continue;
      const missing = await stranger.call(name, { ...args, form_id: "nosuchform1" });
      const theirs = await stranger.call(name, { ...args, form_id });
      expect(theirs.isError, name).toBe(true);
      expect(textIn(theirs), name).toBe(textIn(missing));
      expect(textIn(theirs)).toMatch(/^form_not_found: /);
    }
    for (const name of ["list_forms", "search_submissions", "list_email_servers"]) {
      expect((await stranger.call(name)).structuredContent.data, name).toEqual([]);
    }
    expect((await stranger.call("list_teams")).structuredContent.data.map(({ id }: { id: string }) => id)).toEqual([
      "other",
    ]);
  });

  it("of a key for one form reach no other form", async () => {
    const b = await running({ plans });
    const { calls, form_id } = await worldOf(b);
    const { id: own } = await b.forms.create({ name: "Own" });
    const agent = await connect(b.url, await b.keyWith("all", { form_ids: [own] }));
    for (const [name, args] of Object.entries(calls)) {
      if ("form_id" in args) expect(textIn(await agent.call(name, args)), name).toMatch(/^form_access_restricted/);
    }
    expect((await agent.call("list_forms")).structuredContent.data).toHaveLength(1);
    expect(textIn(await agent.call("search_submissions", { form_id }))).toMatch(/^form_access_restricted/);
  });
});

describe("a plan", { timeout: 60_000 }, () => {
  it("refuses as in the API", async () => {
    const b = await running();
    const owner = { email: "o@example.com", email_verified: true };
    await b.teams.create({ id: "small", name: "Small", plan: "free", owner });
    const key = await b.keyWith("all", { team_id: "small" });
    const { id: form_id } = await b.forms.create({
      name: "F",
      team_id: "small",
      self_email_notification: { recipients: ["a@example.com"] },
    });
    const agent = await connect(b.url, key);
    const result = await agent.call("add_recipient", { form_id, email: "b@example.com" });
    expect(result.isError).toBe(true);
    const answer = await b.call("POST", `/v1/forms/${form_id}/self-email-notification/recipients`, {
      key,
      body: { email: "b@example.com" },
    });
    expect(answer.status).toBe(403);
    expect(textIn(result)).toContain(`plan_restricted: ${answer.json.error.message}`);
  });
});
