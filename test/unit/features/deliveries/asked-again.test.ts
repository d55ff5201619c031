import { expect, it, vi } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";

const url = "https://hooks.example.com/a";

/** A backend whose receiver has every delivery sent again while it handles the first request for it, and then answers `first`. */
async function impatient(first: number, store_submissions = true) {
  const attempts: string[] = [];
  const asked: unknown[] = [];
  const backend = createBackend(
    { baseUrl: "http://localhost/forms", secret: "x".repeat(32), mailer: memoryMailer() },
    {
      webhookClient: {
        async post(_, { body, headers }) {
          const { data } = JSON.parse(String(body));
          const isFirst = attempts.push(String(headers?.["X-Service-Attempt"])) === 1;
          if (isFirst) asked.push(await backend.deliveries.redeliver(data.form_id, webhook.id, data.id));
          const status = isFirst ? first : 200;
          const ok = status === 200;
          return {
            ok,
            code: ok ? "SUCCESS" : "ERROR_WEBHOOK_HTTP_5XX",
            http_status: status,
            message: "",
            duration_ms: 1,
          };
        },
        close() {},
      },
    },
  );
  const form = await backend.forms.create({ name: "A", storage: { store_submissions } });
  const webhook = await backend.webhooks.create(form.id, { url });
  const { id } = await backend.submit(form.id, { fields: { a: "1" } });
  const delivery = () => backend.deliveries.get(form.id, webhook.id, id);
  return { backend, attempts, asked, delivery };
}

it.each([
  [200, true],
  [200, false],
  [500, true],
])(
  "a delivery that a caller asks for during an attempt is sent once more after it (answer %i, stored: %s)",
  async (...at) => {
    const { backend, attempts, asked, delivery } = await impatient(...at);
    await vi.waitFor(async () => expect(await delivery()).toMatchObject({ status: "succeeded", attempt: 2 }), 5_000);
    expect(asked).toMatchObject([{ status: "pending", code: "PENDING", attempt: 0 }]);
    expect(attempts).toEqual(["1", "2"]);
    expect((await backend.jobs.list({ kind: "webhook" }))[0]?.attempts).toMatchObject([
      { http_status: at[0] },
      { http_status: 200 },
    ]);
    await backend.tick();
    expect(attempts).toHaveLength(2);
    await backend.close();
  },
);
