import type { MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import type { ObjectNamespaceLike } from "../../../../src/surfaces/cloudflare/bindings.ts";
import { backendOf, formBackendObject, formBackendWorker, r2Blob } from "../../../../src/surfaces/cloudflare/index.ts";
import { rawInbound } from "../../../../src/surfaces/inbound/index.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { mcp } from "../../../../src/surfaces/mcp/index.ts";

interface Env {
  readonly FORMS: ObjectNamespaceLike;
  readonly FILES?: Parameters<typeof r2Blob>[0];
  /** Where the test receives mails and webhooks. */
  readonly PEER: string;
  /** Moves the clock of the backend, ms. */
  readonly AHEAD?: string;
  /** The secret of the pipe, as the Worker has it. */
  readonly PIPE?: string;
  /** Alarms do nothing, so that only a test rings them. */
  readonly SILENT?: boolean;
}

/** Mails over HTTP to the test. */
const mailer = (url: string): MailerDriver => ({
  name: "http-test",
  async send(mail) {
    const response = await fetch(`${url}/mail`, {
      method: "POST",
      body: JSON.stringify({ to: mail.to.address, id: mail.messageId, replyTo: mail.replyTo?.address }),
    });
    await response.text();
    return { id: null };
  },
  async verify() {},
  async close() {},
});

const pause = {
  setTimer: (run: () => void, ms: number) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Further ahead, by a test that moves the clock; it stays where an object is ended. */
let ahead = 0;
/** True if an alarm has rung that does nothing. */
let rung = false;
/** Objects that were begun in this runtime, one anew after each end. */
let begun = 0;

/** The members of an object that this one uses. */
interface Own {
  readonly env: Env;
  readonly ctx: {
    readonly storage: {
      readonly sql: { exec(sql: string): { toArray(): unknown[] } };
      getAlarm(): Promise<number | null>;
    };
    abort(reason: string): void;
  };
}

const Base = formBackendObject<Env>((env) => ({
  baseUrl: "http://site.test/forms",
  secret: "the secret of these tests, long enough",
  mailer: mailer(env.PEER),
  from: "Forms <forms@site.test>",
  ...(env.FILES && { blob: r2Blob(env.FILES) }),
  ...((env.AHEAD || env.SILENT) && { clock: { now: () => Date.now() + Number(env.AHEAD ?? 0) + ahead, ...pause } }),
  inbox: inbox({ apiKeys: true }),
  mcp: mcp(),
  inbound: { domain: "in.site.test", providers: [rawInbound({ secret: "the secret of the pipe" })] },
  plans: { unlimited: { webhooks_per_form: 10 } },
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
  // A lease of 8 s: what a restart interrupts is sent again soon.
  webhooks: { timeoutMs: 2_000, allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
}));

export class Forms extends Base {
  constructor(...given: ConstructorParameters<typeof Base>) {
    super(...given);
    begun++;
  }
  get #own(): Own {
    return this as unknown as Own;
  }
  async everything(): Promise<unknown> {
    return this.#own.ctx.storage.sql
      .exec(
        "SELECT (SELECT count(*) FROM fb_submissions) AS submissions, (SELECT count(*) FROM fb_jobs WHERE due_at IS NOT NULL) AS due",
      )
      .toArray()[0];
  }
  async begun(): Promise<number> {
    return begun;
  }
  /** Ends the object at once, with what is under way in it, as an eviction or a deploy does. */
  evict(): void {
    this.#own.ctx.abort("evicted by the test");
  }
  override async alarm(): Promise<void> {
    if (this.#own.env.SILENT) rung = true;
    else await super.alarm();
  }
  /** Moves the clock to the alarm that is set, and rings it. Returns how far that was, or null if none is set. */
  async ring(): Promise<number | null> {
    const at = (await this.#own.ctx.storage.getAlarm()) ?? (rung ? Date.now() : null);
    rung = false;
    if (at === null) return null;
    const passed = Math.max(0, at - Date.now());
    ahead += passed;
    await super.alarm();
    return passed;
  }
}

/** One object for all, which is what a cron trigger and mails need. */
const single = formBackendWorker<Env>({
  binding: "FORMS",
  inbound: (env) => env.PIPE ?? "the secret of the pipe",
});

const worker = formBackendWorker<Env>({
  binding: "FORMS",
  object: (request) => request.headers.get("x-team") ?? "forms",
  async next(request, env) {
    const backend = backendOf(env.FORMS, request.headers.get("x-team") ?? "forms");
    const { pathname } = new URL(request.url);
    const body = request.method === "POST" ? ((await request.json()) as { call: string; args: unknown[] }) : null;
    if (pathname === "/object" && body) {
      const stub = env.FORMS.get(env.FORMS.idFromName(request.headers.get("x-team") ?? "forms") as never);
      const own = stub as Record<string, () => Promise<unknown>>;
      return Response.json({ value: (await own[body.call]?.()) ?? null });
    }
    if (pathname !== "/rpc" || !body) return new Response("own");
    const [group = "", call = ""] = body.call.split(".");
    try {
      const found: unknown = Reflect.get(backend, group);
      const run = (call ? Reflect.get(found as object, call) : found) as (...args: unknown[]) => Promise<unknown>;
      const value = await run(...body.args);
      return Response.json({
        value: value instanceof ReadableStream ? await new Response(value).text() : (value ?? null),
      });
    } catch (error) {
      const { name, status, code, param, message } = error as Record<string, unknown>;
      return Response.json({ error: { name, status, code, param, message } });
    }
  },
});
export default { ...worker, email: single.email, scheduled: single.scheduled };
