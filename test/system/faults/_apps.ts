import { type ChildProcess, fork } from "node:child_process";

/** Ends an app as a power cut does. */
export function kill(app: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => app.once("exit", () => resolve()));
  app.kill("SIGKILL");
  return gone;
}

/** Starts `app.mjs`, and resolves once it takes posts. */
export async function startApp(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const app = fork("test/system/faults/app.mjs", { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    app.once("message", () => resolve());
    app.once("exit", (code) => reject(new Error(`the app ended with ${code} before it was ready`)));
  });
  app.removeAllListeners("exit");
  return app;
}

/** Calls a method of the app's backend. */
export async function call(app: ChildProcess, name: string, ...args: unknown[]): Promise<unknown> {
  const answer = new Promise<{ result: unknown }>((resolve) =>
    app.once("message", (message) => resolve(message as { result: unknown })),
  );
  app.send({ call: name, args });
  return (await answer).result;
}
