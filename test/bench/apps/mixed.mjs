// One process that takes posts and delivers them, on SQLite: what a small host runs.
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { formBackend } from "form-backend/node";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { collector, listen, report } from "./report.mjs";

const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  storage: await ourStorage({ ...process.env, ENGINE: "sqlite" }),
  rateLimit: false,
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
});
const form = await backend.forms.create({ name: "Bench", self_email_notification: { enabled: false } });
await backend.webhooks.create(form.id, { url: `${process.env.RECEIVER}/hook/0` });
const collect = collector();
report(
  { url: `${await listen(createServer(formBackend(backend)))}/forms/f/${form.id}` },
  {
    stored: async () => (await backend.submissions.count(form.id)).count,
    /** Bytes after a collection. */
    async heap() {
      await collect();
      return process.memoryUsage().heapUsed;
    },
    stop: () => backend.close({ graceMs: 1_000 }),
  },
);
