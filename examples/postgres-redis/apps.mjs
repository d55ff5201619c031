// @ts-check
// Starts the app processes, and starts one again when it dies: what systemd or Kubernetes does for you.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("app.mjs", import.meta.url));

/** @param {readonly number[]} ports @param {Record<string, string>} env */
export async function startApps(ports, env = {}) {
  let stopping = false;
  /** @type {Map<number, import("node:child_process").ChildProcess>} */
  const running = new Map();

  /** @param {number} port */
  async function start(port) {
    const child = fork(script, { env: { ...process.env, ...env, APP_PORT: String(port) } });
    running.set(port, child);
    child.once("exit", (code, signal) => {
      if (stopping) return;
      console.log(`The app on port ${port} ended with ${signal ?? code}. Starting it again.`);
      setTimeout(() => start(port), signal ? 0 : 1_000);
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
  }
  await Promise.all(ports.map(start));

  return {
    /** @param {number} port */
    kill: (port) => running.get(port)?.kill("SIGKILL"),
    async stop() {
      stopping = true;
      await Promise.all(
        [...running.values()].map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill("SIGTERM");
          await once(child, "exit");
        }),
      );
    },
  };
}
