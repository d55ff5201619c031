import { type InProcessApi, inProcessApi } from "./api/in-process.ts";
import { type InboxApi, type MountedInbox, noInbox } from "./api/inbox.ts";
import { managementAnswers } from "./api/management.ts";
import { MOUNTED, type MountedMcp } from "./api/mcp.ts";
import { openapiOf } from "./api/openapi.ts";
import { createHandler, v1Errors, v1Route } from "./api/serve.ts";
import { legacyErrors, legacyRoutes, openRoutes, publicPrefixes, publicRoutes, routes } from "./api/table.ts";
import type { Zone } from "./api/zone.ts";
import { type Changes, createCaches, droppingOnWrite } from "./core/caches.ts";
import { createCommitter } from "./core/commit.ts";
import type { Core } from "./core/core.ts";
import { createEvents, type EventHub } from "./core/events.ts";
import { createLifecycle } from "./core/lifecycle.ts";
import { withOutages } from "./core/outage.ts";
import { createCursors } from "./core/paging.ts";
import { createRecordReader } from "./core/record-reader.ts";
import { createRows } from "./core/rows.ts";
import { warnOfLosses, watchRequests } from "./core/set-up.ts";
import { createStoreClock } from "./core/store-clock.ts";
import { createTelemetry } from "./core/telemetry.ts";
import { lanes } from "./deliveries/kinds.ts";
import { perform } from "./deliveries/perform.ts";
import { createSettle } from "./deliveries/settle.ts";
import { memoryBlob } from "./drivers/blob/memory.ts";
import { logMailer } from "./drivers/mailer/log.ts";
import { localQueue } from "./drivers/queue/local.ts";
import { memoryStorage } from "./drivers/storage/memory.ts";
import type { HostInfo } from "./http/route.ts";
import { preflight, publicErrors } from "./intake/routes.ts";
import { atEveryAddress, prefixesOf } from "./intake/routes-addresses.ts";
import { sayTallies } from "./intake/tell.ts";
import { createWorker } from "./jobs/work.ts";
import { challenge } from "./keys/resource.ts";
import { sortableIds } from "./lib/id.ts";
import { describe } from "./lib/message.ts";
import { addressPolicy } from "./lib/net-guard.ts";
import { assertNode } from "./lib/node-version.ts";
import { createLimits } from "./lib/rate-limit.ts";
import { createSeal } from "./lib/seal.ts";
import { verifyMailer } from "./mail/verify.ts";
import { resolveOptions } from "./options/resolve.ts";
import type { FormBackendOptions } from "./options/types.ts";
import { type Swept, sweep } from "./retention/sweep.ts";
import { flushSeen } from "./statistics/seen.ts";
import { createWebhookClient, userAgentOf, type WebhookClient } from "./webhooks/request.ts";

/** The form backend: a web-standard handler, its workers, and the same services in process. */
export interface FormBackend extends InProcessApi {
  /** The URL of the mount, as given, without a trailing slash. */
  readonly baseUrl: string;
  /** URL of the legacy API without a trailing slash; `baseUrl` if the option is not set. */
  readonly legacyBaseUrl: string;
  /**
   * Responds to a request whose URL contains the full path. Ignores further arguments, because some hosts pass them. Never
   * rejects.
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
export interface Internals {
  readonly webhookClient?: WebhookClient;
  /** Runs once after the drivers are open, before the first request. */
  readonly onReady?: (core: Core) => Promise<void>;
}

/** `createFormBackend` with seams for tests. */
export function createBackend(input: FormBackendOptions, internals: Internals = {}): FormBackend {
  assertNode();
  const options = resolveOptions(input);
  const { clock, logger, webhooks } = options;
  const secrets = () => options.secrets;
  const caches = createCaches(clock);
  const changes: Changes = new Map();
  const storage = droppingOnWrite(withOutages(input.storage ?? memoryStorage(), logger), caches, changes);
  const core: Core = {
    options,
    storage,
    rows: createRows(storage, caches, createRecordReader(logger), changes),
    mailer: input.mailer ?? logMailer(logger),
    blob: input.blob ?? input.storage?.beside?.blob() ?? memoryBlob(),
    queue: input.queue ?? localQueue(),
    clock,
    storeClock: createStoreClock(clock, (message) => logger.warn(message)),
    seal: createSeal(secrets),
    cursors: createCursors(secrets),
    limits: createLimits({ ...options.rateLimit, clock, warn: (message) => logger.warn(message) }),
    events: createEvents((error) => logger.error(`an event handler failed: ${describe(error)}`)),
    telemetry: createTelemetry(),
    webhookClient:
      internals.webhookClient ??
      createWebhookClient({
        policy: addressPolicy({ allowCidrs: webhooks.allowCidrs }),
        allowHttp: webhooks.allowHttp,
        timeoutMs: webhooks.timeoutMs,
        userAgent: userAgentOf(options.brand),
      }),
    openapi: openapiOf(routes, options),
    committer: createCommitter(storage),
    sortableId: sortableIds(),
  };
  const worker = createWorker(core, { lanes, perform, createSettle });
  const v1: Zone = {
    basePath: options.basePath,
    routes: Object.values(routes).map(v1Route),
    onError: v1Errors,
    ...managementAnswers(core, challenge(options)),
  };
  const assets: Zone = { basePath: options.basePath, routes: openRoutes, onError: v1Errors };
  const open: Zone = {
    basePath: options.basePath,
    prefixes: [...publicPrefixes, ...prefixesOf(options.dialects)],
    routes: atEveryAddress(publicRoutes, options.dialects),
    onError: publicErrors,
    preflight,
  };
  const legacy: Zone = {
    basePath: options.legacyBasePath,
    prefixes: ["/api"],
    routes: legacyRoutes,
    onError: legacyErrors,
    ...managementAnswers(core, null),
  };
  const inbox = (input.inbox?.mount as ((core: Core) => MountedInbox) | undefined)?.(core);
  const mcp = (input.mcp?.mount as ((core: Core) => MountedMcp) | undefined)?.(core);
  const { onReady } = internals;
  let verified: Promise<void> | undefined;
  const life = createLifecycle(core, {
    worker,
    sweep: () => sweep(core),
    async onReady() {
      // A missing one is said here, and not at the first form that needs it.
      void options.secrets;
      warnOfLosses(core, { storage: input.storage !== undefined });
      await onReady?.(core);
      await inbox?.onReady();
      await mcp?.onReady();
      verified = verifyMailer(core, () => life.isClosing());
    },
    async onClose() {
      sayTallies(core);
      await mcp?.onClose();
      core.webhookClient.close();
      await flushSeen(core);
    },
  });
  const respond = createHandler(
    core,
    [v1, open, assets, legacy, ...[inbox, mcp].flatMap((part) => part?.zone ?? [])],
    life.ready,
  );

  const watch = watchRequests(core, { trustProxy: input.trustProxy !== undefined });

  /** A frozen process runs no timers, so due work runs while the host still keeps the process alive. */
  const handle = (request: Request, info: HostInfo = {}): Promise<Response> =>
    life.during(async () => {
      watch(request, info.ip);
      const response = await respond(request, info);
      const reads = /^(GET|HEAD|OPTIONS)$/.test(request.method);
      if (options.work && info.waitUntil && !life.isClosing() && !reads) info.waitUntil(life.runDue());
      return response;
    });

  return {
    baseUrl: options.baseUrl,
    legacyBaseUrl: options.legacyBaseUrl,
    fetch: (request) => handle(request, request as HostInfo),
    handle: handle,
    async ready() {
      await life.ready();
      // A request does not wait for it.
      await verified;
    },
    close: ({ graceMs } = {}) => life.close(graceMs),
    async tick() {
      await life.ready();
      return worker.tick();
    },
    async sweep() {
      await life.ready();
      return sweep(core);
    },
    openapi: core.openapi.document,
    inbox: inbox?.api ?? noInbox,
    on: core.events.on,
    off: core.events.off,
    ...inProcessApi(core, life.ready),
    ...(mcp && { [MOUNTED]: mcp }),
  };
}
