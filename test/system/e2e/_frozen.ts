import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An instance of a platform: it runs while it answers, and stands still otherwise. */
export interface Instance {
  /** With `cut`, it is frozen with its response, whatever still runs. */
  ask(asked: object): Promise<Answer>;
  kill(): Promise<void>;
  /** Everything that it printed so far. */
  printed(): string;
}

/** Starts `host.mjs` in a folder, which is a copy of `serverless-host.mjs`. */
export async function start(dir: string, platform: string, env: Record<string, string>): Promise<Instance> {
  const { NODE_ENV: _, VITEST: __, ...inherited } = process.env;
  const child: ChildProcess = fork(join(dir, "host.mjs"), [platform], {
    cwd: dir,
    env: { ...inherited, ...env },
    silent: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => (printed += text));
  const ended = once(child, "exit").then(() => {
    throw new Error(`the instance ended: ${printed}`);
  });
  ended.catch(() => {});
  const message = async <T>(wanted: (said: Record<string, unknown>) => boolean): Promise<T> => {
    for (;;) {
      const [said] = (await Promise.race([once(child, "message"), ended])) as [Record<string, unknown>];
      if (wanted(said)) return said as T;
    }
  };
  await message(({ up }) => up === true);
  child.kill("SIGSTOP");
  let last = 0;
  return {
    async ask(asked) {
      const id = ++last;
      const answered = message<Answer & { id: number }>((said) => said["id"] === id && "status" in said);
      const frozen = message((said) => said["id"] === id && said["frozen"] === true);
      child.kill("SIGCONT");
      child.send({ id, ...asked });
      const { status, text } = await answered;
      await frozen;
      child.kill("SIGSTOP");
      return { status, text };
    },
    printed: () => printed,
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
