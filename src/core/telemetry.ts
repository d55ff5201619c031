import type { Counter, SpanOptions, Tracer } from "@opentelemetry/api";

const SCOPE = "form-backend";

/** Names of spans and counters; docs/guide/webhooks.md describes them. */
const counters = {
  "form_backend.submissions": "Submissions that were stored",
  "form_backend.deliveries": "Attempts and decisions about webhooks and emails, by code",
} as const;
export type SpanName = "form_backend.post" | "form_backend.webhook" | "form_backend.mail";

/** Our own, for declarations that name `@opentelemetry/api` would not compile where it is not installed. */
export type Attributes = Record<string, string | number | boolean | undefined>;

/** Spans and counters for the host's OpenTelemetry; without one, nothing happens. No attribute contains a visitor's data. */
export interface Telemetry {
  /** Looks for `@opentelemetry/api` once, before anything is recorded. Never rejects. */
  open(): Promise<void>;
  /** Runs `work` in a span. `ended` turns its result into attributes, and tells if it counts as a failure. */
  span<T>(
    name: SpanName,
    attributes: Attributes,
    work: () => Promise<T>,
    ended: (result: T) => { attributes: Attributes; failed: boolean },
  ): Promise<T>;
  count(name: keyof typeof counters, attributes: Attributes): void;
}

interface Instruments {
  /** False until the host has registered a provider of spans: then nobody would see one. */
  readonly isTracing: () => boolean;
  readonly tracer: Tracer;
  readonly kind: (name: SpanName) => NonNullable<SpanOptions["kind"]>;
  readonly error: number;
  readonly counters: ReadonlyMap<string, Counter>;
}

export function createTelemetry(): Telemetry {
  let instruments: Instruments | null = null;

  return {
    async open() {
      instruments ??= await load();
    },
    span(name, attributes, work, ended) {
      if (!instruments?.isTracing()) return work();
      const { tracer, kind, error } = instruments;
      return tracer.startActiveSpan(name, { kind: kind(name), attributes }, async (span) => {
        try {
          const result = await work();
          const end = ended(result);
          span.setAttributes(end.attributes);
          if (end.failed) span.setStatus({ code: error });
          return result;
        } catch (thrown) {
          span.setStatus({ code: error });
          throw thrown;
        } finally {
          span.end();
        }
      });
    },
    count(name, attributes) {
      instruments?.counters.get(name)?.add(1, attributes);
    },
  };
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
      kind: (name) => (name === "form_backend.post" ? SpanKind.INTERNAL : SpanKind.CLIENT),
      error: SpanStatusCode.ERROR,
      counters: new Map(
        Object.entries(counters).map(([name, description]) => [name, meter.createCounter(name, { description })]),
      ),
    };
  } catch {
    // An optional peer: most hosts have none.
    return null;
  }
}
