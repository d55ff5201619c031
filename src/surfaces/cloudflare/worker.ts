import { ApiError } from "../../errors.ts";
import { errorMessage } from "../../lib/message.ts";
import { DEFAULT_OBJECT, type ObjectNamespaceLike, type ObjectPlace, type ObjectStub, stubOf } from "./bindings.ts";
import { faultResponse } from "./faults.ts";

/** Options of `formBackendWorker`. */
export interface FormBackendWorkerOptions<Env, Ctx> {
  /** The name of the binding of the Durable Object in wrangler.jsonc. */
  readonly binding: string;
  /**
   * The name of the object that serves a request, at most 512 characters; null where a request names none, and then it is refused, as
   * there is no call over all objects. Default: one for all, `forms`.
   */
  readonly object?: (request: Request, env: Env) => string | null | Promise<string | null>;
  /** Answers what is not the backend's. Default: 404. */
  readonly next?: (request: Request, env: Env, ctx: Ctx) => Response | Promise<Response>;
  /** The secret of `rawInbound({ secret })`: with it the Worker has `email()`, which hands mails to the backend. */
  readonly inbound?: (env: Env) => string;
}

/** A mail that Email Routing hands to a Worker. */
export interface EmailMessageLike {
  /** The envelope's sender. */
  readonly from: string;
  /** The envelope's recipient. */
  readonly to: string;
  /** The message as it came. */
  readonly raw: ReadableStream<Uint8Array>;
  /** Its bytes. */
  readonly rawSize?: number;
  /** Refuses it for good. */
  setReject(reason: string): void;
}

/** The handlers of a Worker, for `export default`. */
export interface FormBackendWorker<Env, Ctx> {
  /** Hands requests below `baseUrl` and `legacyBaseUrl` to the object. */
  fetch(request: Request, env: Env, ctx: Ctx): Promise<Response>;
  /** Hands mails to the backend's `/inbound/raw`. Only with `inbound`. */
  email?(message: EmailMessageLike, env: Env, ctx: Ctx): Promise<void>;
  /** Runs what is due in the object `forms`, for a cron trigger beside the alarms. Not with `object`. */
  scheduled?(event: unknown, env: Env, ctx: Ctx): Promise<void>;
}

const MAX_NAME = 512;
const NO_OBJECT =
  "This address does not say whose forms it is about, and there is no call over the forms of all objects: name one, such as by the host or by a form's id.";
const MAX_MAIL_BYTES = 25 * 1024 * 1024;

/**
 * Returns the Worker before the objects of `formBackendObject`: it serves what lies below `baseUrl`'s path and `legacyBaseUrl`'s.
 *
 * @example export default formBackendWorker({ binding: "FORMS" });
 */
export function formBackendWorker<Env, Ctx = unknown>({
  binding,
  object,
  next,
  inbound,
}: FormBackendWorkerOptions<Env, Ctx>): FormBackendWorker<Env, Ctx> {
  /** Plain values, so that any request may use what another has asked for. */
  let place: ObjectPlace | undefined;

  /** Null where the request names no object. */
  async function stubFor(request: Request, env: Env): Promise<ObjectStub | null> {
    const namespace = namespaceOf(env, binding);
    const name = object ? await object(request, env) : DEFAULT_OBJECT;
    if (name === null) return null;
    if (typeof name !== "string" || name === "" || name.length > MAX_NAME) {
      throw new TypeError(
        `[form-backend] formBackendWorker: \`object\` must return the name of an object, of 1 to ${MAX_NAME} characters`,
      );
    }
    return stubOf(namespace, name);
  }

  async function placeOf(stub: ObjectStub): Promise<ObjectPlace> {
    if (place) return place;
    if (typeof (stub as { formBackendPlace?: unknown }).formBackendPlace !== "function") throw notOurs(binding);
    const answer = await stub.formBackendPlace().catch((error: unknown) => {
      throw /does not (implement|support)|not a function/.test(errorMessage(error)) ? notOurs(binding) : error;
    });
    if ("fault" in answer) throw new TypeError(answer.fault.message);
    place = { baseUrl: answer.baseUrl, legacyBaseUrl: answer.legacyBaseUrl };
    return place;
  }

  return {
    async fetch(request, env, ctx) {
      try {
        const stub = await stubFor(request, env);
        // All objects have the same place, so any of them can say it.
        const asked = stub ?? stubOf(namespaceOf(env, binding), DEFAULT_OBJECT);
        if (isBelow(await placeOf(asked), new URL(request.url).pathname)) {
          if (!stub) return unnamed();
          return await stub.fetch(new Request(request, { redirect: "manual" }));
        }
      } catch (error) {
        return refused(error);
      }
      return next ? next(request, env, ctx) : new Response("Not found\n", { status: 404 });
    },
    ...(inbound && {
      async email(message, env) {
        if ((message.rawSize ?? 0) > MAX_MAIL_BYTES) return message.setReject("The message is larger than 25 MB.");
        // By the envelope alone is it known whose mail this is where it was forwarded, or sent as a blind copy.
        const envelope = new URLSearchParams({ to: message.to, from: message.from });
        const headers = { "content-type": "message/rfc822", "x-envelope-to": message.to };
        const asked = new Request(`https://inbound.invalid/inbound/raw?${envelope}`, { method: "POST", headers });
        const stub = await stubFor(asked, env);
        if (!stub) return message.setReject("The address is not known here.");
        const { baseUrl } = await placeOf(stub);
        // Whole, since a mail that breaks off must not be taken for a shorter one.
        const body = await new Response(message.raw).arrayBuffer();
        const authorization = `Bearer ${inbound(env)}`;
        const request = new Request(`${baseUrl}/inbound/raw?${envelope}`, {
          method: "POST",
          headers: { ...headers, authorization },
          body,
        });
        const { ok, status } = await stub.fetch(request);
        // The sender's server tries again after an error, and not after a refusal.
        if (status >= 500 || status === 401 || status === 429)
          throw new Error(`the backend answered ${status} to a mail`);
        if (!ok) message.setReject("The message was not accepted.");
      },
    }),
    ...(!object && {
      async scheduled(_event, env) {
        const answer = await stubOf(namespaceOf(env, binding), DEFAULT_OBJECT).formBackendCall("tick", []);
        if ("fault" in answer) throw new Error(answer.fault.message);
      },
    }),
  };
}

/** The namespace behind a binding. Throws a TypeError that names the line of wrangler.jsonc. */
function namespaceOf(env: unknown, binding: string): ObjectNamespaceLike {
  const found: unknown = typeof env === "object" && env !== null ? Reflect.get(env, binding) : undefined;
  if (typeof (found as ObjectNamespaceLike | undefined)?.idFromName === "function") return found as ObjectNamespaceLike;
  const what = found === undefined ? "there is no binding" : "this is no Durable Object:";
  throw new TypeError(
    `[form-backend] formBackendWorker: ${what} ${JSON.stringify(binding)}; in wrangler.jsonc, add it to "durable_objects": { "bindings": [{ "name": ${JSON.stringify(binding)}, "class_name": "Forms" }] }`,
  );
}

const notOurs = (binding: string): TypeError =>
  new TypeError(
    `[form-backend] formBackendWorker: the class behind the binding ${JSON.stringify(binding)} is none of formBackendObject; export one and name it as "class_name": export class Forms extends formBackendObject((env) => ({ … })) {}`,
  );

function isBelow({ baseUrl, legacyBaseUrl }: ObjectPlace, path: string): boolean {
  return [baseUrl, legacyBaseUrl].some((url) => {
    const base = new URL(url).pathname.replace(/\/+$/, "");
    return path === base || path.startsWith(`${base}/`);
  });
}

/** For a request that no object serves. */
function unnamed(): Response {
  const { code, status, message } = new ApiError("invalid_parameter", { message: NO_OBJECT });
  return Response.json(
    { error: { type: "invalid_request_error", code, message } },
    { status, headers: { "cache-control": "no-store" } },
  );
}

/** A sentence for what the set-up lacks; anything else, such as an object that restarts, passes. */
function refused(error: unknown): Response {
  // biome-ignore lint/suspicious/noConsole: the Worker's own log; the backend's logger is in the object
  console.error(errorMessage(error));
  if (error instanceof TypeError && error.message.startsWith("[form-backend]")) return faultResponse(error.message);
  return Response.json(
    {
      error: { type: "api_error", code: "unavailable", message: "The service is unavailable for a moment; try again." },
    },
    { status: 503, headers: { "retry-after": "1", "cache-control": "no-store" } },
  );
}
