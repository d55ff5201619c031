import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notRun } from "../../_support/not-run.ts";
import { freePort } from "../../_support/port.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../../_support/postgres.ts";
import { startSmtpServer, type TestSmtpServer } from "../../_support/smtp.ts";
import { appHere, BEFORE, buildBefore, hasBefore, startVersion, type Version } from "./_versions.ts";
import { pause, until } from "./_workers.ts";

const FORMS = 10;
/** Notifications to one mailbox are at most 60 an hour; each form has a mailbox of its own. */
const POSTS_PER_FORM = 40;
const READERS = 40;
const CLIENTS = 16;
/** The version before answers 500 where this one and later ones answer 503. */
const REFUSED_BY_BEFORE = 500;

const name = "Two versions on one PostgreSQL database";
if (await hasBefore()) describePostgres(name, sideBySide);
else describe(name, () => notRun(`${name}: this clone does not have the commit ${BEFORE}`));

function sideBySide(): void {
  let database: TemporaryDatabase;
  let before: Awaited<ReturnType<typeof buildBefore>>;
  let mails: TestSmtpServer;
  let hooks: Awaited<ReturnType<typeof receiver>>;
  let apps: string[];
  const versions: Version[] = [];
  const start = (app: string, port: number) =>
    startVersion(app, port, { DATABASE: database.url, SMTP_PORT: String(mails.port) });

  beforeAll(async () => {
    [database, before, mails, hooks] = await Promise.all([
      temporaryDatabase(),
      buildBefore(),
      startSmtpServer(),
      receiver(),
    ]);
    apps = [before.app, before.app, appHere, appHere];
    // The version before is there first, and makes the tables.
    for (const app of apps) versions.push(await start(app, await freePort()));
  });
  afterAll(async () => {
    await Promise.all(versions.map((version) => version.end()));
    await Promise.all([mails?.close(), hooks?.close()]);
    before?.remove();
    await database?.drop();
  });
  const [FIRST_OLD, SECOND_OLD, FIRST_NEW, SECOND_NEW] = [0, 1, 2, 3] as const;
  const running = (at: number): Version => versions[at] as Version;
  const restart = async (at: number): Promise<void> => {
    const { port, end } = running(at);
    await end();
    versions[at] = await start(apps[at] as string, port);
  };

  const ask = async (at: number, path: string, body: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${running(at).port}/forms${path}`, {
      method: "POST",
      headers: { accept: "application/json", ...headers },
      body: new URLSearchParams(body),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: answer.status, text: await answer.text() };
  };
  /** Asks as a proxy in front would, which passes over a process that does not answer or answers 503. */
  const send = async (first: number, path: string, body: Record<string, string>, headers = {}): Promise<void> => {
    for (let at = first; ; at++) {
      try {
        const { status, text } = await ask(at % versions.length, path, body, headers);
        if (status === 200) return;
        expect([status, text]).toEqual([503, expect.any(String)]);
      } catch (error) {
        if (!(error instanceof TypeError || (error as Error).name === "TimeoutError")) throw error;
      }
      await pause(20);
    }
  };
  const delivered = async (): Promise<void> => {
    const open = async (status: string) => (await running(FIRST_NEW).call<unknown[]>("jobs.list", { status })).length;
    await until("all deliveries", async () => (await open("pending")) + (await open("retrying")) === 0);
  };
  const mailsTo = (address: string) => mails.messages.filter(({ to }) => to[0]?.address === address);
  const readers = () => mails.messages.filter(({ to }) => to[0]?.address?.startsWith("reader"));

  it("send each notification once, keep consent and count exactly, while the processes of both start again in turn", async () => {
    const forms = await Promise.all(
      Array.from({ length: FORMS }, async (_, n) => {
        const { call } = running(n % 2 ? FIRST_OLD : FIRST_NEW);
        const { id } = await call<{ id: string }>("forms.create", {
          name: `Form ${n}`,
          spam: { protection: false },
          self_email_notification: { recipients: [`owner${n}@example.com`] },
          auto_response: { enabled: true },
        });
        await call("webhooks.create", id, { url: `${hooks.url}/${n}` });
        return id;
      }),
    );
    const letters = await running(FIRST_NEW).call<{ id: string }>("forms.create", {
      name: "Newsletter",
      spam: { protection: false },
      self_email_notification: { recipients: ["letters@example.com"] },
      settings: { double_opt_in: { enabled: true } },
    });
    await running(FIRST_OLD).call("webhooks.create", letters.id, { url: `${hooks.url}/letters` });

    const posts = Array.from({ length: FORMS * POSTS_PER_FORM }, (_, n) => ({
      form: forms[n % FORMS] as string,
      n,
      email: `visitor${n}@example.com`,
    }));
    for (let n = 0; n < READERS; n++) {
      posts.splice(n * 11, 0, { form: letters.id, n: 10_000 + n, email: `reader${n}@example.com` });
    }
    let next = 0;
    const postUpTo = async (end: number): Promise<void> => {
      const client = async (): Promise<void> => {
        while (next < end) {
          const at = next++;
          const { form, n, email } = posts[at] as (typeof posts)[number];
          await send(at, `/f/${form}`, { n: String(n), email }, { "idempotency-key": `n${n}` });
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    };
    for (const [turn, at] of [FIRST_OLD, FIRST_NEW, SECOND_OLD, SECOND_NEW].entries()) {
      await Promise.all([restart(at), postUpTo((posts.length / 4) * (turn + 1))]);
    }

    await until("requests for consent", () => readers().length === READERS);
    await delivered();
    expect(hooks.numbers("/letters"), "without consent, nothing is sent").toEqual([]);
    expect(mailsTo("letters@example.com")).toEqual([]);
    const confirming = readers().filter((_, n) => n % 2 === 0);
    await Promise.all(
      // Over whichever version the link leads to.
      confirming.map(({ text }, n) => send(n, /\/c\/\S+/.exec(text ?? "")?.[0] ?? "", {})),
    );
    await delivered();

    const confirmed = confirming.map(({ to }) => 10_000 + Number(/\d+/.exec(to[0]?.address ?? "")?.[0]));
    expect(hooks.numbers("/letters")).toEqual(confirmed.sort((a, b) => a - b));
    expect(mailsTo("letters@example.com")).toHaveLength(confirmed.length);
    for (const [n, form] of forms.entries()) {
      const numbers = posts.filter((post) => post.form === form).map((post) => post.n);
      expect(hooks.numbers(`/${n}`), `the webhook of form ${n}`).toEqual(numbers);
      expect(mailsTo(`owner${n}@example.com`), `the notifications of form ${n}`).toHaveLength(POSTS_PER_FORM);
      expect(numbers.flatMap((number) => mailsTo(`visitor${number}@example.com`))).toHaveLength(POSTS_PER_FORM);
    }
    for (const { call } of versions) {
      const counted = async (id: string) =>
        (await call<{ submissions: { all_time: number } }>("forms.get", id)).submissions.all_time;
      expect(await Promise.all(forms.map(counted))).toEqual(forms.map(() => POSTS_PER_FORM));
      expect(await counted(letters.id)).toBe(confirmed.length);
    }
  });

  it("refuse on the older one a form that it would misread, and the newer one delivers every post of it", async () => {
    const { call } = running(FIRST_NEW);
    const { id } = await call<{ id: string }>("forms.create", {
      name: "Orders",
      spam: { protection: false },
      self_email_notification: { recipients: ["orders@example.com"] },
    });
    const body = '{"data":{"fields":[{"key":"n","value":"{{n}}"}]}}';
    await call("webhooks.create", id, { url: `${hooks.url}/orders`, format: "http", config: { body } });
    const refused = await ask(FIRST_OLD, `/f/${id}`, { n: "0" });
    expect(refused.status, refused.text).toBe(REFUSED_BY_BEFORE);
    const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
    for (const n of numbers) await send(FIRST_NEW, `/f/${id}`, { n: String(n) });
    // Workers of the older version may have taken some, which fail there and are tried again. The upgrade goes on meanwhile.
    apps = apps.map(() => appHere);
    await Promise.all([restart(FIRST_OLD), restart(SECOND_OLD)]);
    await delivered();
    expect(hooks.numbers("/orders")).toEqual(numbers);
    expect(mailsTo("orders@example.com")).toHaveLength(numbers.length);
    expect((await call<{ submissions: { all_time: number } }>("forms.get", id)).submissions.all_time).toBe(20);
  });
}

interface Body {
  readonly data: { readonly fields: readonly { key: string; value: string }[] };
}

/** A receiver that keeps the value of the field `n`, by the path of the webhook. */
async function receiver() {
  const bodies = new Map<string, Body[]>();
  const server = createServer(async (req, res) => {
    let text = "";
    for await (const chunk of req.setEncoding("utf8")) text += chunk;
    bodies.set(req.url as string, [...(bodies.get(req.url as string) ?? []), JSON.parse(text)]);
    res.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    numbers: (path: string): number[] =>
      (bodies.get(path) ?? [])
        .map(({ data }) => Number(data.fields.find(({ key }) => key === "n")?.value))
        .sort((a, b) => a - b),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
