import type { FormBackendOptions } from "../../core/options/types.ts";
import { memoryBlob } from "../../drivers/blob/memory.ts";
import { memoryMailer } from "../../drivers/mailer/memory.ts";
import type { Mail } from "../../drivers/mailer/types.ts";
import { memoryStorage } from "../../drivers/storage/memory.ts";
import { lanes } from "../../features/deliveries/kinds.ts";
import { createKey } from "../../features/keys/service.ts";
import { newKey } from "../../features/keys/token.ts";
import { createWebhookClient } from "../../features/webhooks/request.ts";
import { addressPolicy } from "../../lib/net-guard.ts";
import { createBackend, type FormBackend } from "../form-backend.ts";
import { createMounted } from "../mount.ts";
import { type TestClock, testClock } from "./clock.ts";

/** One webhook request as the receiver would have seen it. */
export interface WebhookCall {
  /** `POST`, unless the settings of a destination say otherwise. */
  readonly method: "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that are signed. */
  readonly body: string;
}

export interface TestBackend extends FormBackend {
  readonly clock: {
    /** Epoch ms. */
    now(): number;
    /** Goes on by `ms`, running every job at the moment it falls due: three days of retries take a few milliseconds. */
    advance(ms: number): Promise<void>;
  };
  /** Every mail that was sent, oldest first. */
  readonly mails: readonly Mail[];
  /** Every webhook request, oldest first. */
  readonly webhookCalls: readonly WebhookCall[];
  /** Sets the response to webhooks from now on: an HTTP status, or a function of the call. Default 200. */
  answerWebhooks(status: number | ((call: WebhookCall) => number)): void;
  /** An API key of the default team with every scope, ready for `Authorization: Bearer`. */
  readonly key: string;
}

/** Any option of a backend; a clock of your own must be a `testClock()`. */
export interface TestBackendOptions extends Partial<Omit<FormBackendOptions, "clock">> {
  clock?: TestClock;
}

/**
 * A backend on memory drivers with a clock of its own, for unit tests: nothing sleeps, nothing leaves the process. Jobs run
 * only in `tick()` and `clock.advance()`. Your options replace the defaults; with the option `webhooks`, webhook requests are
 * really sent (and still recorded).
 *
 * @example
 * const backend = createTestBackend();
 * const form = await backend.forms.create({ name: "Contact" });
 * await backend.submit(form.id, { fields: { email: "ann@example.com" } });
 * await backend.tick();
 * backend.webhookCalls; // []
 */
export function createTestBackend(options: TestBackendOptions = {}): TestBackend {
  const clock = options.clock ?? testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const mailer = memoryMailer();
  const storage = options.storage ?? memoryStorage();
  const calls: WebhookCall[] = [];
  let answer: number | ((call: WebhookCall) => number) = 200;
  const key = newKey(options.brand?.keyPrefix ?? "fb_live_");
  const real = options.webhooks
    ? createWebhookClient({
        policy: addressPolicy({ allowCidrs: options.webhooks.allowCidrs ?? [] }),
        allowHttp: options.webhooks.allowHttp ?? false,
        ...(options.webhooks.timeoutMs !== undefined && { timeoutMs: options.webhooks.timeoutMs }),
      })
    : null;

  const backend = createBackend(
    {
      baseUrl: "http://localhost:3000/forms",
      secret: "a secret for tests that is long enough",
      mailer,
      blob: memoryBlob(),
      work: false,
      clock,
      ...options,
      storage,
    },
    {
      engine: createMounted,
      webhookClient: {
        async post(url, request, signal) {
          const { method = "POST" } = request;
          const call: WebhookCall = { method, url, headers: request.headers ?? {}, body: String(request.body) };
          calls.push(call);
          if (real) return real.post(url, request, signal);
          const status = typeof answer === "number" ? answer : answer(call);
          const ok = status >= 200 && status < 300;
          const code = ok
            ? "SUCCESS"
            : (`ERROR_WEBHOOK_HTTP_${Math.floor(status / 100)}XX` as "ERROR_WEBHOOK_HTTP_5XX");
          return {
            ok,
            code,
            http_status: status,
            message: ok ? "" : `HTTP ${status}`,
            duration_ms: 0,
          };
        },
        close: () => real?.close(),
      },
      onReady: async (core) => {
        await createKey(core, { name: "test", scopes: "all" }, { plain: key });
      },
    },
  );

  return Object.assign(backend, {
    clock: {
      now: clock.now,
      async advance(ms: number) {
        const target = clock.now() + ms;
        for (;;) {
          await backend.tick();
          const due = (await Promise.all(Object.keys(lanes).map((lane) => storage.nextDueAt(lane)))).filter(
            (at) => at !== null,
          );
          const next = Math.min(...due);
          if (next > target || due.length === 0) break;
          clock.set(Math.max(next, clock.now()));
        }
        clock.set(target);
        await backend.tick();
      },
    },
    mails: mailer.sent,
    webhookCalls: calls,
    answerWebhooks(status: number | ((call: WebhookCall) => number)) {
      answer = status;
    },
    key,
  });
}
