import { fork } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { bundle } from "../../../_support/bundle.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../../_support/mysql.ts";
import { POSTGRES_URL } from "../../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../../_support/postgres-schema.ts";
import { CAMPAIGN, hamText, QUESTION, spamText } from "../../../_support/spam-texts.ts";

const PROCESSES = 4;
const MARKS = 60;
const POISON = 150;
const TIMEOUT_MS = 180_000;

withPostgres(() => {
  it("four processes learn from the same marks", () => learned({ POSTGRES_URL, SCHEMA: freshSchema() }), TIMEOUT_MS);
});
withMysql(() => {
  it("four processes learn from the same marks", () => learned({ MYSQL_URL, PREFIX: freshPrefix() }), TIMEOUT_MS);
});

interface Judged {
  readonly id: string;
  readonly spam: boolean;
}

type Call = <T>(name: string, ...args: unknown[]) => Promise<T>;

async function startProcess(script: string, env: Record<string, string>): Promise<Call> {
  const child = fork(script, { env: { ...process.env, NODE_ENV: "production", ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  const waiting = new Map<number, (result: never) => void>();
  child.on("message", ({ id, result }: { id: number; result: never }) => waiting.get(id)?.(result));
  let calls = 0;
  return (call, ...args) =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      waiting.set(id, resolve);
      child.once("exit", (code) => reject(new Error(`a process ended with ${code}`)));
      child.setMaxListeners(0);
      child.send({ id, call, args });
    });
}

async function learned(env: Record<string, string>): Promise<void> {
  const script = await bundle("test/services/features/spam/_app.ts");
  const calls: Call[] = [];
  // One after the other: the first one makes the tables.
  for (let n = 0; n < PROCESSES; n++) calls.push(await startProcess(script, env));
  const on = (n: number): Call => calls[n % PROCESSES] as Call;
  const { id: form } = await on(0)<{ id: string }>("forms.create", { name: "A", settings: { spam: { learn: true } } });

  const post = (n: number, message: string): Promise<Judged> => on(n)("submit", form, { fields: { message } });
  const setSpam = (n: number, id: string, spam: boolean) => on(n)("submissions.update", form, id, { spam });
  /** Posts over one process and marks over the next. */
  const mark = async (n: number, message: string, spam: boolean): Promise<string> => {
    const { id } = await post(n, message);
    await setSpam(n + 1, id, spam);
    return id;
  };
  const each = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => work(n)));
  const pairs = () =>
    each(2 * MARKS, (n) => (n % 2 === 0 ? mark(n >> 1, spamText(n >> 1), true) : mark(n >> 1, hamText(n >> 1), false)));
  /** The model of each process, and its verdict about a campaign and about a question. */
  const states = () =>
    each(PROCESSES, async (n) => {
      const { spam, ham, active } = await on(n)<{ spam: number; ham: number; active: boolean }>("spamModel.get");
      const campaign = await post(n, CAMPAIGN);
      const question = await post(n, QUESTION);
      return { spam, ham, active, verdicts: [campaign.spam, question.spam] };
    });
  const all = (state: object) => Array.from({ length: PROCESSES }, () => state);

  await pairs();
  const clean = { spam: MARKS, ham: MARKS, active: true, verdicts: [true, false] };
  expect(await states()).toEqual(all(clean));

  const poison = await each(POISON, (n) => mark(n, `${CAMPAIGN} ${n}`, false));
  for (const { ham, verdicts } of await states()) {
    expect(ham).toBe(MARKS + POISON);
    expect(verdicts).toEqual([false, false]);
  }
  // Two processes withdraw each mark at the same moment: it counts once.
  await each(2 * POISON, (n) => setSpam(n, poison[n >> 1] as string, true));
  expect(await states()).toEqual(all({ ...clean, spam: MARKS + POISON }));

  await each(POISON, (n) => setSpam(n, poison[n] as string, false));
  expect((await states()).map(({ verdicts }) => verdicts)).toEqual(all([false, false]));
  await on(1)("spamModel.forget");
  expect(await states()).toEqual(all({ spam: 0, ham: 0, active: false, verdicts: [false, false] }));
  await pairs();
  expect(await states()).toEqual(all(clean));
}
