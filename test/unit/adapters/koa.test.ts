import type { RequestListener } from "node:http";
import { formBackend, type KoaContext } from "../../../adapters/koa.ts";
import { COOKIES, conformsWith, listening, OWN } from "../../_support/hosts.ts";

type Middleware = (ctx: KoaContext & { path: string }, next: () => Promise<unknown>) => Promise<unknown>;
type Koa = new () => { silent: boolean; use(middleware: Middleware): void; callback(): RequestListener };
const bodyparser = (await import("koa-bodyparser" as string).catch(() => null))?.default as
  | (() => Middleware)
  | undefined;

await conformsWith<Koa>("koa", "Koa", async (Koa, { backend, preParsed }) => {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.append("set-cookie", COOKIES[0] as string);
    await next();
    // What sessions do: a header after the rest of the middleware has run.
    ctx.append("set-cookie", COOKIES[1] as string);
  });
  app.use(async (ctx, next) => {
    if (ctx.path !== OWN.ownPath) return next();
    ctx.body = "own";
  });
  if (preParsed && bodyparser) app.use(bodyparser());
  app.use(formBackend(backend));
  return { ...OWN, ...(await listening(app.callback())) };
});
