import type { Submission } from "../../../../src/model/submissions.ts";
import type { ObjectNamespaceLike } from "../../../../src/surfaces/cloudflare/bindings.ts";
import { backendOf, formBackendObject, formBackendWorker } from "../../../../src/surfaces/cloudflare/index.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";

interface Env {
  readonly FORMS: ObjectNamespaceLike;
  /** The address at which the test hears what arrived. */
  readonly CONTROL: string;
  readonly OPTIONS: { readonly baseUrl: string; readonly trustProxy?: number; readonly inbox: boolean };
}
interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export class Forms extends formBackendObject<Env>(({ OPTIONS: { inbox: shown, ...options } }) => ({
  secret: "the secret of these tests, long enough",
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
  ...options,
  ...(shown && { inbox: inbox({ apiKeys: true }) }),
})) {}

/** An object for each case, so that none finds what another has stored. */
let current = { name: "none", form: "", begun: 0, ended: 0 };

const worker = formBackendWorker<Env, Context>({
  binding: "FORMS",
  object: () => current.name,
  next: (request) =>
    new URL(request.url).pathname === "/own" ? new Response("own") : new Response("none", { status: 404 }),
});

/** Tells the test how many requests have come, and what is stored. */
async function report(env: Env, mine: typeof current): Promise<void> {
  const stored: Submission[] = [];
  if (mine.form !== "" && mine.ended > 0) {
    const { data } = await backendOf(env.FORMS, mine.name).submissions.list(mine.form, { status: "all", limit: 100 });
    stored.push(...data.reverse());
  }
  const { name, begun, ended } = mine;
  const response = await fetch(env.CONTROL, { method: "POST", body: JSON.stringify({ name, begun, ended, stored }) });
  await response.arrayBuffer();
}

async function command(request: Request, env: Env): Promise<unknown> {
  const { call, args } = (await request.json()) as { call: string; args: unknown[] };
  if (call === "start") {
    current = { name: String(args[0]), form: "", begun: 0, ended: 0 };
    return (await backendOf(env.FORMS, current.name).keys.create({ name: "test", scopes: "all" })).key;
  }
  const { forms } = backendOf(env.FORMS, current.name);
  const form = await (forms[call as "create"] as (...args: never[]) => ReturnType<typeof forms.create>)(
    ...(args as never[]),
  );
  current.form = form.id;
  return form;
}

export default {
  async fetch(request: Request, env: Env, ctx: Context): Promise<Response> {
    if (request.headers.has("x-test-command")) return Response.json({ value: (await command(request, env)) ?? null });
    const mine = current;
    mine.begun++;
    ctx.waitUntil(report(env, mine));
    // A client that goes away ends the request, and not what is counted.
    const answered = (async () => {
      try {
        return await worker.fetch(request, env, ctx);
      } finally {
        mine.ended++;
        await report(env, mine);
      }
    })();
    ctx.waitUntil(answered.catch(() => {}));
    return answered;
  },
};
