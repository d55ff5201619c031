import { type Core, createCaches } from "./core.ts";
import { memoryBlob } from "./drivers/blob/memory.ts";
import { logMailer } from "./drivers/mailer/log.ts";
import { localQueue } from "./drivers/queue/local.ts";
import { memoryStorage } from "./drivers/storage/memory.ts";
import { ApiError } from "./errors.ts";
import { createEvents, type EventHub } from "./events.ts";
import { managementAnswers } from "./http/management.ts";
import { openapiOf } from "./http/openapi.ts";
import type { HostInfo } from "./http/route.ts";
import { createHandler, v1Errors, v1Route, type Zone } from "./http/serve.ts";
import { legacyErrors, legacyRoutes, openRoutes, publicRoutes, routes } from "./http/table.ts";
import { type InProcessApi, inProcessApi } from "./in-process.ts";
import { createCommitter } from "./intake/commit.ts";
import { preflight } from "./intake/routes.ts";
import { askStoreClock, createStoreClock } from "./jobs/store-clock.ts";
import { createWorker } from "./jobs/work.ts";
import { createJoinedFind } from "./joined.ts";
import { createTokenVerifier } from "./keys/oauth.ts";
import { challenge } from "./keys/resource.ts";
import { systemClock } from "./lib/clock.ts";
import { sortableIds } from "./lib/id.ts";
import { addressPolicy } from "./lib/net-guard.ts";
import { createLimits } from "./lib/rate-limit.ts";
import { createSeal } from "./lib/seal.ts";
import { type FormBackendOptions, resolveOptions, underTest } from "./options.ts";
import { withOutages } from "./outage.ts";
import { createCursors } from "./paging.ts";
import { type Swept, sweep } from "./retention/sweep.ts";
import { createRecall } from "./spam/recall.ts";
import { createRenderTokens } from "./spam/token.ts";
import { createTelemetry } from "./telemetry.ts";
import { createWebhookClient, type WebhookClient } from "./webhooks/request.ts";

const GRACE_MS = 10_000;
const SWEEP_MS = 60 * 60 * 1000;
const ASK_CLOCK_MS = 10 * 60 * 1000;

/** The form backend: a web-standard handler, its workers, and the same services in process. */
export interface FormBackend extends InProcessApi {
  /** The URL where it is mounted, as given, without a slash at the end. */
  readonly baseUrl: string;
  /** Answers a request whose URL holds the full path; ignores further arguments, which some hosts pass. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** `fetch` with what only the host knows: the connection's address, and a way to keep a serverless process alive. */
  handle(request: Request, info?: HostInfo): Promise<Response>;
  /** Opens the drivers and starts the workers; implied by the first request. Throws what a driver throws. */
  ready(): Promise<void>;
  /** Refuses new requests, lets what runs end for at most `graceMs` (default 10,000), gives leases back; twice is fine. */
  close(options?: { graceMs?: number }): Promise<void>;
  /** Runs everything that is due now, once: for a cron trigger or a test. */
  tick(): Promise<{ ran: number }>;
  /** Removes what was kept for as long as it may be; runs every hour by itself where this process works. */
  sweep(): Promise<Swept>;
  /** The OpenAPI 3.1 document of the management API, as `GET /v1/openapi.json` answers it. */
  openapi(): object;
  /** Calls a handler for every event of a type, in this process; `"*"` for all of them. */
  on: EventHub["on"];
  off: EventHub["off"];
}

/** What tests put in place of the real thing. */
export interface Internals {
  readonly webhookClient?: WebhookClient;
  /** Runs once after the drivers are open, before the first request. */
  readonly onReady?: (core: Core) => Promise<void>;
}

/** `createFormBackend` with seams for tests. */
export function createBackend(input: FormBackendOptions, internals: Internals = {}): FormBackend {
  const options = resolveOptions(input);
  if (!input.storage && !underTest()) {
    options.logger.warn("no `storage` is set: submissions are kept in memory and end with this process");
  }
  const storage = withOutages(input.storage ?? memoryStorage(), options.logger);
  const { clock, logger, secret, webhooks } = options;
  const core: Core = {
    options,
    storage,
    mailer: input.mailer ?? logMailer(logger),
    blob: input.blob ?? memoryBlob(),
    queue: input.queue ?? localQueue(),
    clock,
    storeClock: createStoreClock(clock, (message) => logger.warn(message)),
    seal: createSeal(secret),
    cursors: createCursors(secret),
    renderTokens: createRenderTokens(secret),
    recall: createRecall(),
    limits: createLimits({ ...options.rateLimit, clock, warn: (message) => logger.warn(message) }),
    oauth: options.oauth ? createTokenVerifier(options.oauth, clock, (message) => logger.warn(message)) : null,
    events: createEvents((error) =>
      logger.error(`an event handler failed: ${error instanceof Error ? error.stack : String(error)}`),
    ),
    telemetry: createTelemetry(),
    webhookClient:
      internals.webhookClient ??
      createWebhookClient({
        policy: addressPolicy({ allowCidrs: webhooks.allowCidrs }),
        allowHttp: webhooks.allowHttp,
        timeoutMs: webhooks.timeoutMs,
        userAgent: options.brand.userAgent + (options.brand.supportUrl && ` (+${options.brand.supportUrl})`),
      }),
    openapi: openapiOf(routes, options),
    committer: createCommitter(storage),
    findJoined: createJoinedFind(storage),
    runningKeys: new Map(),
    runningScans: new Map(),
    sortableId: sortableIds(),
    cached: createCaches(clock),
  };
  const worker = createWorker(core);
  const v1: Zone = {
    basePath: options.basePath,
    routes: Object.values(routes).map((row) => v1Route(row as never)),
    onError: v1Errors,
    ...managementAnswers(core, challenge(options)),
  };
  const assets: Zone = { basePath: options.basePath, routes: openRoutes, onError: v1Errors };
  const open: Zone = { basePath: options.basePath, routes: publicRoutes, onError: v1Errors, preflight };
  const legacy: Zone = {
    basePath: options.legacyBasePath,
    prefix: "/api",
    routes: legacyRoutes,
    onError: legacyErrors,
    ...managementAnswers(core, null),
  };
  const respond = createHandler(core, [v1, open, assets, legacy], ready);

  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let currentRun: Promise<unknown> | undefined;
  let nextRun: Promise<unknown> | undefined;
  let running = 0;
  let cancelTimer = (): void => {};
  let idle = (): void => {};

  return {
    baseUrl: options.baseUrl,
    fetch: (request) => handle(request, request as HostInfo),
    handle,
    ready,
    close: ({ graceMs = GRACE_MS } = {}) => (closing ??= close(graceMs)),
    async tick() {
      await ready();
      return worker.tick();
    },
    async sweep() {
      await ready();
      return sweep(core);
    },
    openapi: core.openapi.document,
    on: core.events.on,
    off: core.events.off,
    ...inProcessApi(core, ready),
  };

  async function handle(request: Request, info: HostInfo = {}): Promise<Response> {
    running++;
    try {
      const response = await respond(request, info);
      // A frozen process keeps no timer: what a request made due is run while the host still holds the process.
      if (options.work && info.waitUntil && !closing && !/^(GET|HEAD|OPTIONS)$/.test(request.method)) {
        info.waitUntil(runDue());
      }
      return response;
    } finally {
      if (--running === 0) idle();
    }
  }

  /** One run of what is due, and one more for all who ask while it runs. */
  function runDue(): Promise<unknown> {
    nextRun ??= Promise.resolve(currentRun).then(() => {
      nextRun = undefined;
      currentRun = worker
        .tick()
        .catch((error: unknown) => logger.warn(`running what is due failed, and is tried again: ${String(error)}`));
      return currentRun;
    });
    return nextRun;
  }

  function ready(): Promise<void> {
    if (closing)
      return Promise.reject(
        new ApiError("unavailable", { message: "The service is shutting down.", headers: { "retry-after": "1" } }),
      );
    opening ??= openDrivers().catch((error: unknown) => {
      // The next request tries again: a database that was down at start must not need a restart.
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function openDrivers(): Promise<void> {
    await Promise.all([storage.open(), core.telemetry.open()]);
    await internals.onReady?.(core);
    // An injected clock is the store's as well.
    if (!options.work) return clock === systemClock ? followStoreClock() : undefined;
    await worker.start();
    sweepHourly();
  }

  /** Workers are told by what they claim. */
  async function followStoreClock(): Promise<void> {
    // A store that is down says so to the next request, and the clock can wait.
    await askStoreClock(core).catch(() => {});
    if (!closing) cancelTimer = clock.setTimer(followStoreClock, ASK_CLOCK_MS);
  }

  function sweepHourly(): void {
    cancelTimer = clock.setTimer(() => {
      sweep(core)
        .catch((error: unknown) => logger.warn(`the sweep failed and runs again in an hour: ${String(error)}`))
        .finally(() => closing ?? sweepHourly());
    }, SWEEP_MS);
  }

  async function close(graceMs: number): Promise<void> {
    const requests =
      running === 0
        ? null
        : Promise.race([
            new Promise<void>((resolve) => (idle = resolve)),
            new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref()),
          ]);
    await opening?.catch(() => {});
    cancelTimer();
    // One grace for both: who ends the process after it must not have to count twice.
    await Promise.all([requests, worker.stop(graceMs)]);
    await core.committer.drained();
    core.webhookClient.close();
    await Promise.all([core.queue.close(), core.mailer.close(), core.blob.close()]);
    await storage.close();
  }
}
