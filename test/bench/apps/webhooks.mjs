// Forms with one webhook and with ten, posted to in process without a worker; and a form with submissions for the back-test.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createFormBackend } from "form-backend";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { report } from "./report.mjs";

const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 long",
  storage: await ourStorage(process.env),
  plans: { unlimited: { webhooks_per_form: 10 } },
  rateLimit: false,
  work: false,
  logger: quiet,
});
await backend.ready();

const forms = {};
for (const webhooks of [1, 10]) {
  const { id } = await backend.forms.create({ name: "Contact", self_email_notification: { enabled: false } });
  for (let n = 0; n < webhooks; n++) await backend.webhooks.create(id, { url: `https://hooks.example.com/${id}/${n}` });
  forms[webhooks] = id;
}
let posted = 0;
const fields = () => ({
  name: `Visitor ${++posted}`,
  email: `visitor${posted}@example.com`,
  message: `Message ${posted}: ${"when do you open on Sundays? ".repeat(20)}`,
});

report(
  {},
  {
    /** Milliseconds that so many posts took, one after the other. */
    async posts(webhooks, count) {
      const started = performance.now();
      for (let n = 0; n < count; n++) await backend.submit(forms[webhooks], { fields: fields() });
      return performance.now() - started;
    },
    /** CPU time and the longest turn of the event loop of a back-test, both in ms. */
    async backtest(limit) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const before = process.cpuUsage();
      const { checked } = await backend.submissions.backtestSpam(forms[10], { spam: { words: ["casino"] }, limit });
      const { user, system } = process.cpuUsage(before);
      delay.disable();
      return { checked, cpu: (user + system) / 1_000, turn: delay.max / 1e6 };
    },
    stop: () => backend.close(),
  },
);
