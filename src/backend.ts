import { readFileSync } from "node:fs";
import { createEvents, type EventHub } from "./core/events.ts";
import { errorBody } from "./core/http/error-body.ts";
import type { HostInfo } from "./core/http/route.ts";
import { resolveOptions } from "./core/options/resolve.ts";
import type { FormBackendOptions, Options } from "./core/options/types.ts";
import { underTest } from "./core/options/under-test.ts";
import type { createEngine, Engine, Internals } from "./engine.ts";
import { ApiError } from "./errors.ts";
import type { Swept } from "./features/retention/run.ts";
import { prefixedId } from "./lib/id.ts";
import { late } from "./lib/late.ts";
import { describe, traceOf } from "./lib/message.ts";
import { assertNode } from "./lib/node-version.ts";
import { misplaced, soon } from "./lib/runtime/process.ts";
import { assertStandardSchema } from "./lib/standard-schema.ts";
import type { OpenApiDocument } from "./surfaces/api/document.ts";
import { documentOf } from "./surfaces/api/document-of.ts";
import { lateApi } from "./surfaces/api/in-process/late.ts";
import type { InProcessApi } from "./surfaces/api/in-process.ts";
import { type InboxApi, noInbox } from "./surfaces/api/inbox.ts";
import { MOUNTED } from "./surfaces/api/mcp.ts";

/** The form backend: a web-standard handler, its workers, and the same services in process. */
export interface FormBackend extends InProcessApi {
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
  /** The OpenAPI 3.1 document of the management API, as in `GET /v1/openapi.json`. */
  openapi(): object;
  /** Makes single-use links to the inbox, and ends its sessions. */
  readonly inbox: InboxApi;
  /** Calls a handler for every event of a type in this process; `"*"` means all types. */
  on: EventHub["on"];
  /** Stops calling a handler; without `handler`, all handlers of the type. */
  off: EventHub["off"];
}

/** Replacements for tests. */
export interface Seams extends Internals {
  /** The engine, where it is loaded already. */
  readonly engine?: typeof createEngine;
  /** True if the caller has put the backend where requests may share its state. */
  readonly placed?: boolean;
  /** Loads the engine. */
  readonly load?: () => Promise<{ readonly createEngine: typeof createEngine }>;
}

/** `createFormBackend` with seams for tests. Checks the options at once; everything else is loaded behind it. */
export function createBackend(
  input: FormBackendOptions,
  { engine: given, placed, load = () => import("./engine.ts"), ...internals }: Seams = {},
): FormBackend {
  assertNode();
  const options = resolveOptions(input);
  const { logger } = options;
  const { inbox, mcp } = input;
  inbox?.check(options.baseUrl);
  const events = createEvents((error) => logger.error(`an event handler failed: ${traceOf(error)}`));
  const fault = placed ? null : misplaced(input.storage?.name);
  const engine = late(
    async () => {
      if (fault !== null) throw new TypeError(fault);
      return (await load()).createEngine(input, options, events, internals);
    },
    given?.(input, options, events, internals),
  );
  const after = <R>(call: (engine: Engine) => Promise<R>): Promise<R> => {
    const loaded = engine.now();
    return loaded ? call(loaded) : engine.load().then(call);
  };
  const apiOf = ({ api }: Engine): InProcessApi => api;
  const loadedApi = () => {
    const loaded = engine.now();
    return loaded && apiOf(loaded);
  };
  const api = lateApi({ now: loadedApi, load: () => engine.load().then(apiOf) });

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

  return {
    baseUrl: options.baseUrl,
    legacyBaseUrl: options.legacyBaseUrl,
    fetch: (request) => handle(request, request as HostInfo),
    handle,
    ready: () => after((loaded) => loaded.ready()),
    close: ({ graceMs } = {}) => after((loaded) => loaded.close(graceMs)),
    tick: () => after((loaded) => loaded.tick()),
    nextDueAt: () => after((loaded) => loaded.nextDueAt()),
    sweep: () => after((loaded) => loaded.sweep()),
    openapi: () => engine.now()?.openapi() ?? documentOf(builtDocument(), options),
    inbox: inbox
      ? {
          link: (link) => after((loaded) => loaded.inbox.link(link)),
          endSessions: (of) => after((loaded) => loaded.inbox.endSessions(of)),
        }
      : noInbox,
    on: events.on,
    off: events.off,
    ...api,
    forms: {
      ...api.forms,
      useSchema(id, schema) {
        assertStandardSchema(schema);
        const loaded = engine.now();
        if (loaded) loaded.api.forms.useSchema(id, schema);
        // Later calls wait for the same promise, so that they come after it.
        else
          void engine.load().then(
            ({ api }) => api.forms.useSchema(id, schema),
            () => {},
          );
      },
    },
    ...(mcp && { [MOUNTED]: { metadata: () => (mcp.metadata as (of: Options) => Response)(options) } }),
  };
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

/** The document that the build has written beside this file, for a call that can't wait until the table of routes is loaded. */
function builtDocument(): OpenApiDocument {
  try {
    return JSON.parse(readFileSync(new URL("./openapi.json", import.meta.url), "utf8")) as OpenApiDocument;
  } catch (error) {
    throw new TypeError(
      "[form-backend] openapi() can't find openapi.json beside a bundled form-backend; call it after `await backend.ready()`",
      { cause: error },
    );
  }
}
