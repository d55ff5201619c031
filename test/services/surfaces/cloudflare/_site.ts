import type { MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import type { ObjectNamespaceLike } from "../../../../src/surfaces/cloudflare/bindings.ts";
import { backendOf, formBackendObject, formBackendWorker, r2Blob } from "../../../../src/surfaces/cloudflare/index.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";

interface Env {
  readonly FORMS: ObjectNamespaceLike;
  readonly FILES?: Parameters<typeof r2Blob>[0];
  /** Where the test receives mails and webhooks. */
  readonly PEER: string;
  /** Moves the clock of the backend, ms. */
  readonly AHEAD?: string;
}

/** Mails over HTTP to the test. */
const mailer = (url: string): MailerDriver => ({
  name: "http-test",
  async send(mail) {
    const response = await fetch(`${url}/mail`, {
      method: "POST",
      body: JSON.stringify({ to: mail.to.address, id: mail.messageId }),
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

export class Forms extends formBackendObject<Env>((env) => ({
  baseUrl: "http://site.test/forms",
  secret: "the secret of these tests, long enough",
  mailer: mailer(env.PEER),
  from: "Forms <forms@site.test>",
  ...(env.FILES && { blob: r2Blob(env.FILES) }),
  ...(env.AHEAD && { clock: { now: () => Date.now() + Number(env.AHEAD), ...pause } }),
  inbox: inbox({ apiKeys: true }),
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
  // A lease of 8 s: what a restart interrupts is sent again soon.
  webhooks: { timeoutMs: 2_000, allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
})) {
  async everything(): Promise<unknown> {
    return (
      this as unknown as { ctx: { storage: { sql: { exec(sql: string): { toArray(): unknown[] } } } } }
    ).ctx.storage.sql
      .exec(
        "SELECT (SELECT count(*) FROM fb_submissions) AS submissions, (SELECT count(*) FROM fb_jobs WHERE due_at IS NOT NULL) AS due",
      )
      .toArray()[0];
  }
}

const worker = formBackendWorker<Env>({
  binding: "FORMS",
  object: (request) => request.headers.get("x-team") ?? "forms",
  async next(request, env) {
    const backend = backendOf(env.FORMS, request.headers.get("x-team") ?? "forms");
    const { pathname } = new URL(request.url);
    const body = request.method === "POST" ? ((await request.json()) as { call: string; args: unknown[] }) : null;
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
export default worker;
