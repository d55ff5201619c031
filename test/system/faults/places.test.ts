import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freshPrefix, MYSQL_URL, withMysql } from "../../_support/mysql.ts";
import { freePort } from "../../_support/port.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { call, kill, startApp } from "./_apps.ts";
import { mailReceiver } from "./_receivers.ts";
import { pause } from "./_workers.ts";

const CLIENTS = 200;
const PLACES = 50;
const KILLS = 4;
const TIMEOUT_MS = 300_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

const dir = mkdtempSync(join(tmpdir(), "form-backend-places-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the places of a form and its unique values", () => {
  for (const [what, run] of [
    [`get ${PLACES} places and one value once`, contended],
    [`get ${PLACES} places of which some are freed, between spam and confirmations that expire`, freed],
  ] as const) {
    const title = (processes: number) =>
      `${CLIENTS} clients ${what}, over ${processes} processes with ${KILLS} kill -9`;
    it(title(1), () => run(1, { DATABASE: join(dir, `${run.name}.db`) }), TIMEOUT_MS);
    withPostgres(() => {
      it(title(4), () => run(4, { DATABASE: POSTGRES_URL, SCHEMA: freshSchema() }), TIMEOUT_MS);
    });
    withMysql(() => {
      it(title(4), () => run(4, { DATABASE: MYSQL_URL, PREFIX: freshPrefix() }), TIMEOUT_MS);
    });
  }
});

/** The processes of the system, which clients reach as over a proxy: one that does not answer is passed over. */
async function started(processes: number, env: Record<string, string>) {
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const mails = await mailReceiver();
  let ahead = 0;
  const start = (port: number | undefined) =>
    startApp({ ...process.env, ...env, PORT: String(port), SMTP_PORT: String(mails.port), AHEAD: String(ahead) });
  const apps: ChildProcess[] = [];
  // One after the other: the first one makes the tables.
  for (const port of ports) apps.push(await start(port));
  let done = 0;

  /** Asks until a process answers with less than 500. */
  async function ask(n: number, path: string, init: RequestInit): Promise<Response> {
    for (let tries = 0; ; tries++) {
      try {
        const url = `http://127.0.0.1:${ports[(n + tries) % processes]}/forms${path}`;
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(20_000) });
        if (answer.status < 500 && answer.status !== 409) return answer;
        await pause(50);
      } catch {
        await pause(20);
      }
    }
  }

  return {
    ask,
    call: (name: string, ...args: unknown[]) => call(apps[0] as ChildProcess, name, ...args),
    async form(name: string, settings: object): Promise<string> {
      const quiet = { self_email_notification: { enabled: false } };
      return ((await this.call("forms.create", { name, settings, ...quiet })) as { id: string }).id;
    },
    /** Posts under an idempotency key, so that a repeat is the same post. Answers the id, or the code of the refusal. */
    async post(form: string, n: number, body: Record<string, string>, key = `n${n}`): Promise<string> {
      const headers = { "idempotency-key": key, accept: "application/json" };
      const answer = await ask(n, `/f/${form}`, { method: "POST", headers, body: new URLSearchParams(body) });
      const { submission_id, error } = (await answer.json()) as { submission_id?: string; error?: { code: string } };
      return answer.ok ? (submission_id as string) : (error?.code ?? "");
    },
    /** The answer to each of many clients at once. */
    clients: <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => {
          const result = await work(n);
          done++;
          return result;
        }),
      ),
    /** Kills a process at random moments, until `total` clients have their answers. */
    async killing(total: number): Promise<void> {
      const before = done;
      for (let kills = 0; kills < KILLS; kills++) {
        const at = before + ((kills + Math.random()) * total) / (KILLS + 1);
        while (done < at) await pause(1);
        const victim = kills % processes;
        await kill(apps[victim] as ChildProcess);
        apps[victim] = await start(ports[victim]);
      }
    },
    /** Starts all processes again, `ms` later. */
    async later(ms: number): Promise<void> {
      ahead += ms;
      await Promise.all(apps.map(kill));
      for (const [n, port] of ports.entries()) apps[n] = await start(port);
    },
    async stored(form: string, query: object = {}): Promise<string[]> {
      const { data } = (await this.call("submissions.list", form, { limit: 100, ...query })) as {
        data: { id: string }[];
      };
      return data.map(({ id }) => id).sort();
    },
    async end(): Promise<void> {
      await Promise.all(apps.map(kill));
      await mails.close();
    },
  };
}

const taken = (answers: readonly string[], refusal: string) => answers.filter((one) => one !== refusal).sort();

async function contended(processes: number, env: Record<string, string>): Promise<void> {
  const system = await started(processes, env);
  const limited = await system.form("Places", { availability: { limit: PLACES } });
  const unique = await system.form("Values", { unique: { fields: ["value"] } });
  const places = system.clients(CLIENTS, (n) => system.post(limited, n, { n: String(n) }));
  const values = system.clients(CLIENTS, (n) =>
    system.post(unique, n, { value: n % 2 ? "one@example.com" : " ONE@example.com", n: String(n) }),
  );
  await system.killing(2 * CLIENTS);
  const [placed, held] = [await places, await values];
  expect(taken(placed, "form_full")).toHaveLength(PLACES);
  expect(await system.stored(limited), "those who were told so have the places").toEqual(taken(placed, "form_full"));
  expect(taken(held, "validation_failed")).toHaveLength(1);
  expect(await system.stored(unique)).toEqual(taken(held, "validation_failed"));
  await system.end();
}

async function freed(processes: number, env: Record<string, string>): Promise<void> {
  const system = await started(processes, env);
  const availability = { limit: PLACES };
  const limited = await system.form("Places", { availability });
  const waiting = await system.form("Waiting", { availability, double_opt_in: { enabled: true, field: "email" } });
  const { key } = (await system.call("keys.create", { name: "k", scopes: "all" })) as { key: string };
  const remove = async (n: number, id: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await system.ask(n, `/v1/forms/${limited}/submissions/${id}`, { method: "DELETE", headers });
    // A process that was killed after it had deleted it leaves nothing to find.
    expect([200, 204, 404]).toContain(answer.status);
  };
  const spam: string[] = [];
  const gone = new Set<string>();
  const visitor = (round: string) => async (n: number) => {
    if (n % 4 === 0) spam.push(await system.post(limited, n, { n: String(n), _gotcha: "x" }, `spam${round}${n}`));
    const answer = await system.post(limited, n, { n: String(n) }, `${round}${n}`);
    if (answer !== "form_full" && n % 3 === 0) {
      await remove(n, answer);
      gone.add(answer);
    }
    return answer;
  };
  const address = (n: number) => ({ email: `visitor${n}@example.com` });
  const asked = system.clients(CLIENTS, (n) => system.post(waiting, n, address(n)));
  const answers = system.clients(CLIENTS, visitor("a"));
  await system.killing(2 * CLIENTS);
  const accepted = taken(await answers, "form_full");
  expect(taken(await asked, "form_full"), "those who have yet to confirm hold the places").toHaveLength(PLACES);
  // The places that were freed last are taken now, and those of the others are not.
  const more = await system.clients(CLIENTS, (n) => system.post(limited, n, { n: String(n) }, `b${n}`));
  const kept = [...accepted, ...taken(more, "form_full")].filter((id) => !gone.has(id)).sort();
  expect(kept).toHaveLength(PLACES);
  expect(await system.stored(limited)).toEqual(kept);
  // A filled trap is answered like a post, also where the form is full: then nothing is stored.
  expect(await system.stored(limited, { status: "spam" })).toEqual(taken(spam, "form_full"));

  await system.later(30 * DAY_MS);
  const late = system.clients(CLIENTS, (n) => system.post(waiting, n, address(n), `late${n}`));
  await system.killing(CLIENTS);
  expect(taken(await late, "form_full"), "nobody has confirmed, so the places are free again").toHaveLength(PLACES);
  await system.end();
}
