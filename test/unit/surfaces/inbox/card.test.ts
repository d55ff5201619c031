import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { InboxOptions } from "../../../../src/surfaces/inbox/index.ts";
import de from "../../../../src/texts/locales/de.ts";
import { type InboxHarness, inboxHarness } from "./_inbox.ts";

const card = (text: string): string => /<section class="card".*?<\/section>/s.exec(text)?.[0] ?? "";
const total = (text: string): string => /\d+ submissions? with this address/.exec(card(text))?.[0] ?? "";

async function world(options: InboxOptions = {}, storage = memoryStorage()) {
  const keys = [{ id: "k1", key: Buffer.alloc(32, 7).toString("base64") }];
  const backend = inboxHarness(options, { storage, encryption: { keys } });
  const form = async (settings: object = {}) =>
    (await backend.forms.create({ name: "Contact", spam: { protection: false }, settings })).id;
  const post = async (form_id: string, fields: Record<string, string>): Promise<string> =>
    (await backend.post(form_id, fields)).json.submission_id;
  return { backend, form, post, storage };
}
const see = async (backend: InboxHarness, form: string, id: string, user: object = { role: "admin", id: "ann" }) =>
  (await backend.as(user).get(`/f/${form}/s/${id}`)).text;

describe("the card of a sender", () => {
  it("counts what came from the address on all forms, in either case, and links to the latest others", async () => {
    const { backend, form, post } = await world();
    const [one, two] = [await form(), await form()];
    const first = await post(one, { email: "ann@example.com", message: "The first" });
    await post(two, { email: "Ann@EXAMPLE.com", message: "Another form" });
    await post(one, { email: "bo@example.com", message: "A stranger" });
    const last = await post(one, { email: "ann@example.com", message: "The last" });
    const text = await see(backend, one, last);
    expect(total(text)).toBe("3 submissions with this address");
    expect(card(text)).toContain(`/f/${one}/s/${first}"`);
    expect(card(text)).toContain("Another form");
    expect(card(text)).not.toContain("A stranger");
    expect(card(text)).not.toMatch(new RegExp(`href="[^"]*/s/${last}"`));
  });

  it("counts a thousand, says that there are more, and reads no further", async () => {
    const storage = memoryStorage();
    let most = 0;
    const page: typeof storage.page = async (collection, query) => {
      const rows = await storage.page(collection, query);
      most = Math.max(most, rows.length);
      return rows;
    };
    const { backend, form } = await world({}, { ...storage, page });
    const id = await form();
    const ids: string[] = [];
    for (let n = 0; n < 1_010; n++)
      ids.push((await backend.submit(id, { fields: { email: "ann@example.com", n: String(n) } })).id);
    const text = await see(backend, id, ids[0] ?? "");
    expect(card(text)).toMatch(/1,?000 submissions with this address.*There are more\./);
    expect(most).toBe(1_001);
    for (const one of ids.slice(1_000)) await backend.submissions.delete(id, one);
    expect(card(await see(backend, id, ids[0] ?? ""))).not.toContain("There are more.");
  });

  it("names the country of a submission in the language of the reader, and none where it is not known", async () => {
    const backend = inboxHarness({}, { locales: [de], country: "x-country" });
    const { id } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
    const shownTo = async (country: string, locale: string) => {
      const { json } = await backend.post(id, { email: "ann@example.com" }, { "x-country": country });
      const text = await see(backend, id, json.submission_id, { role: "admin", id: "ann", locale });
      return /ann@example\.com<\/bdi>(.*?)<\/p>/.exec(card(text))?.[1];
    };
    expect(await shownTo("de", "en")).toBe(' <span class="muted">Germany</span>');
    expect(await shownTo("DE", "de")).toBe(' <span class="muted">Deutschland</span>');
    // A code that no country has stays as it is.
    expect(await shownTo("QQ", "en")).toBe(' <span class="muted">QQ</span>');
    expect(await shownTo("XX", "en")).toBe("");
  });

  it("follows the trash and erasure, and a change of the address", async () => {
    const { backend, form, post } = await world();
    const id = await form();
    const [first, second, third] = [
      await post(id, { email: "ann@example.com", n: "1" }),
      await post(id, { email: "ann@example.com", n: "2" }),
      await post(id, { email: "ann@example.com", n: "3" }),
    ];
    const bulk = (action: string, one: string) =>
      backend.as({ role: "admin", id: "ann" }).post(`/f/${id}/bulk`, { action, ids: one });
    await bulk("delete", second as string);
    expect(total(await see(backend, id, first as string))).toBe("2 submissions with this address");
    await bulk("restore", second as string);
    expect(total(await see(backend, id, first as string))).toBe("3 submissions with this address");
    await backend.submissions.delete(id, third as string);
    expect(total(await see(backend, id, first as string))).toBe("2 submissions with this address");
  });

  it("counts only forms that the person reaches", async () => {
    const { backend, form, post } = await world();
    const [one, two] = [await form(), await form()];
    const id = await post(one, { email: "ann@example.com" });
    await post(two, { email: "ann@example.com", message: "Elsewhere" });
    const text = await see(backend, one, id, { role: "admin", id: "bo", form_ids: [one] });
    expect(total(text)).toBe("1 submission with this address");
    expect(text).not.toContain("Elsewhere");
  });

  it("is not there by an address that is encrypted or kept back", async () => {
    const kept = await world({ redact: { fields: ["email"], value: () => "x@example.com" } });
    const open = await kept.form();
    const id = await kept.post(open, { email: "ann@example.com" });
    await kept.post(open, { email: "ann@example.com" });
    expect(total(await see(kept.backend, open, id))).toBe("");

    const { backend, form, post, storage } = await world();
    const sealed = await form({ fields: { email: { store: "encrypt" } } });
    const hidden = await post(sealed, { email: "ann@example.com" });
    expect(total(await see(backend, sealed, hidden))).toBe("");
    expect((await storage.get("submissions", [hidden])).get(hidden)?.value["sender"]).toBe(null);
  });

  it("has submissions that are older than the column, once a sweep has named their senders", async () => {
    const { backend, form, post, storage } = await world();
    const id = await form();
    const ids = [await post(id, { email: "ann@example.com" }), await post(id, { email: "ann@example.com" })];
    for (const row of (await storage.get("submissions", ids)).values()) {
      await storage.commit([
        {
          op: "put",
          collection: "submissions",
          id: row.id,
          value: { ...row.value, sender: null },
          expect: row.version,
        },
      ]);
    }
    expect(total(await see(backend, id, ids[0] as string))).toBe("");
    await backend.tick();
    await backend.sweep();
    expect(total(await see(backend, id, ids[0] as string))).toBe("2 submissions with this address");
    // The next sweep begins where this one ended.
    const before = [...(await storage.get("submissions", ids)).values()].map(({ version }) => version);
    await backend.sweep();
    expect([...(await storage.get("submissions", ids)).values()].map(({ version }) => version)).toEqual(before);
  });

  it("blocks the sender, or everybody at the domain, for editors and for agents whom the host lets", async () => {
    const { backend, post } = await world();
    const { id } = await backend.forms.create({ name: "Contact" });
    const one = await post(id, { email: "Ann@Example.com" });
    const act = async (action: string, user: object) =>
      (await backend.as({ id: "x", ...user }).post(`/f/${id}/s/${one}`, { action })).status;
    const senders = async () => (await backend.forms.get(id)).settings.spam.senders;
    const isSpam = async (email: string) =>
      (await backend.submissions.get(id, await post(id, { email, message: "Hello" }))).spam;
    expect(await see(backend, id, one, { role: "agent", id: "bo" })).not.toContain('value="block"');
    expect(await act("block", { role: "agent" })).toBe(403);
    expect(await act("block", { role: "agent", can: ["block"] })).toBe(303);
    expect([await senders(), await isSpam("ann@example.com"), await isSpam("bo@example.com")]).toEqual([
      ["Ann@Example.com"],
      true,
      false,
    ]);
    expect(await see(backend, id, one, { role: "agent", id: "bo", can: ["block"] })).toContain('value="unblock"');
    expect(await act("block_domain", { role: "editor" })).toBe(303);
    expect(await isSpam("bo@example.com")).toBe(true);
    expect(await act("unblock", { role: "editor" })).toBe(303);
    expect([await senders(), await isSpam("ann@example.com")]).toEqual([[], false]);
    // A full list says so, and keeps what it has.
    const full = Array.from({ length: 500 }, (_, n) => `n${n}@example.org`);
    await backend.forms.update(id, { settings: { spam: { senders: full } } });
    expect(await act("block", { role: "editor" })).toBe(400);
    expect(await senders()).toEqual(full);
  });
});
