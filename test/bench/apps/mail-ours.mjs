// Our worker: the mails to the forms' owners are in the store, and it sends them until none is left.
import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { report } from "./report.mjs";

/** A mailbox gets 60 mails an hour at most, so there is one for each 50. */
const OF_EACH = 50;
const { JOBS, PORT } = process.env;
const options = {
  baseUrl: "https://forms.example.com/forms",
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  rateLimit: false,
};
const message = "word ".repeat(180);
const filling = createFormBackend({ ...options, storage: await ourStorage(process.env), work: false });
for (let n = 0; n < Number(JOBS); n += OF_EACH) {
  const { id } = await filling.forms.create({
    name: `Form ${n}`,
    spam: { protection: false },
    self_email_notification: { recipients: [`owner${n}@example.com`] },
  });
  const fields = (i) => ({ n: String(n + i), name: "Ann Example", email: "ann@example.com", message });
  const many = Math.min(OF_EACH, Number(JOBS) - n);
  await Promise.all(Array.from({ length: many }, (_, i) => filling.submit(id, { fields: fields(i) })));
}
await filling.close();

const mailer = smtpMailer({ host: "127.0.0.1", port: Number(PORT), ignoreTLS: true });
const backend = createFormBackend({ ...options, storage: await ourStorage(process.env), mailer, work: true });
report(
  {},
  {
    /** Milliseconds until the last result is in the store. */
    run: () =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        let done = 0;
        backend.on("email.failed", ({ code, message: why }) => reject(new Error(`${code}: ${why}`)));
        backend.on("email.sent", () => {
          if (++done === Number(JOBS)) resolve(performance.now() - started);
        });
        backend.ready().catch(reject);
      }),
    stop: () => backend.close({ graceMs: 1_000 }),
  },
);
