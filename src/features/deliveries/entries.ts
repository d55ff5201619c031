import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { withoutEcho } from "../../lib/echo.ts";
import { createLru } from "../../lib/lru.ts";
import { safeMessage } from "../../lib/message.ts";
import type { ServiceFormat } from "../../model/destinations.ts";
import type { JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, movedTo } from "../../model/outcome.ts";
import { valuesOf } from "../../model/values.ts";
import type { WebhookRecord } from "../../model/webhooks.ts";
import { opened } from "../forms/webhook-config.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { loadService } from "../webhooks/formats/destinations.ts";
import { facts } from "../webhooks/formats/table.ts";
import type { Config, FormatEvent } from "../webhooks/formats/types.ts";
import { callsOf, ServiceError } from "../webhooks/services/call.ts";
import type { Fault } from "../webhooks/services/fault.ts";
import type { Entry, Result, Service, Write } from "../webhooks/services/types.ts";
import { userAgentOf } from "../webhooks/user-agent.ts";
import { createBatches, type Spent } from "./batches.ts";
import { pauseText } from "./pause-text.ts";

const KEPT_CONFIGS = 1_000;

/** The lease of a batch ends before another call could. */
const outlived: Fault = {
  code: "ERROR_WEBHOOK_INTERNAL",
  message: "This process was too slow for its turn; another one writes the row.",
  ours: true,
};

/** The memory of a backend for its destinations. */
const deskOf = perBackend((core) => ({
  batches: createBatches(() => core.clock.now()),
  writers: new Map<ServiceFormat, Write>(),
  /** By their sealed text. */
  configs: createLru<Config>(KEPT_CONFIGS),
}));

/** A delivery to a service that takes several in one call. */
export interface ServiceOf {
  /** The outcome of a delivery whose turn has not come; undefined where it has. */
  wait(job: JobRecord): JobOutcome | undefined;
  deliver(claimed: ClaimedJob, event: FormatEvent, signal: AbortSignal): Promise<JobOutcome>;
  /** Writes an event at once, out of turn. */
  write(event: FormatEvent): Promise<{ readonly outcome: JobOutcome; readonly status: number | undefined }>;
}

/** Throws where the webhook's settings were sealed under another secret. */
export async function serviceOf(core: Core, webhook: WebhookRecord, format: ServiceFormat): Promise<ServiceOf> {
  const { batches, writers, configs } = deskOf(core);
  const service = await loadService(format);
  const { sealed_config = "", url } = webhook;
  const config = configs.get(sealed_config) ?? (await opened(core, webhook));
  configs.set(sealed_config, config);
  const write = writers.get(format) ?? service.open(core.options.integrations, () => core.clock.now());
  writers.set(format, write);
  const rate = service.rateOf({ url, config });
  // By the store's clock, as everything that is due.
  const later = (at: number, { target, code }: JobRecord): JobOutcome =>
    movedTo(target, core.storeClock.now() + Math.max(0, at - core.clock.now()), code);

  return {
    wait(job) {
      const at = batches.turnFor(rate, service.pace);
      return at === null ? undefined : later(at, job);
    },
    async deliver({ value: job, leasedUntil }, event, signal) {
      const place = { rate, group: `${webhook.id} ${sealed_config}`, pace: service.pace };
      const member: Member = { job, leasedUntil, entry: entryOf(event, job) };
      const result = await batches.join(place, member, (members, spent) => send(members, signal, spent));
      return typeof result === "number" ? later(result, job) : (outcomeOf(core, event, result) ?? later(0, job));
    },
    async write(event) {
      const result = (await resultsOf([entryOf(event)], undefined, () => {}))[0] as Result;
      const outcome = outcomeOf(core, event, result);
      if (!outcome) throw new Error("[form-backend] a single entry had no room");
      return { outcome, status: result.end === "delivered" ? 200 : outcome.http_status };
    },
  };

  async function send(members: readonly Member[], signal: AbortSignal, spent: (spent: Spent) => void) {
    // In the order of creation, of which the ids are. What was read of one submission later stays later.
    const sorted = [...members].sort(({ entry: { id: a } }, { entry: { id: b } }) => (a < b ? -1 : a > b ? 1 : 0));
    // A lease that is given back during the call says so to the next run.
    for (const { job } of sorted) job.unsure = true;
    const { timeoutMs } = core.options.webhooks;
    const ends = Math.min(...members.map(({ job: { due_at } }) => (due_at === null ? Infinity : Date.parse(due_at))));
    const endsUp = Math.min(...members.map(({ leasedUntil }) => leasedUntil));
    const results = await resultsOf(
      sorted.map(({ entry }) => entry),
      signal,
      spent,
      // A clock may be set back, and the process' own time stands still while the machine sleeps.
      () => core.storeClock.now() > ends - timeoutMs || performance.now() > endsUp - timeoutMs,
    );
    const found = new Map(sorted.map((member, index) => [member, results[index] as Result]));
    return members.map((member) => found.get(member) as Result);
  }

  async function resultsOf(
    entries: readonly Entry[],
    signal: AbortSignal | undefined,
    spent: (spent: Spent) => void,
    isOver = () => false,
  ): Promise<readonly Result[]> {
    let requests = 0;
    const onRequest = (): void => {
      // A process that stood still beyond its lease would write what another one has written meanwhile.
      if (isOver()) throw new ServiceError("retry", outlived);
      requests++;
    };
    const call = callsOf({
      service: facts[format].service,
      userAgent: userAgentOf(core.options.brand),
      timeoutMs: core.options.webhooks.timeoutMs,
      signal,
      onRequest,
    });
    const results = await write(entries, { url, config, call }).catch((error: unknown): Result[] => {
      if (!(error instanceof ServiceError)) throw error;
      return entries.map(() => ({ end: error.end, fault: error.fault }));
    });
    const waits = results.map((result) => ("fault" in result ? (result.fault.waitSeconds ?? 0) : 0));
    spent({ requests, waitMs: Math.max(0, ...waits) * 1_000 });
    return results;
  }
}

interface Member {
  readonly job: JobRecord;
  readonly leasedUntil: number;
  readonly entry: Entry;
}

/** A submission as a destination writes it. */
export const entryOf = ({ type, submission }: FormatEvent, job?: JobRecord): Entry => ({
  id: submission.id,
  created_at: submission.created_at,
  values: valuesOf(submission),
  again: job !== undefined && (job.attempt > 0 || job.lost > 0 || job.unsure === true),
  update: type === "submission.updated",
});

/** The request that an entry's delivery would send, for dry runs. */
export async function previewOf(core: Core, webhook: WebhookRecord, format: ServiceFormat, event: FormatEvent) {
  const service: Service = await loadService(format);
  return service.preview(entryOf(event), await opened(core, webhook));
}

/** The outcome of a result; undefined where none was tried. */
function outcomeOf(core: Core, event: FormatEvent, result: Result): JobOutcome | undefined {
  if (result.end === "later") return undefined;
  if (result.end === "delivered") return { status: "succeeded", code: "SUCCESS", message: result.message, ours: true };
  const { code, status, nodeErrorCode, waitSeconds, pause } = result.fault;
  return {
    status: result.end,
    code,
    message: messageOf(core, event, result.fault),
    ours: result.fault.ours,
    http_status: status,
    node_error_code: nodeErrorCode,
    retryAfter: waitSeconds === undefined ? undefined : String(waitSeconds),
    slow: code === "ERROR_WEBHOOK_TIMEOUT",
    pause,
  };
}

function messageOf(core: Core, { submission }: FormatEvent, { message, ours, pause }: Fault): string {
  if (pause) return pauseText(core, pause);
  if (ours) return message;
  return safeMessage(
    withoutEcho(
      message,
      submission.fields.map(({ value }) => value),
    ),
  );
}
