import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freshPrefix, MYSQL_URL, withMysql } from "../../_support/mysql.ts";
import { freePort } from "../../_support/port.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { runs } from "../../_support/runs.ts";
import { call, kill, startApp } from "./_apps.ts";
import { mailReceiver } from "./_receivers.ts";
import { pause, until } from "./_workers.ts";

const CONVERSATIONS = runs(100, 1_000);
const KILLS = runs(4, 20);
/** A team may send 100 answers an hour. */
const IN_A_TEAM = 80;
const CLIENTS = 16;
/** The lease of a killed process ends after a minute. A faster clock has each mail killed three times, after which it fails by design. */
const SPEED = 2;
const SECRET = "the secret of the pipe";
const TIMEOUT_MS = 1_200_000;

const dir = mkdtempSync(join(tmpdir(), "form-backend-conversations-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Message {
  readonly direction: string;
  readonly text: string;
  readonly status: string;
}

// At the same time, since each waits for leases most of its time.
describe.concurrent("conversations", () => {
  const title = (processes: number) =>
    `${CONVERSATIONS} answers that go out and as many mails that come in are each stored once, over ${processes} processes with ${KILLS} kill -9`;
  it(title(1), () => killed("SQLite", 1, { DATABASE: join(dir, "forms.db") }), TIMEOUT_MS);
  withPostgres(() => {
    it(title(4), () => killed("PostgreSQL", 4, { DATABASE: POSTGRES_URL, SCHEMA: freshSchema() }), TIMEOUT_MS);
  });
  withMysql(() => {
    it(title(4), () => killed("MariaDB", 4, { DATABASE: MYSQL_URL, PREFIX: freshPrefix() }), TIMEOUT_MS);
  });
});

async function killed(name: string, processes: number, env: Record<string, string>): Promise<void> {
  /** Work that visitors begin when an answer reaches them. */
  const backs = new Map<number, Promise<void>>();
  let fault: unknown;
  const mails = await mailReceiver((folded) => {
    const raw = folded.replaceAll(/\r\n[ \t]+/g, " ");
    const n = Number(/^To:.*visitor(\d+)@/im.exec(raw)?.[1]);
    const to = /^Reply-To:.*?([^\s<]+@in\.example\.com)/im.exec(raw)?.[1];
    if (to === undefined) fault = new Error(`an answer asks nowhere to be written to: ${raw.slice(0, 1_000)}`);
    else if (!backs.has(n))
      backs.set(
        n,
        writeBack(n, to).catch((error: unknown) => {
          fault = error;
        }),
      );
  });
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const since = String(Date.now());
  const start = (port: number | undefined) =>
    startApp({
      ...process.env,
      ...env,
      SPEED: String(SPEED),
      SINCE: since,
      PORT: String(port),
      SMTP_PORT: String(mails.port),
      INBOUND_SECRET: SECRET,
    });
  const apps: ChildProcess[] = [];
  // One after the other: the first one makes the tables.
  for (const port of ports) apps.push(await start(port));
  const [first] = apps as [ChildProcess];
  const forms: { readonly id: string; readonly key: string }[] = [];
  for (let at = 0; at * IN_A_TEAM < CONVERSATIONS; at++) {
    const { id: team_id } = (await call(first, "teams.create", { name: `Team ${at}` })) as { id: string };
    const quiet = { self_email_notification: { enabled: false } };
    const { id } = (await call(first, "forms.create", { name: "Contact", team_id, ...quiet })) as { id: string };
    const { key } = (await call(first, "keys.create", { name: "k", scopes: "all", team_id })) as { key: string };
    forms.push({ id, key });
  }

  /** Asks until a process answers. A sender passes over a process that does not, as a proxy in front would. */
  async function ask(n: number, path: string, init: RequestInit): Promise<Record<string, unknown>> {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await fetch(`http://127.0.0.1:${ports[(n + tries) % processes]}/forms${path}`, {
          ...init,
          signal: AbortSignal.timeout(20_000),
        });
        const json = (await answer.json()) as Record<string, unknown>;
        if (answer.ok) return json;
        if (answer.status < 500 && answer.status !== 409) throw new Refused(`${path}: ${JSON.stringify(json)}`);
        await pause(50);
      } catch (error) {
        if (error instanceof Refused) throw error;
        await pause(20);
      }
    }
  }

  const ids = new Map<number, string>();
  let done = 0;
  const formOf = (n: number) => forms[Math.floor(n / IN_A_TEAM)] as (typeof forms)[number];
  const at = (n: number) => `/v1/forms/${formOf(n).id}/submissions/${ids.get(n)}/messages`;
  const authorization = (n: number) => ({ authorization: `Bearer ${formOf(n).key}` });

  async function writeBack(n: number, to: string): Promise<void> {
    const body = `From: visitor${n}@example.com\r\nTo: ${to}\r\nMessage-ID: <back${n}@example.com>\r\nSubject: Re\r\n\r\nBack ${n}\r\n`;
    const headers = { authorization: `Bearer ${SECRET}`, "content-type": "message/rfc822" };
    const { result } = await ask(n, "/inbound/raw", { method: "POST", headers, body });
    expect(["stored", "repeated"]).toContain(result);
    done++;
  }

  async function answer(n: number): Promise<void> {
    const headers = { accept: "application/json", "idempotency-key": `n${n}` };
    const fields = new URLSearchParams({ email: `visitor${n}@example.com`, message: "Hello?" });
    const posted = await ask(n, `/f/${formOf(n).id}`, { method: "POST", headers, body: fields });
    ids.set(n, String(posted["submission_id"]));
    await ask(n, at(n), {
      method: "POST",
      headers: { ...authorization(n), "content-type": "application/json", "idempotency-key": `a${n}` },
      body: JSON.stringify({ text: `Answer ${n}` }),
    });
    done++;
  }

  function reached(count: number): boolean {
    if (fault) throw fault;
    return done >= count;
  }

  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let n = next++; n < CONVERSATIONS; n = next++) await answer(n);
  });
  // Each kill comes at a random moment of its part of the work, so that all fall into it.
  for (let kills = 0; kills < KILLS; kills++) {
    const moment = ((kills + Math.random()) * 2 * CONVERSATIONS * 0.9) / KILLS;
    await until(`${Math.ceil(moment)} of ${2 * CONVERSATIONS} done`, () => reached(moment), TIMEOUT_MS);
    const victim = kills % processes;
    await kill(apps[victim] as ChildProcess);
    apps[victim] = await start(ports[victim]);
  }
  await Promise.all(clients);
  await until("every visitor has written back", () => reached(2 * CONVERSATIONS), TIMEOUT_MS);

  const threads = new Map<number, readonly Message[]>();
  const isSettled = async (n: number): Promise<boolean> => {
    const { data } = await ask(n, at(n), { headers: authorization(n) });
    threads.set(n, data as Message[]);
    return (data as Message[]).every(({ status }) => status === "sent" || status === "received");
  };
  // An answer that had arrived when its process was killed goes out again once the lease has ended.
  let open = Array.from({ length: CONVERSATIONS }, (_, n) => n);
  const settle = async (): Promise<boolean> => {
    const settled = await Promise.all(open.map(isSettled));
    open = open.filter((_, index) => !settled[index]);
    return open.length === 0;
  };
  await until("every answer is known to be sent", settle, TIMEOUT_MS);
  await Promise.all(apps.map(kill));
  await mails.close();

  const twice = [...mails.counts.values()].reduce((sum, count) => sum + count, 0) - mails.counts.size;
  console.log(
    `${name}: ${KILLS} kills, ${mails.counts.size} answers arrived, ${twice} of them twice, ${backs.size} back`,
  );
  for (let n = 0; n < CONVERSATIONS; n++) {
    const thread = (threads.get(n) ?? []).map(({ direction, text }) => `${direction} ${text}`).sort();
    expect(thread, "both are stored, each once").toEqual([`in Back ${n}`, `out Answer ${n}`]);
  }
  expect(mails.counts.size, "every answer arrived under one Message-ID").toBe(CONVERSATIONS);
  expect(twice, "duplicates are bounded by kills x mails in flight").toBeLessThanOrEqual(KILLS * 16);
}

class Refused extends Error {}
