import { DurableObject } from "cloudflare:workers";
import type { FormBackendOptions } from "../api/kernel.ts";
import type { DurableObjectStateLike, ObjectPlace, RemoteFault } from "./bindings.ts";
import { createObjectProcess, type ObjectProcess } from "./object-process.ts";

/** An object that runs a backend. Its Worker calls it; the alarm is Cloudflare's. */
export interface FormBackendObject {
  /** Serves a request. */
  fetch(request: Request): Promise<Response>;
  /** Runs what is due, and sets the next alarm. */
  alarm(): Promise<void>;
  /** For `backendOf`. */
  formBackendCall(name: string, args: unknown[]): Promise<{ value: unknown } | { fault: RemoteFault }>;
  /** For `formBackendWorker`. */
  formBackendPlace(): Promise<ObjectPlace | { fault: RemoteFault }>;
}

/** The class to export. */
export type FormBackendObjectClass<Env> = new (ctx: DurableObjectStateLike, env: Env) => FormBackendObject;

/**
 * Returns the class of a Durable Object that is the process of a backend: its SQLite is the store, and its alarm runs emails and
 * webhooks. `storage`, `queue` and `blob` may be left out. The options are made when the first request comes; what is wrong with them
 * is the answer to it, and stands in the log.
 *
 * @example
 * export class Forms extends formBackendObject<Env>((env) => ({
 *   baseUrl: env.BASE_URL,
 *   secret: env.FORM_BACKEND_SECRET,
 *   mailer: cloudflareMailer(env.EMAIL),
 * })) {}
 */
export function formBackendObject<Env>(
  options: (env: Env, ctx: DurableObjectStateLike) => FormBackendOptions,
): FormBackendObjectClass<Env> {
  if (typeof options !== "function") {
    throw new TypeError(
      "[form-backend] formBackendObject: pass a function that returns the options: formBackendObject((env, ctx) => ({ baseUrl: env.BASE_URL }))",
    );
  }
  return class extends DurableObject<Env> implements FormBackendObject {
    readonly #process: ObjectProcess;
    constructor(ctx: DurableObjectStateLike, env: Env) {
      super(ctx, env);
      this.#process = createObjectProcess(ctx, () => options(env, ctx));
    }
    fetch(request: Request): Promise<Response> {
      return this.#process.fetch(request);
    }
    alarm(): Promise<void> {
      return this.#process.alarm();
    }
    formBackendCall(name: string, args: unknown[]): Promise<{ value: unknown } | { fault: RemoteFault }> {
      return this.#process.formBackendCall(name, args);
    }
    formBackendPlace(): Promise<ObjectPlace | { fault: RemoteFault }> {
      return this.#process.formBackendPlace();
    }
  };
}
