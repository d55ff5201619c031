import { expect, onTestFinished, test } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { createFormBackend, MailError } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";

const HUNG = 60;
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
};
const notifying = (name: string, sender: object = {}) => ({
  name,
  spam: { protection: false },
  self_email_notification: { recipients: [`${name}@example.com`], sender },
});

/** A mailer whose team servers take nothing until they are let go, and that counts what each has in hand. */
function hanging() {
  const inHand = new Map<string, number>();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const memory = memoryMailer();
  return {
    inHand,
    release,
    sent: memory.sent,
    mailer: {
      ...memory,
      async send(mail, options) {
        const server = options?.server;
        if (!server) return memory.send(mail, options);
        inHand.set(server.id, (inHand.get(server.id) ?? 0) + 1);
        await released;
        throw new MailError("ERROR_EMAIL_TIMEOUT", "nothing came", { temporary: true });
      },
    } satisfies typeof memory,
  };
}
const server = { name: "Theirs", host: "smtp.example.com", port: 587, from: "team@example.com" };

test("mail over servers of teams that take nothing holds up nobody else's, by a worker's own means", async () => {
  const hung = await startSmtpServer({ script: ({ stage }) => (stage === "mail" ? "hang" : undefined) });
  const usual = await startSmtpServer();
  const backend = createFormBackend({
    baseUrl: "http://localhost/forms",
    secret: "x".repeat(32),
    rateLimit: false,
    // A minute: while one mail of it is waited for, all of the others' have long gone out.
    mailer: smtpMailer(usual.url, { timeoutMs: 60_000, teamServers: { socketTimeout: 60_000 } }),
  });
  onTestFinished(async () => {
    await backend.close({ graceMs: 0 });
    await Promise.all([hung.close(), usual.close()]);
  });
  const { id: server_id } = await backend.emailServers.create({ ...server, host: "127.0.0.1", port: hung.port });
  const theirs = await backend.forms.create(notifying("theirs", { server_id }));
  const ours = await backend.forms.create(notifying("ours"));
  for (let n = 0; n < HUNG; n++) await backend.submit(theirs.id, { fields: { message: "x" } });
  await until(() => hung.steps.some(({ stage }) => stage === "mail"));
  for (let n = 0; n < 20; n++) await backend.submit(ours.id, { fields: { message: "x" } });
  await until(() => usual.messages.length === 20);
  const waiting = await backend.jobs.list({ form_id: theirs.id });
  expect(waiting.map(({ attempt }) => attempt)).toEqual(Array(HUNG).fill(0));
});

test.each([1, 5])("a tick does not wait for the mail of %i servers before it sends the rest", async (servers) => {
  const { mailer, inHand, sent, release } = hanging();
  const b = harness({ mailer, rateLimit: false });
  for (let n = 0; n < servers; n++) {
    const { id: server_id } = await b.emailServers.create(server);
    const { id } = await b.forms.create(notifying(`theirs${n}`, { server_id }));
    for (let post = 0; post < HUNG; post++) await b.post(id, { message: "x" });
  }
  const { id } = await b.forms.create(notifying("ours"));
  for (let n = 0; n < 50; n++) await b.post(id, { message: "x" });
  const ticking = b.tick();
  await until(() => sent.length === 50);
  expect([...inHand.values()]).toEqual(Array(servers).fill(8));
  release();
  await ticking;
  expect(await b.jobs.list({ form_id: id, status: "succeeded" })).toHaveLength(50);
});

test("what was to go the usual way waits in the share of the server that its form was given meanwhile", async () => {
  const { mailer, inHand, sent, release } = hanging();
  const b = harness({ mailer, rateLimit: false });
  const theirs = await b.forms.create(notifying("theirs"));
  for (let post = 0; post < HUNG; post++) await b.post(theirs.id, { message: "x" });
  const { id: server_id } = await b.emailServers.create(server);
  await b.forms.update(theirs.id, { self_email_notification: { sender: { server_id } } });
  const { id } = await b.forms.create(notifying("ours"));
  for (let n = 0; n < 50; n++) await b.post(id, { message: "x" });
  const ticking = b.tick();
  await until(() => sent.length === 50);
  expect(inHand.get(server_id)).toBe(8);
  release();
  await ticking;
  const jobs = await b.jobs.list({ form_id: theirs.id });
  expect(jobs.map(({ attempt, status }) => `${status} ${attempt}`)).toEqual(Array(HUNG).fill("retrying 1"));
});
