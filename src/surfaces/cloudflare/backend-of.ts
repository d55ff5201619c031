import { ApiError, type ErrorCode, errors } from "../../errors.ts";
import { names } from "../api/in-process/names.ts";
import type { InProcessApi } from "../api/in-process.ts";
import type { FormBackend } from "../form-backend.ts";
import { DEFAULT_OBJECT, type ObjectNamespaceLike, type RemoteFault, stubOf } from "./bindings.ts";

/** The operations of the backend in an object, for the Worker's own code. Functions and transactions can't cross to the object. */
export type RemoteBackend = Omit<InProcessApi, "forms"> & {
  /** Forms and their settings. */
  readonly forms: Omit<InProcessApi["forms"], "useSchema">;
} & Pick<FormBackend, "tick" | "sweep" | "nextDueAt" | "inbox">;

/**
 * Returns the calls in process of the backend in an object, over RPC: the same names, and the same `ApiError`s. `name` is that of
 * the object, `forms` by default. Throws a TypeError if the binding is missing.
 *
 * @example
 * const { data } = await backendOf(env.FORMS).forms.list();
 */
export function backendOf(namespace: ObjectNamespaceLike, name: string = DEFAULT_OBJECT): RemoteBackend {
  if (typeof namespace?.idFromName !== "function") {
    throw new TypeError(
      '[form-backend] backendOf: pass the binding of the Durable Object, such as env.FORMS; in wrangler.jsonc: "durable_objects": { "bindings": [{ "name": "FORMS", "class_name": "Forms" }] }',
    );
  }
  const call =
    (path: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const answer = await stubOf(namespace, name).formBackendCall(path, args);
      if ("fault" in answer) throw errorOf(answer.fault);
      return answer.value;
    };
  const made: Record<string, unknown> = {};
  for (const path of [...names, "tick", "sweep", "nextDueAt", "inbox.link", "inbox.endSessions"]) {
    const [group = "", one] = path.split(".");
    if (one === undefined) made[group] = call(path);
    else made[group] = { ...(made[group] as object), [one]: call(path) };
  }
  return made as unknown as RemoteBackend;
}

function errorOf({ code, message, param, required, fields }: RemoteFault): Error {
  if (code === null || !Object.hasOwn(errors, code)) return new TypeError(message);
  return new ApiError(code as ErrorCode, {
    message,
    ...(param !== undefined && { param }),
    ...(required !== undefined && { required: [...required] }),
    ...(fields !== undefined && { fields: fields as never }),
  });
}
