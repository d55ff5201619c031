import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { ApiError } from "../../../../src/errors.ts";
import { verifyWebhook } from "../../../../src/features/webhooks/verify.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { httpReceiver } from "../../../_support/receivers.ts";

const SUBMITTERS = 8;
const PHASE = 150;
/** The most submissions that wait to be sent. Without a bound, a busy machine only gathers more. */
const WAITING = 64;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Arrived {
  readonly submission: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

describe("F15: secrets rotated while deliveries go out", () => {
  it("every request verifies with the old secrets and the new one; a third rotation in the window is refused", async () => {
    const arrived: Arrived[] = [];
    const receiver = await httpReceiver(async (req, res) => {
      let body = "";
      for await (const chunk of req.setEncoding("utf8")) body += chunk;
      arrived.push({ submission: JSON.parse(body).data.id, body, headers: req.headers as Record<string, string> });
      res.writeHead(204).end();
    });
    const backend = createBackend({
      baseUrl: "http://localhost/forms",
      secret: "a secret for tests that is long enough",
      storage: memoryStorage(),
      rateLimit: false,
      webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
    });
    const { id: form } = await backend.forms.create({ name: "F15", spam: { protection: false } });
    const webhook = await backend.webhooks.create(form, { url: `http://127.0.0.1:${receiver.port}/` });
    const secrets = [webhook.secret];
    /** The number of secrets that the caller had when it began to submit. */
    const known = new Map<string, number>();
    let loading = true;
    const submitters = Array.from({ length: SUBMITTERS }, async () => {
      while (loading) {
        while (known.size >= arrived.length + WAITING) await pause(1);
        const count = secrets.length;
        known.set((await backend.submit(form, { fields: { n: "1" } })).id, count);
      }
    });
    const more = async (count: number): Promise<void> => {
      const from = arrived.length;
      while (arrived.length < from + count) await pause(5);
    };
    await more(PHASE);
    for (let rotation = 0; rotation < 2; rotation++) {
      secrets.push((await backend.webhooks.rotateSecret(form, webhook.id)).secret);
      await more(PHASE);
    }
    const third = await backend.webhooks.rotateSecret(form, webhook.id).catch((error: unknown) => error);
    expect(third).toBeInstanceOf(ApiError);
    expect(third).toMatchObject({ status: 400, code: "invalid_parameter" });
    await more(PHASE);
    loading = false;
    await Promise.all(submitters);
    while (new Set(arrived.map(({ submission }) => submission)).size < known.size) await more(1);
    await backend.close();
    await receiver.close();

    expect(secrets).toHaveLength(3);
    const signatures = new Map<number, number>();
    for (const { submission, body, headers } of arrived) {
      const number = String(headers["webhook-signature"]).split(" ").length;
      signatures.set(number, (signatures.get(number) ?? 0) + 1);
      // The secrets that were there when it was submitted sign it for certain; a newer one may have come before it was sent.
      const sure = known.get(submission) as number;
      expect(number).toBeGreaterThanOrEqual(sure);
      for (const secret of secrets.slice(0, number)) expect(() => verifyWebhook(body, headers, secret)).not.toThrow();
      for (const secret of secrets.slice(number)) expect(() => verifyWebhook(body, headers, secret)).toThrow();
    }
    console.log(
      `F15: ${arrived.length} requests under load, by number of signatures ${JSON.stringify([...signatures])}; all verify with each of their secrets`,
    );
    expect([...signatures.keys()].sort()).toEqual([1, 2, 3]);
  });
});
