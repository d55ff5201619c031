import { describe, expect, it } from "vitest";
import { rawInbound } from "../../../../src/surfaces/inbound/index.ts";
import { ann, inboxHarness } from "./_inbox.ts";

async function world(options: Parameters<typeof inboxHarness>[0] = {}) {
  const backend = inboxHarness(options, { rateLimit: false, from: "Acme <forms@acme.test>" });
  const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: [] } });
  const submission = await backend.submit(form.id, { fields: { email: "bo@example.com", text: "Hello?" } });
  return { backend, form, submission, person: backend.as(ann), at: `/f/${form.id}/s/${submission.id}` };
}

const keyIn = (page: string): string => /name="key" value="([^"]+)"/.exec(page)?.[1] ?? "";

describe("the composer under a submission", () => {
  it("sends an answer in the person's name without JavaScript, once however often it is posted", async () => {
    const { backend, person, at } = await world();
    const { text } = await person.get(at);
    expect(text).toContain("Your answer to bo@example.com");
    const body = { text: "Hi <Bo>", key: keyIn(text), action: "send" };
    for (const _ of [1, 2]) expect((await person.post(`${at}/reply`, body)).status).toBe(303);
    const shown = (await person.get(at)).text;
    expect(shown).toContain("The answer is on its way.");
    expect(shown).toContain("Hi &lt;Bo&gt;");
    expect(shown).toContain("Waiting to be sent");
    await backend.tick();
    expect(backend.mails).toEqual([]);
    await backend.clock.advance(10_000);
    await backend.tick();
    expect(backend.mails.map(({ to, from }) => [to.address, from])).toEqual([
      ["bo@example.com", { name: "Ann", address: "forms@acme.test" }],
    ]);
    expect((await person.get(at)).text).toContain("· Sent");
  });

  it("keeps the text of an answer that is refused, and says why", async () => {
    const { backend, person, at } = await world();
    await backend.teams.update("default", { plan: "free" });
    await backend.clock.advance(5_000);
    const refused = await person.post(`${at}/reply`, { text: "Do not lose me", action: "send" });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("does not include answers");
    expect(refused.text).toContain("Do not lose me");
  });

  it("is not there for those who may not write, and says that an address is suppressed", async () => {
    const { backend, form, submission, person, at } = await world();
    await backend.suppressions.add({ email: "bo@example.com" });
    await backend.messages.send(form.id, submission.id, { text: "Hi" });
    await backend.tick();
    expect((await person.get(at)).text).toContain("this address takes no mail");
    const viewer = backend.as({ ...ann, id: "vi", role: "viewer" });
    const { text } = await viewer.get(at);
    expect(text).not.toContain("reply-text");
    expect(text).toContain('href="mailto:bo%40example.com');
    expect((await viewer.post(`${at}/reply`, { text: "Hi", action: "send" })).status).toBe(403);
  });

  it("leads to the next one after Send and mark done", async () => {
    const { backend, form, person } = await world();
    await backend.clock.advance(1_000);
    const newer = await backend.submit(form.id, { fields: { email: "cy@example.com" } });
    const older = (await backend.submissions.list(form.id)).data.at(-1);
    const answered = await person.post(`/f/${form.id}/s/${newer.id}/reply`, { text: "Done", action: "send_done" });
    expect(answered.headers.get("location")).toContain(`/s/${older?.id}`);
    expect((await backend.submissions.get(form.id, newer.id)).read).toBe(true);
  });
});

describe("a long conversation", () => {
  it("shows its latest 50 messages, and all of them where somebody asks", async () => {
    const { backend, form, submission, person, at } = await world();
    const write = async (n: number) => {
      await backend.messages.send(form.id, submission.id, { text: `Answer ${n}.` });
      // An address that has not written back gets 20 a day.
      await backend.clock.advance(2 * 60 * 60_000);
    };
    for (let n = 1; n <= 50; n++) await write(n);
    const numbers = (page: string) => Array.from(page.matchAll(/Answer (\d+)\./g), ([, n]) => Number(n));
    const all = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const full = await person.get(at);
    expect(numbers(full.text)).toEqual(all(1, 50));
    expect(full.text).not.toContain("Earlier messages");
    await write(51);
    await write(52);
    const latest = await person.get(`${at}?status=all`);
    expect(numbers(latest.text)).toEqual(all(3, 52));
    const link = /<a href="([^"]+)">Earlier messages</.exec(latest.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(link).toContain("status=all");
    const whole = await person.get(link.replace(/^.*\/inbox/, ""));
    expect(numbers(whole.text)).toEqual(all(1, 52));
    expect(whole.text).not.toContain("Earlier messages");
  });
});

/** A form as a browser posts it with files. */
async function upload(
  { person, at }: Awaited<ReturnType<typeof world>>,
  fields: readonly (readonly [name: string, value: string | File])[],
) {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  const request = new Request("http://localhost/", { method: "POST", body: data });
  const type = request.headers.get("content-type") ?? "";
  return person.send("POST", `${at}/reply`, { "content-type": type }, new Uint8Array(await request.arrayBuffer()));
}

const textIn = (page: string): string | undefined =>
  /<textarea id="reply-text"[^>]*>\n?([^<]*)<\/textarea>/.exec(page)?.[1];

describe("an answer that is taken back", () => {
  it("is not sent and not stored, and its text is there again", async () => {
    const { backend, form, submission, person, at } = await world();
    await person.post(`${at}/reply`, { text: "Too soon", action: "send" });
    const { text } = await person.get(at);
    const message = /name="message" value="(msg_\w+)"/.exec(text)?.[1] ?? "";
    expect(text).toContain('data-seconds="10"');
    const undone = await person.post(`${at}/reply`, { message, action: "unsend" });
    expect(undone.status).toBe(200);
    expect(textIn(undone.text)).toBe("Too soon");
    expect(undone.text).toContain("It has not been sent.");
    await backend.clock.advance(60_000);
    await backend.tick();
    expect(backend.mails).toEqual([]);
    expect((await backend.messages.list(form.id, submission.id)).data).toEqual([]);
    // The page was loaded again.
    const again = await person.post(`${at}/reply`, { message, action: "unsend" });
    expect(again.status).toBe(303);
    expect((await person.get(at)).text).toContain("Nothing had to be changed.");
  });

  it("opens its submission again where sending had marked it as done", async () => {
    const { backend, form, submission, person, at } = await world();
    const sent = await person.post(`${at}/reply`, { text: "Done", action: "send_done" });
    const { text } = await person.get((sent.headers.get("location") ?? "").replace(/^.*\/inbox/, ""));
    const message = /name="message" value="(msg_\w+)"/.exec(text)?.[1] ?? "";
    expect(text).toContain('value="unsend_done"');
    expect((await backend.submissions.get(form.id, submission.id)).work.state).toBe("done");
    await person.post(`${at}/reply`, { message, action: "unsend_done" });
    expect((await backend.submissions.get(form.id, submission.id)).work.state).toBe("open");
  });

  it("stays once its mail is under way, and nobody takes back another's", async () => {
    const { backend, form, submission, person, at } = await world();
    await person.post(`${at}/reply`, { text: "Mine", action: "send" });
    const [sent] = (await backend.messages.list(form.id, submission.id)).data;
    const message = sent?.id ?? "";
    const other = backend.as({ ...ann, id: "ben", name: "Ben" });
    await other.post(`${at}/reply`, { message, action: "unsend" });
    expect((await backend.messages.list(form.id, submission.id)).data).toHaveLength(1);
    await backend.clock.advance(10_000);
    await backend.tick();
    const late = await person.post(`${at}/reply`, { message, action: "unsend" });
    expect(late.status).toBe(303);
    expect((await person.get(at)).text).toContain("It was too late");
    expect((await backend.messages.list(form.id, submission.id)).data).toMatchObject([{ status: "sent" }]);
  });
});

describe("the files of an answer", () => {
  it("are uploaded with it, linked in the mail, and gone with it", async () => {
    const w = await world();
    const { backend, form, submission, person, at } = w;
    const sent = await upload(w, [
      ["text", "Here it is"],
      ["files", new File(["a plain list"], "prices.txt", { type: "text/plain" })],
      ["files", new File([], "")],
      ["action", "send"],
    ]);
    expect(sent.status).toBe(303);
    const [message] = (await backend.messages.list(form.id, submission.id)).data;
    expect(message?.attachments).toMatchObject([{ name: "prices.txt", mime_type: "text/plain", size: 12 }]);
    const url = message?.attachments[0]?.url ?? "";
    expect(await (await backend.handle(new Request(url), { ip: "203.0.113.9" })).text()).toBe("a plain list");
    expect((await person.get(at)).text).toContain("prices.txt");
    await backend.clock.advance(10_000);
    await backend.tick();
    expect(backend.mails[0]?.text).toContain(url.split("?", 1)[0]);
    await backend.submissions.delete(form.id, submission.id);
    expect((await backend.handle(new Request(url), { ip: "203.0.113.9" })).status).toBe(404);
  });

  it("go when it is taken back", async () => {
    const w = await world();
    const { backend, form, submission, person, at } = w;
    await upload(w, [
      ["text", "Here it is"],
      ["files", new File(["a plain list"], "prices.txt", { type: "text/plain" })],
      ["action", "send"],
    ]);
    const [message] = (await backend.messages.list(form.id, submission.id)).data;
    const undone = await person.post(`${at}/reply`, { message: message?.id ?? "", action: "unsend" });
    expect(undone.text).toContain("Attach its files again.");
    const url = message?.attachments[0]?.url ?? "";
    expect((await backend.handle(new Request(url), { ip: "203.0.113.9" })).status).toBe(404);
  });

  it("are those of the form that are ticked", async () => {
    const { backend, form, submission, person, at } = await world();
    const image = await backend.forms.uploadImage(form.id, {
      file: new TextEncoder().encode("terms"),
      name: "terms",
      use: "reply_attachment",
    });
    expect((await person.get(at)).text).toContain(`name="attachments" value="${image.id}"`);
    await person.post(`${at}/reply`, { text: "See there", attachments: image.id, action: "send" });
    const [message] = (await backend.messages.list(form.id, submission.id)).data;
    expect(message?.attachments).toMatchObject([{ name: "terms.txt" }]);
  });

  it("are refused beyond their bounds, and the text stays", async () => {
    const w = await world();
    const big = await upload(w, [
      ["text", "Keep me"],
      ["files", new File([new Uint8Array(21 * 1024 * 1024)], "big.bin")],
      ["action", "send"],
    ]);
    expect(big.status).toBe(413);
    expect(textIn(big.text)).toBe("Keep me");
    const many = await upload(w, [
      ["text", "Keep me"],
      ...Array.from({ length: 11 }, (_, n) => ["files", new File(["x"], `${n}.txt`)] as const),
      ["action", "send"],
    ]);
    expect(many.status).toBe(413);
    expect(textIn(many.text)).toBe("Keep me");
    expect((await w.backend.messages.list(w.form.id, w.submission.id)).data).toEqual([]);
  });
});

describe("saved replies in the inbox", () => {
  it("are kept, changed and deleted on a page of their own", async () => {
    const { backend, person } = await world();
    expect((await person.get("/replies")).text).toContain("No saved replies yet");
    const wrong = await person.post("/replies", { name: "Hours", text: "{{#open}", action: "save" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("{{#open}");
    await person.post("/replies", { name: "Hours", text: "At nine, {{name}}\r\nBye", action: "save" });
    const [reply] = (await backend.savedReplies.list()).data;
    expect(reply).toMatchObject({ name: "Hours", text: "At nine, {{name}}\nBye" });
    expect((await person.get(`/replies?edit=${reply?.id}`)).text).toContain("Change “Hours”");
    await person.post("/replies", { id: reply?.id ?? "", name: "Opening", text: "At ten", action: "save" });
    expect((await backend.savedReplies.list()).data).toMatchObject([{ name: "Opening", text: "At ten" }]);
    expect((await person.get(`/replies?delete=${reply?.id}`)).text).toContain("Delete “Opening”?");
    await person.post("/replies", { id: reply?.id ?? "", action: "delete" });
    expect((await backend.savedReplies.list()).data).toEqual([]);
    const viewer = backend.as({ ...ann, id: "vi", role: "viewer" });
    expect((await viewer.get("/replies")).status).toBe(403);
  });

  it("go into the text with the visitor's values, which are text", async () => {
    const backend = inboxHarness({}, { rateLimit: false });
    const form = await backend.forms.create({ name: "Contact" });
    const submission = await backend.submit(form.id, { fields: { name: "<Bo> {{text}}", email: "bo@example.com" } });
    const reply = await backend.savedReplies.create({ name: "Hours", text: "Hi {{name}}, at nine." });
    const [person, at] = [backend.as(ann), `/f/${form.id}/s/${submission.id}`];
    expect((await person.get(at)).text).toContain(`<option value="${reply.id}">Hours</option>`);
    const put = await person.post(`${at}/reply`, { text: "First", saved: reply.id, action: "insert" });
    expect(put.status).toBe(200);
    expect(textIn(put.text)).toBe("First\n\nHi &lt;Bo&gt; {{text}}, at nine.");
    const text = await person.get(`${at}/saved/${reply.id}`);
    expect(text.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(text.text).toBe("Hi <Bo> {{text}}, at nine.");
    expect((await person.get(`${at}/saved/rpl_none`)).status).toBe(404);
    expect((await backend.messages.list(form.id, submission.id)).data).toEqual([]);
  });

  it("show nothing of what the host keeps from a person", async () => {
    const backend = inboxHarness({ redact: { fields: ["phone"], value: () => "kept back" } }, { rateLimit: false });
    const form = await backend.forms.create({ name: "Contact" });
    const submission = await backend.submit(form.id, { fields: { phone: "0123456", email: "bo@example.com" } });
    const reply = await backend.savedReplies.create({ name: "Call", text: "Call {{phone}}" });
    const text = await backend.as({ ...ann, role: "agent" }).get(`/f/${form.id}/s/${submission.id}/saved/${reply.id}`);
    expect(text.status).toBe(200);
    expect(text.text).toBe("Call kept back");
  });
});

describe("an expired session", () => {
  it("leads back to the page that the answer was written on", async () => {
    const { backend, at } = await world({ apiKeys: true });
    const { headers } = await backend.stranger().post(`${at}/reply`, { text: "Hi", action: "send" });
    expect(headers.get("location")).toContain(`next=${encodeURIComponent(at)}`);
  });
});

/** An inbox whose submission gets mails back, the whole text of which quotes what was written before. */
async function conversation(options: Parameters<typeof inboxHarness>[0] = {}) {
  const secret = "the secret of the pipe";
  const inbound = { domain: "in.acme.test", providers: [rawInbound({ secret })] };
  const backend = inboxHarness(options, { rateLimit: false, from: "Acme <forms@acme.test>", inbound });
  const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: [] } });
  const submission = await backend.submit(form.id, { fields: { email: "bo@example.com", iban: "DE0012345678" } });
  await backend.messages.send(form.id, submission.id, { text: "At nine." });
  await backend.tick();
  const to = backend.mails.at(-1)?.replyTo?.address ?? "";
  let count = 0;
  const back = async (text: string) => {
    await backend.clock.advance(60_000);
    const body = `From: bo@example.com\r\nTo: ${to}\r\nMessage-ID: <${count++}@x>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll("\n", "\r\n")}`;
    const headers = { authorization: `Bearer ${secret}`, "content-type": "message/rfc822" };
    await backend.handle(new Request(`${backend.baseUrl}/inbound/raw`, { method: "POST", headers, body }));
  };
  return { backend, person: backend.as(ann), at: `/f/${form.id}/s/${submission.id}`, back };
}

const quoting = (fresh: string, quoted: string): string =>
  `${fresh}\n\nOn Thu, 1 Jan 2026 at 09:00, test <forms@acme.test> wrote:\n> ${quoted}\n> At nine.`;

describe("the whole text of a mail that came back", () => {
  it("is folded below its new text, without JavaScript, and not there where nothing was cut", async () => {
    const { person, at, back } = await conversation();
    await back("Only this.");
    expect((await person.get(at)).text).not.toContain("Whole text of the mail");
    await back(quoting("And on <Sundays>?", "We are open."));
    const { text } = await person.get(at);
    const [, whole = ""] = /<details><summary>Whole text of the mail<\/summary>(.*?)<\/details>/s.exec(text) ?? [];
    expect(whole).toContain("And on &lt;Sundays&gt;?");
    expect(whole).toContain("&gt; We are open.");
    expect(text.match(/We are open/g)).toHaveLength(1);
  });

  it("is linked where the conversation is long, and open behind the link", async () => {
    const { person, at, back } = await conversation();
    for (let n = 0; n < 4; n++)
      await back(
        quoting(`Mail ${n}`, Array.from({ length: 500 }, () => `Quoted ${n}. ${"x".repeat(18)}`).join("\n> ")),
      );
    const { text } = await person.get(at);
    expect(text.length).toBeLessThan(80_000);
    // The latest ones are in the page.
    expect([0, 1, 2, 3].map((n) => text.includes(`Quoted ${n}.`))).toEqual([false, false, true, true]);
    const links = [...text.matchAll(/<a href="([^"]+\?whole=msg_\w+)#m-msg_\w+">Whole text of the mail<\/a>/g)];
    expect(links).toHaveLength(2);
    const [, href = ""] = links[0] ?? [];
    const opened = (await person.get(href.slice(href.indexOf(at)))).text;
    expect(opened).toContain("Quoted 0.");
    expect(opened.match(/<details open><summary>Whole text/g)).toHaveLength(1);
  });

  it("keeps back what the host keeps back", async () => {
    const { person, at, back } = await conversation({ redact: { fields: ["iban"], value: () => "…" } });
    await back(quoting("Thanks", "Your IBAN is DE0012345678."));
    const { text } = await person.get(at);
    expect(text).toContain("Your IBAN is");
    expect(text).not.toContain("DE0012345678");
  });
});
