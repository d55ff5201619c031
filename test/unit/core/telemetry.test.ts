import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTelemetry } from "../../../src/core/telemetry.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { lanes } from "../../../src/features/deliveries/kinds.ts";
import { harness } from "../../_support/backend.ts";

describe("with OpenTelemetry", () => {
  const spans = new InMemorySpanExporter();
  const numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });

  beforeEach(() => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  });
  afterEach(async () => {
    await reader.shutdown();
    trace.disable();
    metrics.disable();
  });

  it("spans each post, webhook attempt and mail attempt, and counts submissions and deliveries by code", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
    const webhook = await b.webhooks.create(form.id, { url: "https://hooks.example.com/x?token=s3cret" });
    b.answerWebhooks(() => (b.webhookCalls.length === 1 ? 500 : 200));
    await b.post(form.id, { email: "visitor@example.com" });
    await b.post(form.id, {});
    await b.post(form.id, { email: "visitor@example.com", _gotcha: "x" });
    await b.clock.advance(10_000);

    const seen = spans
      .getFinishedSpans()
      .map(({ name, kind, status, attributes }) => ({ name, kind, status, attributes }));
    const of = (name: string) => seen.filter((span) => span.name === name);
    const unset = { code: SpanStatusCode.UNSET };
    const about = { form_id: form.id, delivery_id: expect.stringMatching(/^msg_/) };
    expect(of("form_backend.post").map(({ attributes }) => attributes)).toEqual(
      [200, 400, 200].map((http_status) => ({ form_id: form.id, request_id: expect.any(String), http_status })),
    );
    expect(of("form_backend.post")[0]).toMatchObject({ kind: SpanKind.SERVER, status: unset });
    expect(of("form_backend.webhook")).toEqual([
      {
        name: "form_backend.webhook",
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.ERROR },
        attributes: { ...about, webhook_id: webhook.id, attempt: 1, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500 },
      },
      {
        name: "form_backend.webhook",
        kind: SpanKind.CLIENT,
        status: unset,
        attributes: { ...about, webhook_id: webhook.id, attempt: 2, code: "SUCCESS", http_status: 200 },
      },
    ]);
    expect(of("form_backend.mail")).toEqual([
      {
        name: "form_backend.mail",
        kind: SpanKind.CLIENT,
        status: unset,
        attributes: { ...about, kind: "owner_email", attempt: 1, code: "SUCCESS" },
      },
    ]);
    expect(JSON.stringify(seen), "nothing of visitors, owners or secrets").not.toMatch(/example\.com|s3cret/);

    await reader.forceFlush();
    const found = numbers.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
    const points = (name: string) =>
      found
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ ...attributes, value })));
    expect(points("form_backend.submissions")).toEqual([
      { spam: false, value: 1 },
      { spam: true, value: 1 },
    ]);
    expect(points("form_backend.post.duration").map(({ value }) => (value as { count: number }).count)).toEqual([3]);
    // Two posts that were stored, and three attempts.
    const [commits] = points("form_backend.commit.duration").map(({ value }) => (value as { count: number }).count);
    expect(commits).toBeGreaterThanOrEqual(5);
    expect(points("form_backend.deliveries")).toHaveLength(3);
    expect(points("form_backend.deliveries")).toEqual(
      expect.arrayContaining([
        { kind: "webhook", status: "retrying", code: "ERROR_WEBHOOK_HTTP_5XX", value: 1 },
        { kind: "webhook", status: "succeeded", code: "SUCCESS", value: 1 },
        { kind: "owner_email", status: "succeeded", code: "SUCCESS", value: 1 },
      ]),
    );
  });
});

/** As hosts register one with `@opentelemetry/context-async-hooks`. */
function contextManager() {
  const current = new AsyncLocalStorage<Context>();
  return {
    active: () => current.getStore() ?? ROOT_CONTEXT,
    with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
      to: Context,
      work: F,
      self?: ThisParameterType<F>,
      ...args: A
    ): ReturnType<F> => current.run(to, () => work.apply(self, args)),
    bind: <T>(_: Context, target: T): T => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  };
}

describe("spans and metrics", () => {
  const spans = new InMemorySpanExporter();
  let numbers: InMemoryMetricExporter;
  let reader: PeriodicExportingMetricReader;

  beforeEach(() => {
    spans.reset();
    // A reader that ends also ends its exporter.
    numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    context.setGlobalContextManager(contextManager());
  });
  afterEach(async () => {
    await reader.shutdown();
    trace.disable();
    metrics.disable();
    context.disable();
  });

  it("link each attempt of a delivery to the post that caused it", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/x" });
    b.answerWebhooks(() => (b.webhookCalls.length === 1 ? 500 : 200));
    await b.post(form.id, { n: "1" });
    await b.clock.advance(10_000);
    const all = spans.getFinishedSpans();
    const [post] = all.filter(({ name }) => name === "form_backend.post");
    const attempts = all.filter(({ name }) => name === "form_backend.webhook");
    const { traceId, spanId } = post?.spanContext() ?? {};
    expect(attempts.map(({ links }) => links.map(({ context: of }) => [of.traceId, of.spanId]))).toEqual([
      [[traceId, spanId]],
      [[traceId, spanId]],
    ]);
  });

  it.each([true, false])("name the team only where `telemetry.teams` is true: %s", async (teams) => {
    const b = harness({ telemetry: { teams } });
    const team = await b.teams.create({ name: "A" });
    const form = await b.forms.create({ name: "A", team_id: team.id });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/x" });
    b.answerWebhooks(200);
    await b.post(form.id, { n: "1" });
    await b.tick();
    await reader.forceFlush();
    const metered = numbers.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const named = [
      ...spans.getFinishedSpans().flatMap(({ name, attributes }) => (attributes["team_id"] === team.id ? [name] : [])),
      ...metered.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.flatMap(({ attributes }) => (attributes["team_id"] === team.id ? [descriptor.name] : [])),
      ),
    ];
    expect(named.sort()).toEqual(
      teams
        ? [
            "form_backend.deliveries",
            "form_backend.post",
            "form_backend.post.duration",
            "form_backend.submissions",
            "form_backend.webhook",
          ]
        : [],
    );
  });

  it("have how long statements waited for a connection of the pool", async () => {
    let tell = (_seconds: number): void => {};
    const storage: StorageDriver = {
      ...memoryStorage(),
      onPoolWait(listener) {
        tell = listener;
      },
    };
    const b = harness({ storage });
    await b.ready();
    tell(0.25);
    tell(0.5);
    await reader.forceFlush();
    const waits = numbers
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
      .filter(({ descriptor }) => descriptor.name === "form_backend.pool.wait");
    expect(waits.flatMap(({ dataPoints }) => dataPoints.map(({ value }) => value))).toMatchObject([
      { count: 2, sum: 0.75 },
    ]);
  });
});

describe("the gauges of due jobs", () => {
  const numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);

  afterEach(() => {
    vi.useRealTimers();
    metrics.disable();
  });

  it("say how many wait in each lane and since when, by few reads of the index, and end with the backend", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    const inner = memoryStorage();
    const counts: [string, string][] = [];
    const storage: StorageDriver = {
      ...inner,
      count: (collection, query) => {
        counts.push([collection, query.index]);
        return inner.count(collection, query);
      },
    };
    const b = harness({ storage });
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/" });
    await b.tick();
    counts.length = 0;
    for (let i = 0; i < 3; i++) await b.submit(form.id, { fields: { n: String(i) } });
    const old = { lane: "webhook", status: "pending", due_at: "2025-12-31T23:58:30.000Z" };
    await inner.commit([{ op: "put", collection: "jobs", id: "old", value: old }]);
    const latest = async () => {
      numbers.reset();
      await reader.forceFlush();
      const found = numbers.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
      const of = (name: string) =>
        found
          .filter(({ descriptor }) => descriptor.name === name)
          .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => [attributes["lane"], value]));
      return { count: of("form_backend.due_jobs"), oldest: of("form_backend.oldest_due_seconds") };
    };
    const seen = await latest();
    expect(Object.fromEntries(seen.count)).toMatchObject({ webhook: 4, email: 3 });
    expect(Object.fromEntries(seen.oldest)).toMatchObject({ webhook: 90, email: 0 });
    for (let i = 0; i < 5; i++) await latest();
    const once = Object.keys(lanes).map(() => ["jobs", "due"]);
    expect(counts).toEqual(once);
    vi.advanceTimersByTime(10_000);
    await latest();
    expect(counts).toEqual([...once, ...once]);
    await b.close();
    vi.advanceTimersByTime(10_000);
    await latest();
    expect(counts).toEqual([...once, ...once]);
    await reader.shutdown();
  });
});

describe("without OpenTelemetry", () => {
  afterEach(() => vi.doUnmock("@opentelemetry/api"));

  it("opens, and runs what it is given as it is", async () => {
    vi.doMock("@opentelemetry/api", () => {
      throw new Error("Cannot find package '@opentelemetry/api'");
    });
    const telemetry = createTelemetry();
    await telemetry.open();
    const ended = vi.fn(() => ({ attributes: {}, failed: false }));
    expect(await telemetry.span("form_backend.post", {}, async () => 7, ended)).toBe(7);
    await expect(telemetry.span("form_backend.mail", {}, () => Promise.reject(new Error("x")), ended)).rejects.toThrow(
      "x",
    );
    telemetry.count("form_backend.submissions", {});
    expect(ended).not.toHaveBeenCalled();
  });
});
