import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { checked, connection, type HostFacts, streamOf, webRequest } from "./_node.ts";

/** The part of a Koa context that is used. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: HostFacts & { readonly originalUrl: string };
  status: number;
  body: unknown;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  remove(name: string): void;
}

/**
 * Koa middleware for the paths below the path of `baseUrl`; all others go to the next. Put it before any body parser.
 *
 * @example
 * app.use(formBackend(backend)); // with `baseUrl: "https://app.example.com/forms"`
 */
export function formBackend(backend: FormBackend): (ctx: KoaContext, next: () => Promise<unknown>) => Promise<unknown> {
  const base = new URL(checked(backend).baseUrl).pathname.replace(/\/$/, "");
  return async (ctx, next) => {
    const path = ctx.request.originalUrl.split("?", 1)[0];
    if (!`${path}/`.startsWith(`${base}/`)) return next();
    const response = await backend.handle(webRequest(ctx.req, ctx.res, ctx.request), connection(ctx.req));
    // Koa sends it, so that middleware around this one still sees, compresses and adds to the answer.
    ctx.body = streamOf(response) ?? "";
    ctx.status = response.status;
    ctx.remove("content-type");
    for (const [name, value] of response.headers) ctx[name === "set-cookie" ? "append" : "set"](name, value);
  };
}
