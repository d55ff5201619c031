import type { Attempt, Outcome, WebhookClient, WebhookRequest } from "../../src/core/webhook-client.ts";
import type { BlobDriver } from "../../src/drivers/blob/types.ts";
import { type Mail, MailError, type MailerDriver } from "../../src/drivers/mailer/types.ts";
import type { QueueDriver } from "../../src/drivers/queue/types.ts";
import type { Faults } from "./faults.ts";
import type { Process, World } from "./world.ts";

/** Something that a receiver or mail server took. */
export interface Taken {
  /** The id by which a receiver knows repeats: the header `webhook-id`, or the mail's Message-ID. */
  readonly id: string;
  readonly to: string;
  readonly at: number;
  readonly by: Process;
  /** False where it took it and its answer was lost, so that another try is right. */
  readonly isHeard: boolean;
  readonly text: string;
}

/** Everything beyond the store: what takes webhooks and mail, keeps files, and carries hints. */
export interface Outside {
  readonly hooks: Taken[];
  readonly mails: Taken[];
  readonly files: Map<string, { readonly size: number; readonly at: number }>;
  /** Called with each mail that was taken. */
  onMail: ((mail: Mail) => void) | undefined;
  webhookClient(owner: Process): WebhookClient;
  mailer(owner: Process): MailerDriver;
  blob(owner: Process): BlobDriver;
  queue(owner: Process): QueueDriver;
}

/** A receiver's time under load, less than a delivery waits. */
const SLOW_MS = 10_000;

export function createOutside(world: World, faults: Faults): Outside {
  const random = world.random.fork("outside");
  const hooks: Taken[] = [];
  const mails: Taken[] = [];
  const files = new Map<string, { readonly size: number; readonly at: number }>();
  const listeners = new Set<{ readonly owner: Process; readonly onWake: (lane: string) => void }>();
  const trip = (): number => (random.chance(faults.slow) ? random.between(200, 5_000) : random.between(1, 80));

  function post(owner: Process, url: string, request: WebhookRequest, signal?: AbortSignal): Promise<Attempt> {
    const begun = world.now();
    return new Promise((resolve) => {
      const answer = (outcome: Outcome): void => {
        // The signal lives as long as its process.
        signal?.removeEventListener("abort", abort);
        resolve({ ...outcome, duration_ms: world.now() - begun });
      };
      const abort = (): void =>
        answer({ ok: false, code: "ERROR_WEBHOOK_INTERNAL", message: "The attempt was aborted." });
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      const { pathname } = new URL(url);
      const isFailing = faults.on && random.chance(faults.failing);
      const isHeard = !(faults.on && random.chance(faults.unheard));
      world.after(pathname === "/slow" ? SLOW_MS : trip(), null, () => {
        if (pathname === "/gone") return world.after(trip(), owner, () => answer(status(410)));
        if (pathname === "/never") return world.after(trip(), owner, () => answer(status(500)));
        if (isFailing) {
          const outcome = random.pick([status(500), status(429), status(404), refused, dns]);
          return world.after(trip(), owner, () => answer(outcome));
        }
        const id = request.headers?.["webhook-id"] ?? "";
        hooks.push({ id, to: pathname, at: world.now(), by: owner, isHeard, text: String(request.body) });
        world.note(`receiver ${pathname} took ${id}${isHeard ? "" : ", and its answer was lost"}`);
        if (isHeard) world.after(trip(), owner, () => answer(status(200)));
        else
          world.after(15_000, owner, () => answer({ ok: false, code: "ERROR_WEBHOOK_TIMEOUT", message: "No answer." }));
      });
    });
  }

  function send(owner: Process, mail: Mail, signal?: AbortSignal): ReturnType<MailerDriver["send"]> {
    return new Promise((resolve, reject) => {
      const refuse = (...refusal: ConstructorParameters<typeof MailError>): void => {
        signal?.removeEventListener("abort", abort);
        reject(new MailError(...refusal));
      };
      const abort = (): void => refuse("ERROR_EMAIL_TIMEOUT", "The send was aborted.", { temporary: true });
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      const isFailing = faults.on && random.chance(faults.failing);
      const isHeard = !(faults.on && random.chance(faults.unheard));
      world.after(trip(), null, () => {
        const to = mail.to.address;
        if (to.startsWith("gone")) {
          return world.after(trip(), owner, () =>
            refuse("ERROR_EMAIL_SMTP_5XX", "550 No such user", { temporary: false, status: 550 }),
          );
        }
        if (isFailing) {
          return world.after(trip(), owner, () =>
            refuse("ERROR_EMAIL_SMTP_4XX", "451 Later", { temporary: true, status: 451 }),
          );
        }
        mails.push({
          id: mail.messageId,
          to,
          at: world.now(),
          by: owner,
          isHeard,
          text: `${mail.subject}\n${mail.text}`,
        });
        world.note(`mail server took ${mail.messageId} for ${to}${isHeard ? "" : ", and its answer was lost"}`);
        outside.onMail?.(mail);
        if (!isHeard)
          return world.after(30_000, owner, () => refuse("ERROR_EMAIL_TIMEOUT", "No answer.", { temporary: true }));
        world.after(trip(), owner, () => {
          signal?.removeEventListener("abort", abort);
          resolve({ id: mail.messageId });
        });
      });
    });
  }

  const outside: Outside = {
    hooks,
    mails,
    files,
    onMail: undefined,
    webhookClient: (owner) => ({ post: (url, request, signal) => post(owner, url, request, signal), close() {} }),
    mailer: (owner) => ({
      name: "simulated",
      copies: true,
      send: (mail, options) => send(owner, mail, options?.signal),
      async verify() {},
      async close() {},
    }),
    blob: (owner) => ({
      name: "simulated",
      async put(key, body) {
        let size = 0;
        for await (const chunk of body) size += chunk.byteLength;
        const isRefused = faults.on && random.chance(faults.refused);
        const isLost = faults.on && random.chance(faults.lost);
        await new Promise<void>((resolve, reject) => {
          world.after(trip(), null, () => {
            if (!isRefused) files.set(key, { size, at: world.now() });
            const failed = isRefused || isLost;
            world.after(trip(), owner, () => (failed ? reject(new Error("the file store failed")) : resolve()));
          });
        });
        return { size };
      },
      async get(key) {
        return files.has(key) ? new Blob(["x"]).stream() : null;
      },
      remove(key) {
        const isRefused = faults.on && random.chance(faults.refused);
        const isLost = faults.on && random.chance(faults.lost);
        return new Promise((resolve, reject) => {
          world.after(trip(), null, () => {
            if (!isRefused) files.delete(key);
            const failed = isRefused || isLost;
            world.after(trip(), owner, () => (failed ? reject(new Error("the file store failed")) : resolve()));
          });
        });
      },
      async close() {},
    }),
    queue: (owner) => ({
      name: "simulated",
      wake(lane) {
        for (const listener of listeners) {
          if (faults.on && random.chance(faults.hints)) continue;
          world.after(random.between(0, 20), listener.owner, () => listener.onWake(lane));
        }
      },
      async listen(onWake) {
        const listener = { owner, onWake };
        listeners.add(listener);
        return async () => void listeners.delete(listener);
      },
      async close() {},
    }),
  };
  return outside;
}

const refused: Outcome = {
  ok: false,
  code: "ERROR_WEBHOOK_CONNECTION",
  node_error_code: "ECONNREFUSED",
  message: "refused",
};
const dns: Outcome = { ok: false, code: "ERROR_WEBHOOK_DNS", node_error_code: "ENOTFOUND", message: "no such host" };

function status(code: number): Outcome {
  if (code === 200) return { ok: true, code: "SUCCESS", http_status: 200, message: "" };
  const family = code >= 500 ? "ERROR_WEBHOOK_HTTP_5XX" : "ERROR_WEBHOOK_HTTP_4XX";
  const later = code === 429 ? { retry_after: "30" } : {};
  return { ok: false, code: family, http_status: code, message: `HTTP ${code}`, ...later };
}
