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
import { pause } from "./_workers.ts";

const CLIENTS = 200;
const PLACES = 50;
const KILLS = 4;
const TIMEOUT_MS = 300_000;

const dir = mkdtempSync(join(tmpdir(), "form-backend-places-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the places of a form and its unique values", () => {
  const title = (processes: number) =>
    `${CLIENTS} clients get ${PLACES} places and one value once, over ${processes} processes with ${KILLS} kill -9`;
  it(title(1), () => contended(1, { DATABASE: join(dir, "forms.db") }), TIMEOUT_MS);
  withPostgres(() => {
    it(title(4), () => contended(4, { DATABASE: POSTGRES_URL, SCHEMA: freshSchema() }), TIMEOUT_MS);
  });
  withMysql(() => {
    it(title(4), () => contended(4, { DATABASE: MYSQL_URL, PREFIX: freshPrefix() }), TIMEOUT_MS);
  });
});

async function contended(processes: number, env: Record<string, string>): Promise<void> {
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const start = (port: number | undefined) => startApp({ ...process.env, ...env, PORT: String(port), SMTP_PORT: "1" });
  const apps: ChildProcess[] = [];
  // One after the other: the first one makes the tables.
  for (const port of ports) apps.push(await start(port));
  const quiet = { self_email_notification: { enabled: false } };
  const create = async (name: string, settings: object) =>
    ((await call(apps[0] as ChildProcess, "forms.create", { name, settings, ...quiet })) as { id: string }).id;
  const limited = await create("Places", { availability: { limit: PLACES } });
  const unique = await create("Values", { unique: { fields: ["value"] } });

  /** Posts until a process answers; each repeat brings the same idempotency key. */
  async function post(form: string, n: number, body: Record<string, string>): Promise<string> {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await fetch(`http://127.0.0.1:${ports[(n + tries) % processes]}/forms/f/${form}`, {
          method: "POST",
          headers: { "idempotency-key": `n${n}`, accept: "application/json" },
          body: new URLSearchParams(body),
          signal: AbortSignal.timeout(20_000),
        });
        const { submission_id, error } = (await answer.json()) as {
          submission_id?: string;
          error?: { code: string; idempotency_key?: string };
        };
        if (answer.ok) return submission_id as string;
        if (answer.status < 500 && answer.status !== 409) return error?.code ?? "";
        await pause(50);
      } catch {
        await pause(20);
      }
    }
  }

  let done = 0;
  const answered = async (form: string, body: (n: number) => Record<string, string>) => {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, n) => {
        const answer = await post(form, n, body(n));
        done++;
        return answer;
      }),
    );
    return answers;
  };
  const places = answered(limited, (n) => ({ n: String(n) }));
  const values = answered(unique, (n) => ({ value: n % 2 ? "one@example.com" : " ONE@example.com", n: String(n) }));
  for (let kills = 0; kills < KILLS; kills++) {
    const at = ((kills + Math.random()) * 2 * CLIENTS) / (KILLS + 1);
    while (done < at) await pause(1);
    const victim = kills % processes;
    await kill(apps[victim] as ChildProcess);
    apps[victim] = await start(ports[victim]);
  }
  const stored = async (form: string) =>
    ((await call(apps[0] as ChildProcess, "submissions.list", form, { limit: 100 })) as { data: { id: string }[] }).data
      .map(({ id }) => id)
      .sort();
  const [placed, held] = [await places, await values];
  const taken = (answers: readonly string[], refusal: string) => answers.filter((one) => one !== refusal).sort();
  expect(taken(placed, "form_full")).toHaveLength(PLACES);
  expect(await stored(limited), "those who were told so have the places").toEqual(taken(placed, "form_full"));
  expect(taken(held, "validation_failed")).toHaveLength(1);
  expect(await stored(unique)).toEqual(taken(held, "validation_failed"));
  await Promise.all(apps.map(kill));
}
