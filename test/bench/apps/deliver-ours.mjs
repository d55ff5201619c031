// Our worker: the submissions with their webhook jobs are in the store, and it delivers them until none is left.
import { createFormBackend } from "form-backend";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { report } from "./report.mjs";

/** A webhook has 8 attempts in flight and a process 64, by default. */
const FORMS = 8;
const { JOBS, RECEIVER } = process.env;
const options = {
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  rateLimit: false,
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
};
const message = "word ".repeat(180);

const filling = createFormBackend({ ...options, storage: await ourStorage(process.env), work: false });
const forms = [];
for (let i = 0; i < FORMS; i++) {
  const form = await filling.forms.create({ name: `Form ${i}`, self_email_notification: { enabled: false } });
  await filling.webhooks.create(form.id, { url: `${RECEIVER}/hook/${i}` });
  forms.push(form.id);
}
const left = Array.from({ length: Number(JOBS) }, (_, i) => i);
const fill = async () => {
  for (let i = left.pop(); i !== undefined; i = left.pop()) {
    const fields = { n: String(i), name: "Ann Example", email: "ann@example.com", message };
    await filling.submit(forms[i % FORMS], { fields });
  }
};
await Promise.all(Array.from({ length: 64 }, fill));
await filling.close();

const backend = createFormBackend({ ...options, storage: await ourStorage(process.env), work: true });
report(
  {},
  {
    /** Milliseconds until the last result is in the store. */
    run: () =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        let done = 0;
        backend.on("delivery.failed", ({ code, message: why }) => reject(new Error(`${code}: ${why}`)));
        backend.on("delivery.succeeded", () => {
          if (++done === Number(JOBS)) resolve(performance.now() - started);
        });
        backend.ready().catch(reject);
      }),
    /** The results and attempts in the store. */
    async stored() {
      let [results, logged] = [0, 0];
      for (const form_id of forms) {
        for (let cursor; cursor !== null; ) {
          const page = await backend.jobs.page({ form_id, kind: "webhook", status: "succeeded", limit: 100, cursor });
          results += page.data.length;
          logged += page.data.reduce((sum, { attempts }) => sum + attempts.length, 0);
          cursor = page.next_cursor;
        }
      }
      return { results, logged };
    },
    stop: () => backend.close({ graceMs: 1_000 }),
  },
);
