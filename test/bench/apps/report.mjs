// What every app of the benchmark tells the process that started it.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

/** Says that the app is ready, and answers questions from then on: `cpu` in microseconds, a profile, `stop`, and its own. */
export function report(facts, questions = {}) {
  const session = new Session();
  const answers = {
    cpu() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    async startProfile() {
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
    },
    async stopProfile(file) {
      const { profile } = await session.post("Profiler.stop");
      writeFileSync(file, JSON.stringify(profile));
    },
    ...questions,
  };
  process.on("message", async ({ id, question, args }) => {
    if (question === "stop") {
      await questions.stop?.();
      process.exit(0);
    }
    try {
      process.send({ id, answer: await answers[question](...args) });
    } catch (error) {
      process.send({ id, error: error.stack });
    }
  });
  process.send(facts);
}

/** Listens on a free port of this machine and answers its address. */
export function listen(server) {
  return new Promise((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${listening.address().port}`));
  });
}

/** Collects all garbage. */
export function collector() {
  const session = new Session();
  session.connect();
  return () => session.post("HeapProfiler.collectGarbage");
}
