import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { checked, connection, type HostFacts, pathsOf, streamOf, webRequest } from "../src/surfaces/node/bridge.ts";

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
 * Koa middleware for the paths below those of `baseUrl` and `legacyBaseUrl`; all others go to the next. Put it before any body parser.
 *
 * @example
 * app.use(formBackend(backend)); // with `baseUrl: "https://app.example.com/forms"`
 */
export function formBackend(backend: FormBackend): (ctx: KoaContext, next: () => Promise<unknown>) => Promise<unknown> {
  const isOurs = pathsOf(checked(backend));
  return async (ctx, next) => {
    if (!isOurs(ctx.request.originalUrl)) return next();
    const response = await backend.handle(webRequest(ctx.req, ctx.res, ctx.request), connection(ctx.req));
    // Koa sends it, so outer middleware can still see, compress and extend the response.
    ctx.body = streamOf(response) ?? "";
    ctx.status = response.status;
    ctx.remove("content-type");
    for (const [name, value] of response.headers) ctx[name === "set-cookie" ? "append" : "set"](name, value);
  };
}
