import type { Counter, Histogram, Link, Meter, SpanOptions, Tracer } from "@opentelemetry/api";

const SCOPE = "form-backend";

/** Names of spans, counters and histograms; docs/guide/webhooks.md describes them. */
const counters = {
  "form_backend.submissions": "Submissions that were stored",
  "form_backend.inbound": "Mails, bounces and complaints that came in, by provider and result",
  "form_backend.deliveries": "Attempts and decisions about webhooks and emails, by code",
} as const;
const histograms = {
  "form_backend.post.duration": "Time from the arrival of a post to its response",
  "form_backend.commit.duration": "Time until the writes of a post or a delivery were durable",
  "form_backend.pool.wait": "Time for which a statement waited for a connection to the database",
} as const;
/** Milliseconds are too coarse a beginning for a store in the process, and a minute is where proxies end. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Gauges are read from the store this often at most, however many readers ask. */
const DUE_EVERY_MS = 10_000;

/** Jobs of a lane that are due and wait for a worker. */
export interface DueInLane {
  readonly lane: string;
  readonly count: number;
  /** Seconds for which the oldest one has been due; 0 where none is. */
  readonly oldest: number;
}

export type SpanName = "form_backend.post" | "form_backend.webhook" | "form_backend.mail";

/** Our own, for declarations that name `@opentelemetry/api` would not compile where it is not installed. */
export type Attributes = Record<string, string | number | boolean | undefined>;

/**
 * Spans and counters for the host's OpenTelemetry; without one, nothing happens. No attribute contains a visitor's data, and
 * `team_id` is left out unless the host asked for it.
 */
export interface Telemetry {
  /** Looks for `@opentelemetry/api` once, before anything is recorded. Never rejects. */
  open(): Promise<void>;
  /**
   * Runs `work` in a span. `ended` turns its result into attributes, and tells if it counts as a failure. `cause` is the `trace` of
   * what led to it: the span gets a link to that.
   */
  span<T>(
    name: SpanName,
    attributes: Attributes,
    work: () => Promise<T>,
    ended: (result: T) => { attributes: Attributes; failed: boolean },
    cause?: string,
  ): Promise<T>;
  /** The span that runs now, as a `traceparent` of W3C Trace Context; undefined where nobody records it. */
  trace(): string | undefined;
  count(name: keyof typeof counters, attributes: Attributes): void;
  /** Runs `work` and records how long it took, whether it failed or not. `attributes` are asked for at its end. */
  timed<T>(name: keyof typeof histograms, work: () => Promise<T>, attributes?: () => Attributes): Promise<T>;
  /** Records how long something took, in seconds. */
  took(name: keyof typeof histograms, seconds: number): void;
  /** Ends the gauges: nothing reads the store any more. */
  close(): void;
}

interface Instruments {
  /** False until the host has registered a provider of spans: then nobody would see one. */
  readonly isTracing: () => boolean;
  readonly tracer: Tracer;
  /** The context of the span that runs now. */
  readonly active: () => Link["context"] | undefined;
  readonly kind: (name: SpanName) => NonNullable<SpanOptions["kind"]>;
  readonly error: number;
  readonly counters: ReadonlyMap<string, Counter>;
  readonly histograms: ReadonlyMap<string, Histogram>;
  readonly meter: Meter;
}

interface TelemetryOptions {
  /** Reads the jobs that are due, for gauges. */
  readonly due?: () => Promise<readonly DueInLane[]>;
  /** Keeps the attribute `team_id`. */
  readonly teams?: boolean;
}

export function createTelemetry({ due = async () => [], teams = false }: TelemetryOptions = {}): Telemetry {
  const shown = ({ team_id, ...attributes }: Attributes): Attributes =>
    teams && team_id !== undefined ? { ...attributes, team_id } : attributes;
  let instruments: Instruments | null = null;
  let close = (): void => {};

  return {
    async open() {
      if (instruments) return;
      instruments = await load();
      if (instruments) close = watchDue(instruments.meter, due);
    },
    span(name, attributes, work, ended, cause) {
      if (!instruments?.isTracing()) return work();
      const { tracer, kind, error } = instruments;
      return tracer.startActiveSpan(
        name,
        { kind: kind(name), attributes: shown(attributes), links: linksTo(cause) },
        async (span) => {
          try {
            const result = await work();
            const end = ended(result);
            span.setAttributes(shown(end.attributes));
            if (end.failed) span.setStatus({ code: error });
            return result;
          } catch (thrown) {
            span.setStatus({ code: error });
            throw thrown;
          } finally {
            span.end();
          }
        },
      );
    },
    trace() {
      const context = instruments?.isTracing() ? instruments.active() : undefined;
      if (!context) return undefined;
      const { traceId, spanId, traceFlags } = context;
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
    },
    count(name, attributes) {
      instruments?.counters.get(name)?.add(1, shown(attributes));
    },
    took(name, seconds) {
      instruments?.histograms.get(name)?.record(seconds);
    },
    timed(name, work, attributes = () => ({})) {
      const histogram = instruments?.histograms.get(name);
      // Not async: whoever has no meter waits for nothing more.
      if (!histogram) return work();
      const started = performance.now();
      return work().finally(() => histogram.record((performance.now() - started) / 1_000, shown(attributes())));
    },
    close: () => close(),
  };
}

function linksTo(cause: string | undefined): Link[] {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(cause ?? "") ?? [];
  if (!traceId || !spanId || !flags) return [];
  return [{ context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true } }];
}

/** Each collection of metrics asks the store, at most every ten seconds; where that fails, there is no value. */
function watchDue(meter: Meter, due: () => Promise<readonly DueInLane[]>): () => void {
  const count = meter.createObservableGauge("form_backend.due_jobs", {
    description: "Jobs that are due and wait for a worker, by lane",
  });
  const oldest = meter.createObservableGauge("form_backend.oldest_due_seconds", {
    description: "Seconds for which the oldest of them has been due, by lane",
  });
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: readonly DueInLane[] = [];
  const callback: Parameters<Meter["addBatchObservableCallback"]>[0] = async (result) => {
    if (performance.now() - readAt >= DUE_EVERY_MS) {
      readAt = performance.now();
      latest = await due().catch(() => []);
    }
    for (const { lane, ...of } of latest) {
      result.observe(count, of.count, { lane });
      result.observe(oldest, of.oldest, { lane });
    }
  };
  meter.addBatchObservableCallback(callback, [count, oldest]);
  return () => meter.removeBatchObservableCallback(callback, [count, oldest]);
}

async function load(): Promise<Instruments | null> {
  try {
    const { trace, metrics, ProxyTracerProvider, SpanKind, SpanStatusCode } = await import("@opentelemetry/api");
    const meter = metrics.getMeter(SCOPE);
    const provider = trace.getTracerProvider();
    // The provider that there is before one is registered.
    const none = new ProxyTracerProvider().getDelegate();
    return {
      isTracing: () => !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== none,
      tracer: trace.getTracer(SCOPE),
      active: () => trace.getActiveSpan()?.spanContext(),
      kind: (name) => (name === "form_backend.post" ? SpanKind.SERVER : SpanKind.CLIENT),
      error: SpanStatusCode.ERROR,
      counters: new Map(
        Object.entries(counters).map(([name, description]) => [name, meter.createCounter(name, { description })]),
      ),
      histograms: new Map(
        Object.entries(histograms).map(([name, description]) => [
          name,
          meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: BUCKETS } }),
        ]),
      ),
      meter,
    };
  } catch {
    // An optional peer: most hosts have none.
    return null;
  }
}
