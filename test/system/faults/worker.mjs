// A process of the system under test whose time can run faster, whose mailer may die of a mail, and which ends as a process
// manager wants it to: on SIGTERM, within 10 s. Settings come from the environment.
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/node";
import { fastClock } from "./clock.mjs";

const {
  DATABASE,
  WEBHOOK_TIMEOUT_MS,
  INTEGRATIONS = "{}",
  PORT = "0",
  SPEED = "1",
  SINCE = "0",
  AHEAD = "0",
} = process.env;

const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${PORT}/forms`,
  secret: "a secret for the fault tests, 32 long",
  storage: sqliteStorage({ path: DATABASE }),
  mailer: {
    name: "deadly",
    async send(mail) {
      if (mail.text.includes("poison")) process.kill(process.pid, "SIGKILL");
      process.send({ mail: mail.messageId });
      return { id: null };
    },
    async verify() {},
    async close() {},
  },
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"], timeoutMs: Number(WEBHOOK_TIMEOUT_MS) },
  integrations: JSON.parse(INTEGRATIONS),
  rateLimit: false,
  ...(Number(SPEED) !== 1 && { clock: fastClock(Number(SPEED), Number(SINCE), Number(AHEAD)) }),
});
await backend.ready();
process.on("message", async ({ id, call, args }) => {
  const [group, method] = call.split(".");
  const result = await (method ? backend[group][method](...args) : backend[group](...args));
  process.send({ id, result });
});

const server = createServer(formBackend(backend));
process.on("SIGTERM", async () => {
  const ownMs = ownTime();
  await backend.close({ graceMs: 10_000 });
  server.close();
  process.send({ ownMs: ownMs() }, () => process.exit(0));
});
// Without its parent it has nothing to do, and would keep the test's files open.
process.on("disconnect", () => process.exit(1));
server.listen(Number(PORT), "127.0.0.1", () => process.send({ ready: true }));

/** Milliseconds since it was called, without those in which the machine let this process wait for its turn. */
function ownTime() {
  const EVERY_MS = 100;
  // An idle machine is late by less.
  const LATE_MS = 5;
  let [total, at, cpu] = [0, performance.now(), process.cpuUsage()];
  const add = () => {
    const { user, system } = process.cpuUsage(cpu);
    total += Math.min(performance.now() - at, EVERY_MS + LATE_MS + (user + system) / 1000);
    [at, cpu] = [performance.now(), process.cpuUsage()];
  };
  setInterval(add, EVERY_MS);
  return () => {
    add();
    return total;
  };
}
