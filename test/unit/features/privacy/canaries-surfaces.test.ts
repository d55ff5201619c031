import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { mcp } from "../../../../src/surfaces/mcp/index.ts";
import { harness } from "../../../_support/backend.ts";
import { canaries, DAY, emailOf, nest, type Open, send, type Verb } from "../../../_support/canaries.ts";
import { ann, type InboxHarness, inboxHarness } from "../../surfaces/inbox/_inbox.ts";
import { type Rpc, rpc } from "../../surfaces/mcp/_rpc.ts";

const { world, formOf, theirs } = canaries();
const memory: Open = async () => ({ store: memoryStorage() });
const failures: (Verb | "nothing")[] = ["nothing", "get", "page", "commit", "blob.get"];

describe("no line of the log contains what a visitor sent, or a person of the team typed", () => {
  it.each(failures)("over the inbox, where %s of a driver fails", async (verb) => {
    const w = await world<InboxHarness>(memory, {}, (options) => inboxHarness({}, options));
    const [visitor, person] = [nest(), nest()];
    const id = await formOf(w, nest(), 422);
    const { json } = await send(w, id, visitor);
    await w.b.tick();
    const there = w.b.as(ann);
    const submission = `/f/${id}/s/${json.submission_id}`;
    expect((await there.get(submission)).text).toContain(visitor.at("value"));
    if (verb !== "nothing") w.failing.add(verb);
    const queries = [
      `?q=${visitor.at("value")}`,
      `?field[note][eq]=${visitor.at("value")}`,
      `?${person.at("query")}=1`,
    ];
    for (const path of ["/", "/all", `/f/${id}`, submission, `/f/${id}/stats`, "/audit", `/${person.at("path")}`]) {
      for (const query of ["", ...queries]) await there.get(path + query);
    }
    await there.get(`/people?email=${emailOf(visitor)}`);
    await there.post(`/f/${id}/settings/general`, {
      name: person.at("name"),
      [person.at("setting")]: person.at("value"),
    });
    await there.post(`/f/${id}/webhooks`, { url: `https://${person.at("host")}.example/${person.at("token")}` });
    await there.post("/people", { email: emailOf(visitor), action: person.at("action") });
    await there.post(submission, { action: "delete", [person.at("field")]: visitor.at("value") });
    const stranger = w.b.stranger();
    await stranger.get(`/enter?token=${person.at("sign-in token")}`);
    await stranger.post("/enter", { token: person.at("sign-in token") });
    await stranger.post("/sign-in", { key: person.at("API key") });
    w.failing.clear();
    await w.b.sweep();
    await w.b.close();
    const lines = w.log.map((line) => ({ line, places: [visitor, person, theirs].flatMap((from) => from.in(line)) }));
    expect(w.log.length).toBeGreaterThan(0);
    expect(lines.filter(({ places }) => places.length > 0)).toEqual([]);
  });

  it.each(failures)("over MCP, where %s of a driver fails", async (verb) => {
    const w = await world<Rpc>(memory, {}, (options) => rpc(options));
    const [visitor, agent] = [nest(), nest()];
    const form_id = await formOf(w, nest(), 422);
    const { json } = await send(w, form_id, visitor);
    const submission_id = json.submission_id;
    await w.b.tick();
    if (verb !== "nothing") w.failing.add(verb);
    const calls: [string, object][] = [
      ["get_submission", { form_id, submission_id }],
      ["list_submissions", { form_id, q: visitor.at("value"), field: { note: { eq: visitor.at("value") } } }],
      ["list_submissions", { form_id, [agent.at("argument")]: agent.at("value") }],
      ["get_submission", { form_id, submission_id: agent.at("id") }],
      ["create_webhook", { form_id, url: `https://${agent.at("host")}.example/`, confirm: agent.at("confirm") }],
      ["update_form", { form_id, name: agent.at("name"), spam: { words: [agent.at("spam word")] } }],
      ["export_submissions", { form_id, format: agent.at("format") }],
      [agent.at("tool"), {}],
    ];
    for (const [name, args] of calls) await w.b.tool(name, args).catch(() => {});
    await w.b.send(`{"broken": "${agent.at("broken JSON")}`);
    await w.b.send({ jsonrpc: "2.0", id: 1, method: agent.at("method") }, { key: agent.at("key") });
    w.failing.clear();
    await w.b.close();
    const lines = w.log.map((line) => ({ line, places: [visitor, agent, theirs].flatMap((from) => from.in(line)) }));
    expect(w.log.length).toBeGreaterThan(0);
    expect(lines.filter(({ places }) => places.length > 0)).toEqual([]);
  });

  it.each(failures)("by an import, where %s of a driver fails", async (verb) => {
    const w = await world(memory);
    const visitor = nest();
    const id = await formOf(w, nest(), 204);
    if (verb !== "nothing") w.failing.add(verb);
    const rows = rowsOf(visitor);
    await w.b.submissions.import(id, rows, { source: "formspree" }).catch(() => {});
    await w.b.submissions
      .import(id, [...rows, { fields: { [visitor.at("bad name")]: {} } }] as never, { source: "basin" })
      .catch(() => {});
    w.failing.clear();
    await w.b.close();
    expect(w.log.flatMap((line) => visitor.in(line))).toEqual([]);
  });
});

const rowsOf = (visitor: ReturnType<typeof nest>) => [
  {
    source_id: visitor.at("imported id"),
    fields: { email: emailOf(visitor), note: visitor.at("imported value") },
    created_at: "2025-12-01T00:00:00.000Z",
    user_agent: visitor.at("imported agent"),
    referer: `https://site.example/${visitor.at("imported referer")}`,
  },
];

describe.each(["memory", "SQLite"])("nothing of an imported submission is left in %s", (kind) => {
  const open: Open = async (folder) => ({
    store: kind === "memory" ? memoryStorage() : sqliteStorage({ path: join(folder, "forms.db") }),
  });
  it.each(["DELETE", "take back", "retention", "erasure", "deletion of the form"])("after %s", async (way) => {
    const w = await world(open, { inbox: inbox(), mcp: mcp() }, harness);
    const [visitor, tenant] = [nest(), nest()];
    const id = await formOf(w, tenant, 204, { storage: { keep_for: "7_days" } });
    expect(await w.b.submissions.import(id, rowsOf(visitor), { source: "formspree" })).toMatchObject({
      imported: 1,
    });
    expect(visitor.in(await w.rows())).toContain("imported value");
    const [{ id: submission = "" } = {}] = (await w.b.submissions.list(id)).data;
    if (way === "DELETE") await w.b.submissions.delete(id, submission);
    else if (way === "take back") await w.b.submissions.deleteImported(id, "formspree");
    else if (way === "erasure") await w.b.dataSubjects.erase({ email: emailOf(visitor) });
    else if (way === "deletion of the form") await w.b.forms.delete(id);
    if (way === "retention" || way === "deletion of the form") await w.b.clock.advance(31 * DAY);
    await w.b.sweep();
    expect(visitor.in(await w.rows())).toEqual([]);
    expect(visitor.in(w.bytes())).toEqual([]);
    await w.b.close();
  });
});
