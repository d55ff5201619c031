import { describe, expect, it, vi } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { MailerDriver, StorageDriver } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing, mailing, sharedServer } from "./_mail.ts";

const [ann, bob, cy, dee] = ["ann@example.com", "bob@example.com", "cy@example.com", "dee@example.com"];
const server = await sharedServer();
const HOUR = 60 * 60_000;

const routed = async (b: Harness, to: object = { recipients: [ann, bob], cc: [cy], bcc: [dee] }) =>
  (
    await b.forms.create({
      name: "Contact",
      self_email_notification: { recipients: [ann, bob, cy, dee] },
      settings: { routing: { rules: [{ if: { all: [] }, to }] } },
    })
  ).id;
const addresses = (header: string | undefined): string[] => header?.match(/[^\s<>,]+@[^\s<>,]+/g) ?? [];

describe("a mail with cc and bcc", () => {
  it("is one message in one envelope, with To and Cc in its header and no Bcc", async () => {
    const b = mailing(server);
    const id = await routed(b);
    const before = server.messages.length;
    await b.post(id, { message: "hello" });
    await b.tick();
    const messages = server.messages.slice(before);
    expect(messages).toHaveLength(1);
    const [mail] = messages;
    expect([...(mail?.recipients ?? [])].sort()).toEqual([ann, bob, cy, dee]);
    expect(addresses(mail?.headers["to"])).toEqual([ann, bob]);
    expect(addresses(mail?.headers["cc"])).toEqual([cy]);
    expect(mail?.headerNames).not.toContain("bcc");
    expect(mail?.raw).not.toContain(dee);
    const jobs = await b.jobs.list({ form_id: id });
    expect(jobs).toMatchObject([{ status: "succeeded", attempt: 1 }]);
    expect((await b.call("GET", `/v1/forms/${id}/emails`)).json.data).toMatchObject([{ to: `${ann}, ${bob}` }]);
  });

  it("is sent once more as a whole where the server puts it off", async () => {
    const b = mailing(server);
    const id = await routed(b);
    const before = server.messages.length;
    let failures = 1;
    server.script = ({ stage }) => (stage === "data" && failures-- > 0 ? { reply: 451 } : undefined);
    await b.post(id, { message: "hello" });
    await b.tick();
    expect(server.messages).toHaveLength(before);
    await b.clock.advance(HOUR);
    expect(server.messages.slice(before).map(({ recipients }) => recipients.length)).toEqual([4]);
    expect(await b.jobs.list({ form_id: id })).toMatchObject([{ status: "succeeded", attempt: 2 }]);
    server.script = () => undefined;
  });

  it("gives an address that the server refuses a mail of its own, whose failure is seen", async () => {
    const b = mailing(server);
    const id = await routed(b);
    const before = server.messages.length;
    server.script = ({ stage, address }) => (stage === "rcpt" && address === cy ? { reply: 550 } : undefined);
    await b.post(id, { message: "hello" });
    await b.tick();
    expect(server.messages.slice(before).map(({ recipients }) => [...recipients].sort())).toEqual([[ann, bob, dee]]);
    const jobs = await b.jobs.list({ form_id: id });
    expect(jobs.map(({ target, status, code }) => [target, status, code]).sort()).toEqual([
      [ann, "succeeded", "SUCCESS"],
      [cy, "failed", "ERROR_EMAIL_SMTP_5XX"],
    ]);
    server.script = () => undefined;
  });

  it.each([
    [1, 2],
    [99, 1],
  ])(
    "is not sent again to those who have it while the store is down %i times for a refused one",
    async (times, jobs) => {
      const [mailer, store] = [memoryMailer(), memoryStorage()];
      let down = times;
      const storage: StorageDriver = {
        ...store,
        async commit(writes) {
          const isOwn = writes.some(
            (write) => write.op === "put" && write.collection === "jobs" && /\.\d$/.test(write.id),
          );
          if (isOwn && down-- > 0) throw new Error("the disk is full");
          await store.commit(writes);
        },
      };
      const refusing: MailerDriver = {
        ...mailer,
        copies: true,
        async send(mail, options) {
          const sent = await mailer.send(mail, options);
          return mail.cc?.length ? { ...sent, refused: [cy] } : sent;
        },
      };
      const errors: string[] = [];
      const logger = { debug() {}, info() {}, warn() {}, error: (text: string) => void errors.push(text) };
      const b = closing(harness({ mailer: refusing, storage, logger, rateLimit: false }));
      const id = await routed(b);
      await b.post(id, { message: "hello" });
      // The waits between the attempts are up to a second.
      const later = globalThis.setTimeout;
      const spied = vi.spyOn(globalThis, "setTimeout");
      spied.mockImplementation(((run: () => void, ms = 0) => later(run, ms > 1_000 ? ms : 0)) as never);
      await b.tick();
      spied.mockRestore();
      await b.clock.advance(HOUR);
      expect(mailer.sent.map(({ to, cc = [] }) => [to.address, cc.length])).toEqual(
        jobs === 2
          ? [
              [ann, 1],
              [cy, 0],
            ]
          : [[ann, 1]],
      );
      expect((await b.jobs.list({ form_id: id })).map(({ status }) => status)).toEqual(Array(jobs).fill("succeeded"));
      const said = errors.filter((text) =>
        text.includes("the mail of its own for a refused recipient could not be stored"),
      );
      expect(said).toHaveLength(jobs === 2 ? 0 : 1);
    },
  );

  it("is a mail for each address where the driver sends to one at a time", async () => {
    const mailer = memoryMailer();
    const { copies: _, ...rest } = mailer;
    const simple: MailerDriver = { ...rest, send: (mail, options) => mailer.send(mail, options) };
    const b = closing(harness({ mailer: simple, rateLimit: false }));
    const id = await routed(b);
    await b.post(id, { message: "hello" });
    await b.tick();
    expect(mailer.sent.map(({ to }) => to.address).sort()).toEqual([ann, bob, cy, dee]);
    expect(
      mailer.sent.every(({ alsoTo = [], cc = [], bcc = [] }) => alsoTo.length + cc.length + bcc.length === 0),
    ).toBe(true);
  });

  it("shows nobody those in Bcc where nobody else is left", async () => {
    const b = mailing(server);
    const id = await routed(b, { recipients: [], bcc: [cy, dee] });
    const before = server.messages.length;
    await b.post(id, { message: "hello" });
    await b.tick();
    expect(
      server.messages
        .slice(before)
        .map(({ recipients, headers }) => [...recipients, ...addresses(headers["to"])])
        .sort(),
    ).toEqual([
      [cy, cy],
      [dee, dee],
    ]);
  });

  it("leaves out an address that has not confirmed yet, which gets its own mail once it has", async () => {
    const b = closing(harness({ confirmRecipients: true, rateLimit: false }));
    const id = await routed(b, { recipients: [ann], cc: [cy] });
    const linkOf = (to: string) =>
      /http\S+\/c\/recipient\/\S+/.exec(b.mails.findLast((mail) => mail.to.address === to)?.text ?? "")?.[0] ?? "";
    const confirm = (to: string) => b.handle(new Request(linkOf(to), { method: "POST" }), { ip: "203.0.113.7" });
    await b.post(id, { message: "one" });
    await b.tick();
    await confirm(ann);
    await b.tick();
    const told = () => b.mails.filter(({ subject }) => subject.startsWith("New submission"));
    expect(told().map(({ to, cc = [] }) => [to.address, cc.length])).toEqual([[ann, 0]]);
    await confirm(cy);
    await b.tick();
    expect(told().map(({ to }) => to.address)).toEqual([ann, cy]);
    await b.post(id, { message: "two" });
    await b.tick();
    expect(told().map(({ to, cc = [] }) => [to.address, ...cc.map(({ address }) => address)])).toEqual([
      [ann],
      [cy],
      [ann, cy],
    ]);
  });

  it("forgets an address that is erased, wherever it stands in the message", async () => {
    const b = closing(harness({ rateLimit: false }));
    const id = await routed(b);
    await b.post(id, { message: "hello" });
    await b.tick();
    for (const email of [dee, cy, bob]) {
      const { json } = await b.call("POST", "/v1/data-subjects/erase", { body: { email } });
      expect(json.erased.deliveries).toBe(1);
    }
    const [job] = await b.jobs.list({ form_id: id });
    expect(job).toMatchObject({ target: ann, status: "succeeded" });
    expect((await b.call("GET", `/v1/forms/${id}/emails`)).json.data).toMatchObject([{ to: ann }]);
  });

  it("goes on without an address that is no recipient any more", async () => {
    const b = mailing(server);
    const id = await routed(b);
    server.script = ({ stage }) => (stage === "data" ? { reply: 451 } : undefined);
    await b.post(id, { message: "hello" });
    await b.tick();
    const before = server.messages.length;
    await b.forms.update(id, {
      self_email_notification: { recipients: [bob, cy, dee] },
      settings: { routing: { rules: [] } },
    });
    server.script = () => undefined;
    await b.clock.advance(HOUR);
    const [mail] = server.messages.slice(before);
    expect([...(mail?.recipients ?? [])].sort()).toEqual([bob, cy, dee]);
    expect(addresses(mail?.headers["to"])).toEqual([bob]);
  });
});
