import { type Changes, createCaches, droppingOnWrite } from "./core/caches.ts";
import { createCommitter } from "./core/commit.ts";
import type { Core } from "./core/core.ts";
import type { EventHub } from "./core/events.ts";
import type { HostInfo } from "./core/http/route.ts";
import { createLifecycle } from "./core/lifecycle.ts";
import type { FormBackendOptions, Options } from "./core/options/types.ts";
import { withOutages } from "./core/outage.ts";
import { createCursors } from "./core/paging.ts";
import { createProcesses, type Generation } from "./core/processes.ts";
import { createLimits } from "./core/rates/rate-limit.ts";
import { createRecordReader } from "./core/record-reader.ts";
import { createRows } from "./core/rows.ts";
import { warnOfLosses, watchMount, watchRequests } from "./core/set-up.ts";
import { createStoreClock } from "./core/store-clock.ts";
import { createTelemetry } from "./core/telemetry.ts";
import type { WebhookClient } from "./core/webhook-client.ts";
import { memoryBlob } from "./drivers/blob/memory.ts";
import { logMailer } from "./drivers/mailer/log.ts";
import { localQueue } from "./drivers/queue/local.ts";
import { memoryStorage } from "./drivers/storage/memory.ts";
import { lanes } from "./features/deliveries/kinds.ts";
import { perform } from "./features/deliveries/perform.ts";
import { createSettle } from "./features/deliveries/settle.ts";
import { rememberingMailer } from "./features/inbound/remember.ts";
import { sayTallies } from "./features/intake/tell.ts";
import { dueByLane, firstDueAt } from "./features/jobs/due.ts";
import { createWorker } from "./features/jobs/work.ts";
import type { Worker } from "./features/jobs/worker.ts";
import { discreetMailer } from "./features/mail/discreet-mailer.ts";
import { verifyMailer } from "./features/mail/verify.ts";
import { sweepInTurn } from "./features/retention/one-at-a-time.ts";
import type { Swept } from "./features/retention/run.ts";
import { sweep } from "./features/retention/sweep.ts";
import { flushSeen } from "./features/statistics/seen.ts";
import { teamAt } from "./features/teams/hosts.ts";
import { createTransport } from "./features/webhooks/transport.ts";
import { userAgentOf } from "./features/webhooks/user-agent.ts";
import { sortableIds } from "./lib/id.ts";
import { addressPolicy } from "./lib/net-guard.ts";
import { createSeal } from "./lib/seal.ts";

/** Replacements for tests. */
export interface Internals {
  readonly webhookClient?: WebhookClient;
  /** The generation of another version. */
  readonly generation?: Generation;
  /** Runs once after the drivers are open, before the first request. */
  readonly onReady?: (core: Core) => Promise<void>;
}

/** The surfaces of one backend, at work. */
export interface Mounted {
  respond(request: Request, info: HostInfo): Promise<Response>;
  /** Runs once after the drivers are open. */
  onReady(): Promise<void>;
  /** Ends what is running. */
  onClose(): Promise<void>;
}

/** Makes the surfaces of a backend. They import the engine, so the engine is given them. */
export interface Surfaces<M extends Mounted> {
  openapi(options: Options): Core["openapi"];
  /** `ready` resolves once the drivers are open. */
  mount(core: Core, input: FormBackendOptions, ready: () => Promise<void>): M;
}

/** What a backend does: everything but its checked options and the handlers of its events. */
export interface Engine<M extends Mounted = Mounted> {
  handle(request: Request, info?: HostInfo): Promise<Response>;
  ready(): Promise<void>;
  close(graceMs?: number): Promise<void>;
  tick(): Promise<{ ran: number }>;
  nextDueAt(): Promise<number | null>;
  sweep(): Promise<Swept>;
  readonly mounted: M;
}

/** Puts the parts of a backend together, and the surfaces on top of them. */
export function createEngine<M extends Mounted>(
  input: FormBackendOptions,
  options: Options,
  events: EventHub,
  surfaces: Surfaces<M>,
  internals: Internals = {},
): Engine<M> {
  const { clock, logger, webhooks } = options;
  const secrets = () => options.secrets;
  const caches = createCaches(clock);
  const changes: Changes = new Map();
  const storage = droppingOnWrite(withOutages(input.storage ?? memoryStorage(), logger), caches, changes);
  const committer = createCommitter(storage);
  const telemetry = createTelemetry({
    due: () => dueByLane(core, Object.keys(lanes)),
    teams: options.telemetry.teams,
  });
  input.storage?.onPoolWait?.((seconds) => telemetry.took("form_backend.pool.wait", seconds));
  const core: Core = {
    options,
    storage,
    rows: createRows(storage, caches, createRecordReader(logger), changes),
    mailer: rememberingMailer(() => core, discreetMailer(input.mailer ?? logMailer(logger))),
    blob: input.blob ?? input.storage?.beside?.blob() ?? memoryBlob(),
    queue: input.queue ?? localQueue(),
    clock,
    storeClock: createStoreClock(clock, (message) => logger.warn(message)),
    seal: createSeal(secrets),
    cursors: createCursors(secrets),
    limits: createLimits({ ...options.rateLimit, clock, warn: (message) => logger.warn(message) }),
    events,
    telemetry,
    webhookClient:
      internals.webhookClient ??
      createTransport({
        policy: addressPolicy({ allowCidrs: webhooks.allowCidrs }),
        allowHttp: webhooks.allowHttp,
        timeoutMs: webhooks.timeoutMs,
        userAgent: userAgentOf(options.brand),
        dnsUrl: webhooks.dnsUrl,
      }),
    openapi: surfaces.openapi(options),
    commitNow: storage.commit,
    commitTogether: (writes, bytes, team) =>
      telemetry.timed("form_backend.commit.duration", () => committer.commit(writes, bytes, team)),
    sortableId: sortableIds(),
  };
  const worker = flushing(core, createWorker(core, { lanes, perform, createSettle }));
  const mounted = surfaces.mount(core, input, () => life.ready());
  const { onReady } = internals;
  const mount = watchMount(core);
  let verified: Promise<void> | undefined;
  const life = createLifecycle(core, {
    worker,
    drained: committer.drained,
    processes: createProcesses(core, internals.generation),
    sweep: () => sweepInTurn(core),
    later: [() => import("./features/import/import.ts"), () => import("./features/import/take-back.ts")],
    async onReady() {
      // A missing secret is reported here, and not at the first form that needs it.
      void options.secrets;
      warnOfLosses(core, { storage: input.storage !== undefined });
      await onReady?.(core);
      await mounted.onReady();
      mount.begin();
      verified = verifyMailer(core, () => life.isClosing());
    },
    async onClose() {
      mount.reached();
      sayTallies(core);
      await mounted.onClose();
      core.webhookClient.close();
      await flushSeen(core);
    },
  });
  const watch = watchRequests(core, {
    trustProxy: input.trustProxy !== undefined,
    isTeams: async (host) => (await teamAt(core, host)) !== null,
  });

  /** A frozen process runs no timers, so due work runs while the host still keeps the process alive. */
  const handle = (request: Request, info: HostInfo = {}): Promise<Response> =>
    life.during(async () => {
      mount.reached();
      watch(request, info.ip);
      const response = await mounted.respond(request, info);
      // Without timers, a visit is the only sign of time; with them, only what a request has caused must run before a freeze.
      const runs = options.work === "on-request" || (options.work && !/^(GET|HEAD|OPTIONS)$/.test(request.method));
      if (runs && info.waitUntil && !life.isClosing()) info.waitUntil(life.runDue());
      return response;
    });

  return {
    handle,
    async ready() {
      await life.ready();
      // A request does not wait for it.
      await verified;
    },
    close: (graceMs) => life.close(graceMs),
    async tick() {
      await life.ready();
      return worker.tick();
    },
    async nextDueAt() {
      await life.ready();
      return firstDueAt(core, Object.keys(lanes));
    },
    async sweep() {
      await life.ready();
      return life.during(() => sweep(core));
    },
    mounted,
  };
}

/** Each run writes the counts that are kept in memory, if no timer does. */
function flushing(core: Core, worker: Worker): Worker {
  if (core.options.work !== "on-request") return worker;
  return {
    ...worker,
    async tick() {
      const ran = await worker.tick();
      sayTallies(core);
      await flushSeen(core);
      return ran;
    },
  };
}
