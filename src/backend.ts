import { createEvents, type EventHub } from "./core/events.ts";
import { errorBody } from "./core/http/error-body.ts";
import type { HostInfo } from "./core/http/route.ts";
import { resolveOptions } from "./core/options/resolve.ts";
import type { FormBackendOptions, Options } from "./core/options/types.ts";
import { underTest } from "./core/options/under-test.ts";
import type { Engine, Internals, Mounted } from "./engine.ts";
import { ApiError } from "./errors.ts";
import type { Swept } from "./features/retention/run.ts";
import { prefixedId } from "./lib/id.ts";
import { type Late, late } from "./lib/late.ts";
import { describe, traceOf } from "./lib/message.ts";
import { assertNode } from "./lib/node-version.ts";
import { misplaced, soon } from "./lib/runtime/process.ts";

/** A web-standard handler and its workers, without the calls in process. */
export interface BareBackend {
  /** The URL of the mount, as given, without a trailing slash. */
  readonly baseUrl: string;
  /** URL of the legacy API without a trailing slash; `baseUrl` if the option is not set. */
  readonly legacyBaseUrl: string;
  /**
   * Responds to a request whose URL contains the full path. Ignores further arguments, because some hosts pass them. Never
   * rejects, unless it is given no web `Request`.
   */
  fetch(request: Request): Promise<Response>;
  /** `fetch` with information only the host has: the connection's address, and a way to keep a serverless process alive. */
  handle(request: Request, info?: HostInfo): Promise<Response>;
  /**
   * Opens the drivers and starts the workers. The first request does this too. Also checks the mail server, and logs an error
   * if it accepts no mail. Throws the drivers' errors.
   */
  ready(): Promise<void>;
  /**
   * Refuses new requests, waits at most `graceMs` (default 10,000) for running work, and releases what waits, so that other
   * processes continue with it. May be called twice.
   */
  close(options?: {
    /** Milliseconds to wait for running work; 10,000 by default. */
    graceMs?: number;
  }): Promise<void>;
  /** Runs everything that is due now, once. Call it from a cron job or a test. */
  tick(): Promise<{
    /** Jobs that were run. */
    ran: number;
  }>;
  /** When the next job is due, in epoch ms, or null without one; a past time is due now. For hosts that set an alarm for `tick()`. */
  nextDueAt(): Promise<number | null>;
  /** Removes data whose retention has expired. If this process runs workers, this also happens every hour. */
  sweep(): Promise<Swept>;
  /** Calls a handler for every event of a type in this process; `"*"` means all types. */
  on: EventHub["on"];
  /** Stops calling a handler; without `handler`, all handlers of the type. */
  off: EventHub["off"];
}

/** Makes an engine with its surfaces. */
export type MakeEngine<M extends Mounted> = (
  input: FormBackendOptions,
  options: Options,
  events: EventHub,
  internals?: Internals,
) => Engine<M>;

/** Replacements for tests. */
export interface Seams<M extends Mounted> extends Internals {
  /** The engine, where it is loaded already. */
  readonly engine?: MakeEngine<M>;
  /** True if the caller has put the backend where requests may share its state. */
  readonly placed?: boolean;
}

/** A backend whose engine is loaded behind it, and what its surfaces need to know of it at once. */
export interface Prepared<M extends Mounted> {
  readonly backend: BareBackend;
  readonly options: Options;
  readonly engine: Late<Engine<M>>;
  /** Calls the engine, at once where it is loaded. */
  after<R>(call: (engine: Engine<M>) => Promise<R>): Promise<R>;
}

/** Checks the options at once; everything else comes with the engine, which `load` loads when the first call comes, or soon. */
export function prepareBackend<M extends Mounted>(
  input: FormBackendOptions,
  load: () => Promise<MakeEngine<M>>,
  { engine: given, placed, ...internals }: Seams<M>,
): Prepared<M> {
  assertNode();
  const options = resolveOptions(input);
  const { logger } = options;
  input.inbox?.check(options.baseUrl);
  const events = createEvents((error) => logger.error(`an event handler failed: ${traceOf(error)}`));
  const fault = placed ? null : misplaced(input.storage?.name);
  const engine = late(
    async () => {
      if (fault !== null) throw new TypeError(fault);
      return (await load())(input, options, events, internals);
    },
    given?.(input, options, events, internals),
  );
  const after = <R>(call: (engine: Engine<M>) => Promise<R>): Promise<R> => {
    const loaded = engine.now();
    return loaded ? call(loaded) : engine.load().then(call);
  };
  const handle = (request: Request, info?: HostInfo): Promise<Response> => {
    // A host that has other requests would get an error out of our depths, or none at all.
    if (typeof request?.headers?.has !== "function") return Promise.reject(new TypeError(NO_WEB_REQUEST));
    return (
      engine.now()?.handle(request, info) ??
      engine.load().then(
        (loaded) => loaded.handle(request, info),
        (error: unknown) => {
          logger.error(fault ?? `the parts of the backend can't be loaded: ${describe(error)}`);
          return unavailable(fault ?? undefined);
        },
      )
    );
  };

  // In time for the first request, and before a deploy replaces the files. A test runner reports each import after its end.
  if (!underTest()) soon(() => void engine.load().catch(() => {}));

  const backend: BareBackend = {
    baseUrl: options.baseUrl,
    legacyBaseUrl: options.legacyBaseUrl,
    fetch: (request) => handle(request, request as HostInfo),
    handle,
    ready: () => after((loaded) => loaded.ready()),
    close: ({ graceMs } = {}) => after((loaded) => loaded.close(graceMs)),
    tick: () => after((loaded) => loaded.tick()),
    nextDueAt: () => after((loaded) => loaded.nextDueAt()),
    sweep: () => after((loaded) => loaded.sweep()),
    on: events.on,
    off: events.off,
  };
  return { backend, options, engine, after };
}

const NO_WEB_REQUEST =
  "[form-backend] fetch() and handle() take a web Request, and got something else, such as a request of Node; in Express write " +
  'app.use("/forms", formBackend(backend)), with formBackend from "form-backend/express", and in other hosts use their adapter';

/** The response while the parts can't be loaded; `http/envelope.ts` is one of them. */
function unavailable(message?: string): Response {
  const error = new ApiError("unavailable", { message });
  return Response.json(errorBody(error, prefixedId("req")), {
    status: error.status,
    headers: { "cache-control": "no-store", "retry-after": "5" },
  });
}
