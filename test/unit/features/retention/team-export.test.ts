import { unzipSync } from "fflate";
import { expect, test, vi } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import type { BlobDriver } from "../../../../src/drivers/blob/types.ts";
import { formAsCode } from "../../../../src/model/form-as-code.ts";
import { checked } from "../../../../src/surfaces/cli/config/load.ts";
import { jsonRows } from "../../../../src/surfaces/import/index.ts";
import { harness } from "../../../_support/backend.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const taken = async (stream: ReadableStream<Uint8Array>): Promise<Record<string, string>> => {
  const zip = new Uint8Array(await new Response(stream).arrayBuffer());
  return Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, data]) => [name, Buffer.from(data).toString()]));
};
const rowsOf = (text = ""): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function world() {
  const b = harness({
    encryption: { keys: [{ id: "k1", key: Buffer.alloc(32, 7).toString("base64") }] },
    rateLimit: false,
  });
  await b.teams.create({ id: "acme", name: "Acme", brand: { name: "Acme Forms" } });
  await b.teams.create({ id: "other", name: "Other" });
  const form = await b.forms.create(
    {
      name: "Contact",
      settings: { key: "contact", labels: { text: "Message" }, fields: { iban: { store: "encrypt" } } },
      self_email_notification: { recipients: ["owner@acme.test"] },
      validation: { enabled: true, rules: [{ field: "email", checks: [{ type: "email" }] }] },
    },
    { team_id: "acme" },
  );
  const foreign = await b.forms.create({ name: "Foreign" }, { team_id: "other" });
  await b.submit(foreign.id, { fields: { text: "not for Acme" } });
  return { b, form };
}

test("a zip has everything of the team, in clear and without a secret, and nothing of another one", async () => {
  const { b, form } = await world();
  const { key } = await b.keys.create({ team_id: "acme", name: "website", scopes: ["submissions:read"] });
  const hook = await b.webhooks.create(form.id, { url: "https://receiver.test/hook", description: "crm" });
  const one = await b.submit(form.id, {
    fields: { email: "ann@example.com", text: "Hello, Wörld", iban: "DE89 3704" },
    files: [{ key: "cv", name: "../../etc/pass\\wd.txt", content: bytes("my file"), mime_type: "text/plain" }],
    ip: "203.0.113.7",
  });
  const spam = await b.submit(form.id, { fields: { email: "bot@example.com", text: "buy" } });
  await b.submissions.update(form.id, spam.id, { spam: true });
  const gone = await b.submit(form.id, { fields: { email: "gone@example.com", text: "in the trash" } });
  await b.submissions.delete(form.id, gone.id, { trash: true });
  await b.submissions.addNote(form.id, one.id, { text: "Call back", author: { id: "7", name: "Bo" } });
  await b.messages.send(form.id, one.id, { text: "At nine." });
  await b.suppressions.add({ team_id: "acme", email: "no@example.com" });
  const old = await b.forms.create({ name: "Old" }, { team_id: "acme" });
  await b.submit(old.id, { fields: { text: "of an old form" } });
  await b.forms.delete(old.id);
  await b.tick();

  const files = await taken(await b.teams.export("acme"));
  const path = `files/${/\/files\/(file_\w+)\//.exec(one.attachments[0]?.url ?? "")?.[1]}/`;
  const inside = Object.keys(files).find((name) => name.startsWith(path)) ?? "";
  expect(inside.slice(path.length)).toMatch(/^[^/\\]*wd\.txt$/);
  expect(new Set(Object.keys(files).filter((name) => name !== "audit.ndjson"))).toEqual(
    new Set([
      "team.json",
      "forms/contact.json",
      "submissions/contact.ndjson",
      `submissions/${old.id}.ndjson`,
      inside,
      "forms.ndjson",
      "messages.ndjson",
      "suppressions.ndjson",
    ]),
  );
  const all = Object.values(files).join("\n");
  for (const secret of [key, hook.secret, "not for Acme"]) expect(all).not.toContain(secret);
  expect(all).not.toContain("password");
  const rows = rowsOf(files["submissions/contact.ndjson"]);
  expect(rows.map(({ id }) => id).sort()).toEqual([one.id, spam.id, gone.id].sort());
  expect(rows.find(({ id }) => id === one.id)).toMatchObject({
    ip: "203.0.113.7",
    fields: [
      { key: "email", value: "ann@example.com" },
      { key: "text", value: "Hello, Wörld" },
      { key: "iban", value: "DE89 3704" },
    ],
    attachments: [{ key: "cv", size: 7, path: inside }],
    notes: [{ text: "Call back", author: { name: "Bo" } }],
  });
  expect(rows.find(({ id }) => id === spam.id)).toMatchObject({ spam: true });
  expect(rows.find(({ id }) => id === gone.id)).toHaveProperty("trash");
  expect(files[inside]).toBe("my file");
  expect(rowsOf(files["messages.ndjson"])).toMatchObject([{ text: "At nine.", submission_id: one.id }]);
  expect(rowsOf(files["suppressions.ndjson"])).toMatchObject([{ email: "no@example.com" }]);
  expect(JSON.parse(files["team.json"] ?? "")).toMatchObject({
    team: { id: "acme", brand: { name: "Acme Forms" } },
    keys: [{ name: "website", scopes: ["submissions:read"] }],
  });
  await b.close();
});

test("what it holds is read by `apply` and by an import, and is the same again elsewhere", async () => {
  const { b, form } = await world();
  for (let n = 0; n < 250; n++) {
    await b.submit(form.id, { fields: { email: `a${n}@example.com`, text: `Line ${n}\nand more`, iban: `DE${n}` } });
    if (n % 50 === 0) await b.clock.advance(60_000);
  }
  const files = await taken(await b.teams.export("acme"));
  const config = checked("contact.json", JSON.parse(files["forms/contact.json"] ?? ""));
  const wanted = config.forms["contact"] as Record<string, unknown>;
  const elsewhere = harness({ encryption: { keys: [{ id: "k1", key: Buffer.alloc(32, 7).toString("base64") }] } });
  const made = await elsewhere.forms.create({
    ...(wanted as { name: string }),
    settings: { ...(wanted["settings"] as object), key: "contact" },
  });
  expect(formAsCode("contact", made, made.settings)).toEqual(wanted);

  const rows = jsonRows(files["submissions/contact.ndjson"] ?? "");
  expect(await elsewhere.submissions.import(made.id, rows, { source: "acme" })).toMatchObject({
    imported: 250,
    failed: [],
  });
  const listed = async (backend: typeof b, id: string) => {
    const found: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await backend.submissions.list(id, { limit: 100, ...(cursor && { cursor }) });
      found.push(...page.data.map(({ created_at, fields, spam, read }) => ({ created_at, fields, spam, read })));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    return found.map((one) => JSON.stringify(one)).sort();
  };
  expect(await listed(elsewhere, made.id)).toEqual(await listed(b, form.id));
  await elsewhere.close();
  await b.close();
});

test("forms without a key are read by `apply` too, and what it does not take is beside them", async () => {
  const b = harness({ rateLimit: false });
  await b.teams.create({ id: "acme", name: "Acme" });
  const input = {
    name: "Contact",
    avatar: "🐝",
    storage: { keep_for: "30_days" },
    settings: { drafts: { enabled: true } },
  } as const;
  const ids: string[] = [];
  while (!ids.some((one) => /^\d/.test(one))) ids.push((await b.forms.create(input, { team_id: "acme" })).id);
  const [id = ""] = ids;
  await b.forms.update(id, { settings: { aliases: ["contact@acme"] } });
  const name = "d".repeat(32);
  await b.call("PUT", `/f/${id}/drafts/${name}`, { key: null, body: { text: "Hel" } });
  const files = await taken(await b.teams.export("acme"));
  for (const one of ids) {
    const { forms } = checked("form.json", JSON.parse(files[`forms/${one}.json`] ?? ""));
    expect(Object.keys(forms)).toEqual([`form-${one.toLowerCase()}`]);
  }
  const whole = rowsOf(files["forms.ndjson"]);
  expect(whole.map((form) => form["id"]).sort()).toEqual([...ids].sort());
  expect(whole.find((form) => form["id"] === id)).toEqual(await b.forms.get(id));
  expect(rowsOf(files["drafts.ndjson"])).toMatchObject([{ form_id: id, fields: { text: "Hel" } }]);
  expect(files["drafts.ndjson"]).not.toContain(name);
  await b.close();
});

test("a reader that goes away leaves no file open", async () => {
  const ended: string[] = [];
  const memory = memoryBlob();
  const blob: BlobDriver = {
    ...memory,
    get: async (key) => {
      const whole = await memory.get(key);
      if (!whole) return null;
      return new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
        cancel: () => void ended.push(key),
      });
    },
  };
  const b = harness({ blob });
  await b.teams.create({ id: "acme", name: "Acme" });
  const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
  const content = new TextEncoder().encode("hello");
  await b.submit(form.id, {
    fields: { a: "1" },
    files: [{ key: "cv", name: "a.txt", content, mime_type: "text/plain" }],
  });
  const reader = (await b.teams.export("acme")).getReader();
  let bytes = 0;
  while (bytes < 200_000) bytes += (await reader.read()).value?.length ?? 0;
  await reader.cancel();
  await vi.waitFor(() => expect(ended).toHaveLength(1));
  await b.close();
});

test("a store that fails on the way breaks it off, and a reader that goes away ends it", async () => {
  const { b, form } = await world();
  for (let n = 0; n < 30; n++) await b.submit(form.id, { fields: { text: "x".repeat(1_000) } });
  const reader = (await b.teams.export("acme")).getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  await expect(b.teams.export("nobody")).rejects.toMatchObject({ code: "not_found" });
  await b.close();
});
