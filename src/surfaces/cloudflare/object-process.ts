import { localQueue } from "../../drivers/queue/local.ts";
import { durableObjectStorage } from "../../drivers/storage/durable-object.ts";
import { ApiError } from "../../errors.ts";
import { systemClock } from "../../lib/clock.ts";
import { errorMessage, traceOf } from "../../lib/message.ts";
import { names } from "../api/in-process/names.ts";
import type { FormBackendOptions } from "../api/kernel.ts";
import { createBackend, type FormBackend } from "../form-backend.ts";
import { type Alarms, createAlarms } from "./alarms.ts";
import type { DurableObjectStateLike, ObjectStub, RemoteFault } from "./bindings.ts";
import { faultResponse } from "./faults.ts";

/** Calls of the Worker's besides those of the API in process. */
const MORE = new Set(["tick", "sweep", "nextDueAt", "inbox.link", "inbox.endSessions"]);
const CALLS = new Set<string>([...names, ...MORE]);

/** What an object does for its Worker and for its alarm. */
export interface ObjectProcess extends ObjectStub {
  alarm(): Promise<void>;
}

interface Made {
  readonly backend: FormBackend;
  readonly alarms: Alarms;
}

/** One backend in one Durable Object. Wrong options fail at the first request, with a sentence, and not in the constructor. */
export function createObjectProcess(
  ctx: DurableObjectStateLike,
  options: () => FormBackendOptions,
  log: Pick<Console, "error"> = console,
): ObjectProcess {
  let made: Made | { readonly fault: string } | undefined;

  function start(): Made | { readonly fault: string } {
    made ??= tried();
    return made;
  }

  function tried(): Made | { readonly fault: string } {
    try {
      return make();
    } catch (error) {
      log.error(traceOf(error));
      return { fault: errorMessage(error) };
    }
  }

  function make(): Made {
    const given = options();
    if (given.mailer?.name === "smtp") {
      throw new TypeError(
        "[form-backend] option `mailer`: smtpMailer needs a mail server's ports, which Workers can't reach; replace it with " +
          "cloudflareMailer(env.EMAIL), or with resendMailer, postmarkMailer, sesMailer or mailgunMailer",
      );
    }
    const { logger = console, clock = systemClock } = given;
    const alarms = createAlarms(ctx.storage, { clock, error: (message) => logger.error(message) });
    const store = given.storage ?? durableObjectStorage(ctx.storage);
    const queue = localQueue();
    const blob = given.blob ?? store.beside?.blob();
    if (!given.blob) {
      logger.warn(
        "`blob` is not set, so files of at most 1 MB are kept in the object; for larger ones set it to r2Blob(env.FILES)",
      );
    }
    const backend = createBackend(
      {
        ...given,
        storage: alarms.watching(store),
        ...(blob && { blob }),
        // Nobody listens in this process: what is due runs in an alarm.
        queue: given.queue ?? { ...queue, wake: () => void alarms.at(clock.now()).catch(() => {}) },
        work: given.work ?? "on-request",
      },
      { placed: true },
    );
    void ctx.blockConcurrencyWhile(() => alarms.load());
    return { backend, alarms };
  }

  return {
    async fetch(request) {
      const own = start();
      if ("fault" in own) return faultResponse(own.fault);
      // Cloudflare sets the header itself, and replaces one that a client has sent.
      return own.backend.handle(request, { ip: request.headers.get("cf-connecting-ip") });
    },
    async alarm() {
      const own = start();
      // Nothing can run, and a post can't have stored anything either. After a deploy with other options the alarm rings again.
      if ("fault" in own) return void ctx.storage.setAlarm(Date.now() + 60_000);
      await own.alarms.ring(own.backend);
    },
    async formBackendPlace() {
      const own = start();
      if ("fault" in own) return { fault: { code: null, message: own.fault } };
      const { baseUrl, legacyBaseUrl } = own.backend;
      return { baseUrl, legacyBaseUrl };
    },
    async formBackendCall(name, args) {
      const own = start();
      if ("fault" in own) return { fault: { code: null, message: own.fault } };
      try {
        if (!CALLS.has(name)) throw new TypeError(`[form-backend] backendOf: there is no call "${name}"`);
        return { value: crossing(await callOf(own.backend, name)(...args)) };
      } catch (error) {
        return { fault: faultOf(error) };
      }
    },
  };
}

function callOf(backend: FormBackend, name: string): (...args: unknown[]) => Promise<unknown> {
  const [group = "", call] = name.split(".");
  const found: unknown = Reflect.get(backend, group);
  return (call === undefined ? found : Reflect.get(found as object, call)) as (...args: unknown[]) => Promise<unknown>;
}

/** RPC takes streams of bytes alone, which streams of ours are not by their type. */
function crossing(value: unknown): unknown {
  if (!(value instanceof ReadableStream)) return value;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void value.pipeTo(writable).catch(() => {});
  return readable;
}

function faultOf(error: unknown): RemoteFault {
  if (error instanceof ApiError) {
    const { code, message, param, required, fields } = error;
    return { code, message, param, required, fields };
  }
  if (error instanceof TypeError) return { code: null, message: error.message };
  throw error;
}
