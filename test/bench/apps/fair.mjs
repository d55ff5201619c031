// Ours with two teams: one that only posts, and one that is at its worst in another process.
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { formBackend } from "form-backend/node";
import { mailServer, prepareWorst } from "../worst.mjs";
import { ourStorage } from "./our-storage.mjs";
import { listen, report } from "./report.mjs";

const [silent, usual] = [await mailServer({ silent: true }), await mailServer({ silent: false })];
const nothing = { debug() {}, info() {}, warn() {}, error: console.error };
const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 chars",
  logger: nothing,
  storage: await ourStorage(process.env),
  mailer: smtpMailer(`smtp://127.0.0.1:${usual.port}`),
  webhooks: { allowCidrs: ["127.0.0.0/8"] },
  trustProxy: true,
});
await backend.teams.create({ id: "worst", name: "Worst" });
await backend.teams.create({ id: "calm", name: "Calm" });
const worst = await prepareWorst(backend, { team: "worst", server: silent.port, rows: 200 });
const calm = await backend.forms.create(
  { name: "Calm", self_email_notification: { recipients: ["owner@example.com"] } },
  { team_id: "calm" },
);
const handle = formBackend(backend);
const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
let work = [];
const server = createServer((req, res) => {
  if (req.url.endsWith(calm.id)) {
    const before = cpuMs();
    res.once("finish", () => work.push(cpuMs() - before));
  }
  handle(req, res);
});
const base = `${await listen(server)}/forms`;
const turns = monitorEventLoopDelay({ resolution: 5 });
report(
  { url: `${base}/f/${calm.id}`, base, worst },
  {
    stored: async () => (await backend.submissions.count(calm.id)).count,
    /** CPU time of this process, ms, while each post since the last call waited for its answer: a busy machine does not count. */
    work() {
      const seen = work;
      work = [];
      return seen;
    },
    /** The p99 and the longest delay of the event loop since the last call, ms. */
    turns() {
      const seen = { p99: turns.percentile(99) / 1e6, longest: turns.max / 1e6 };
      turns.reset();
      turns.enable();
      return seen;
    },
  },
);
