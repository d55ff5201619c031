/** The part of Cloudflare's own module that the objects derive from. */
declare module "cloudflare:workers" {
  export class DurableObject<Env> {
    protected readonly ctx: import("./bindings.ts").DurableObjectStateLike;
    protected readonly env: Env;
    constructor(ctx: import("./bindings.ts").DurableObjectStateLike, env: Env);
  }
}
