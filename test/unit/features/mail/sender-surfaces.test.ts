import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mcp } from "../../../../src/surfaces/mcp/index.ts";
import { sendingDomain, startDns } from "../../../_support/dns.ts";
import { textIn } from "../../../_support/mcp.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { terminal } from "../../../_support/terminal.ts";
import { formOf } from "../../surfaces/inbox/_form.ts";
import { inboxHarness } from "../../surfaces/inbox/_inbox.ts";
import { messageIn } from "../../surfaces/mcp/_rpc.ts";

const FROM = "no-reply@forms.test";

/** Verifies the domain of a team, in a DNS of its own. */
async function verified(b: Awaited<ReturnType<typeof inboxHarness>>, team: string, domain: string): Promise<void> {
  const dns = await startDns({});
  const options = { selectors: ["s1"], dns: dns.address };
  const { records } = await b.teams.verifyDomain(team, domain, options);
  dns.zone = sendingDomain(domain, records[0]?.value ?? "");
  expect(await b.teams.verifyDomain(team, domain, options)).toMatchObject({ verified: true });
}

/** A customer's form on a backend with every surface. The host lists domains, which are for its own team alone. */
async function world() {
  const b = inboxHarness(
    {},
    {
      from: `Forms <${FROM}>`,
      senderDomains: ["forms.test", "listed.test"],
      mcp: mcp(),
      rateLimit: false,
    },
  );
  onTestFinished(() => b.close());
  await b.teams.create({ id: "acme", name: "Acme" });
  await b.teams.create({ id: "bolt", name: "Bolt" });
  await verified(b, "bolt", "bolt.test");
  const { key } = await b.keys.create({ team_id: "acme", name: "k", scopes: "all" });
  const { id } = await b.forms.create(
    { name: "A", self_email_notification: { recipients: ["owner@acme.test"] }, settings: { key: "a" } },
    { team_id: "acme" },
  );
  const cwd = temporaryDirectory();
  const shell = terminal({
    cwd,
    env: { FORM_BACKEND_URL: b.baseUrl, FORM_BACKEND_KEY: key },
    fetch: (request) => b.fetch(request),
  });
  return { b, key, id, cwd, ...shell };
}
type World = Awaited<ReturnType<typeof world>>;

/** A way to set the address of a form: what it says when it is refused, null where it is taken. */
type Way = (w: World, email: string) => Promise<string | null>;

const owner = (email: string) => ({ self_email_notification: { sender: { email } } });
const reply = (email: string) => ({ settings: { from_email: email } });

const patched =
  (body: (email: string) => object): Way =>
  async ({ b, id, key }, email) => {
    const { status, text } = await b.call("PATCH", `/v1/forms/${id}`, { key, body: body(email) });
    return status === 200 ? null : text;
  };

const inInbox =
  (section: string, leaf: string): Way =>
  async ({ b, id }, email) => {
    const person = b.as({ team_ids: ["acme"] });
    const at = `/f/${id}/settings/${section}`;
    const fields = formOf((await person.get(at)).text, at);
    expect(fields).toHaveProperty([leaf]);
    const { status, text } = await person.post(at, { ...fields, [leaf]: email });
    return status === 303 ? null : text;
  };

const overMcp =
  (name: string, args: (w: World, email: string) => object): Way =>
  async (w, email) => {
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: { ...args(w, email) } },
    };
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
    const { result, error } = messageIn(await w.b.call("POST", "/mcp", { key: w.key, body, headers }));
    expect(error).toBeUndefined();
    const said = result as Parameters<typeof textIn>[0];
    return said.isError ? textIn(said) : null;
  };

const asCode =
  (form: (email: string) => object): Way =>
  async ({ cli, cwd }, email) => {
    writeFileSync(join(cwd, "forms.config.json"), JSON.stringify({ forms: { a: { name: "A", ...form(email) } } }));
    const { code, err } = await cli("apply", "--yes");
    return code === 0 ? null : err;
  };

/** A call in process: its error, null where it is taken. */
const inProcess =
  (call: (w: World, email: string) => Promise<unknown>): Way =>
  (w, email) =>
    call(w, email).then(
      () => null,
      (error: Error) => error.message,
    );

let keys = 0;
const ways: Record<string, Way> = {
  "the API, for a new form": async ({ b, key }, email) => {
    const { status, text } = await b.call("POST", "/v1/forms", { key, body: { name: "A", ...owner(email) } });
    return status === 201 ? null : text;
  },
  "a call in process": inProcess(({ b, id }, email) => b.forms.update(id, owner(email))),
  "a call in process, for replies": inProcess(({ b, id }, email) => b.forms.update(id, reply(email))),
  "a call in process, for a new form": inProcess(({ b }, email) =>
    b.forms.create({ name: "A", ...owner(email) }, { team_id: "acme" }),
  ),
  "a call in process, for a form with a key": inProcess(({ b }, email) =>
    b.forms.ensure(`k${++keys}`, { name: "A", team_id: "acme", ...owner(email) }),
  ),
  "what new forms of the team have": inProcess(async ({ b }, email) => {
    await b.teams.update("acme", { defaults: owner(email) });
    await b.forms.create({ name: "A" }, { team_id: "acme" }).finally(() => b.teams.update("acme", { defaults: {} }));
  }),
  "the API": patched(owner),
  "the API, for replies": async ({ b, id, key }, email) => {
    const { status, text } = await b.call("PATCH", `/v1/forms/${id}/settings`, { key, body: { from_email: email } });
    return status === 200 ? null : text;
  },
  "the inbox": inInbox("notification", "self_email_notification.sender.email"),
  "the inbox, for replies": inInbox("reply", "settings.from_email"),
  MCP: overMcp("update_form", ({ id }, email) => ({ form_id: id, ...owner(email), confirm: "A" })),
  "MCP, for replies": overMcp("update_form_settings", ({ id }, email) => ({ form_id: id, from_email: email })),
  "MCP, for a new form": overMcp("create_form", (_, email) => ({ name: "A", ...owner(email) })),
  "forms as code": asCode(owner),
  "forms as code, for replies": asCode(reply),
};

/** Of the host's domain, of one that the host lists, of nobody here, of one that looks like ours, and of another team that has verified it. */
const foreign = [
  "ceo@bolt.test",
  "ceo@bоlt.test",
  "security@forms.test",
  "sales@listed.test",
  "ceo@bank.test",
  "no-reply@forms.test.evil.test",
];

describe.each(Object.entries(ways))("a customer's form sends over the host's server, set over %s,", (_, set) => {
  it("as the host's own address and no other", async () => {
    const w = await world();
    for (const email of foreign) expect(await set(w, email), email).toMatch(/[Mm]ust be empty/);
    expect(await set(w, FROM)).toBeNull();
    const { data } = await w.b.forms.list();
    const stored = data.map(({ self_email_notification, settings }) => [
      self_email_notification.sender.email,
      settings.from_email,
    ]);
    expect(stored.flat().filter((email) => email !== "" && email !== FROM)).toEqual([]);
    await w.b.submit(w.id, { fields: { email: "ann@example.com" } });
    await w.b.tick();
    expect(w.b.mails.map(({ from }) => from.address)).toEqual([FROM]);
  });
});

it("the older API keeps any address for answers alone, and mail comes from the host's", async () => {
  const { b, key } = await world();
  for (const email of foreign.filter((address) => /^[\x21-\x7e]+$/.test(address))) {
    const body = { name: "A", email: "owner@acme.test", selfEmail_from: `CEO <${email}>` };
    const { status, json } = await b.call("PUT", "/api/form", { key: null, body, headers: { api_key: key } });
    if (status !== 200) {
      expect(json.message).toMatch(/[Mm]ust be|unknown/);
      continue;
    }
    const made = String(json.formUrl).split("/").at(-1) ?? "";
    await b.submit(made, { fields: { message: "Hello" } });
  }
  await b.tick();
  for (const { from } of b.mails) expect(from.address).toBe(FROM);
});

it("a copied or moved form leaves the verified domain of its team behind", async () => {
  const { b } = await world();
  const sender = { sender: { name: "CEO", email: "ceo@bolt.test" }, recipients: ["owner@acme.test"] };
  const form = await b.forms.create({ name: "B", self_email_notification: sender }, { team_id: "bolt" });
  const copy = await b.forms.copy(form.id, { team_id: "acme" });
  await b.forms.move(form.id, { team_id: "acme" });
  for (const id of [form.id, copy.id]) await b.submit(id, { fields: { message: "Hello" } });
  await b.tick();
  expect(b.mails.map(({ from }) => from.address)).toEqual([FROM, FROM]);
  await expect(b.teams.update("acme", { brand: { from: "ceo@bolt.test" } })).rejects.toMatchObject({
    param: "brand.from",
  });
});

it("over the team's own mail server, forms as code may set any address", async () => {
  const w = await world();
  const server = { name: "S", host: "smtp.acme.test", port: 587, from: "hi@acme.test", team_id: "acme" };
  const { id: server_id } = await w.b.emailServers.create(server);
  const config = { name: "A", self_email_notification: { sender: { server_id, email: "ceo@bank.test" } } };
  writeFileSync(join(w.cwd, "forms.config.json"), JSON.stringify({ forms: { a: config } }));
  expect(await w.cli("apply", "--yes")).toMatchObject({ code: 0 });
  expect((await w.b.forms.get(w.id)).self_email_notification.sender.email).toBe("ceo@bank.test");
});

it("imported submissions send nothing, whatever address they name", async () => {
  const w = await world();
  const row = {
    created_at: "2026-01-01T00:00:00.000Z",
    fields: ["email", "_from", "sender"].map((key) => ({ key, value: "ceo@bank.test" })),
  };
  expect(await w.b.submissions.import(w.id, [row], { source: "elsewhere" })).toMatchObject({ imported: 1 });
  await w.b.tick();
  expect(w.b.mails).toEqual([]);
});
