import { readFileSync } from "node:fs";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTelemetry } from "../../../src/core/telemetry.ts";
import { JobKind } from "../../../src/model/jobs.ts";
import { harness } from "../../_support/backend.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../../examples/observability/${name}`, import.meta.url), "utf8");
const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(read("dashboard.json"));
const alerts = read("alerts.yml");
const queries = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...[...alerts.matchAll(/expr: >-\n\s+(.+)\n/g)].map(([, expr]) => expr as string),
];

/** Series by the names that Prometheus has for what the SDK collects, each with the labels that were seen. */
const series = new Map<string, Set<string>>();

beforeAll(async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const telemetry = createTelemetry({ due: async () => [{ lane: "email", count: 1, oldest: 5 }] });
  await telemetry.open();
  telemetry.took("form_backend.pool.wait", 0.01);
  const b = harness();
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
  await b.webhooks.create(form.id, { url: "https://hooks.example.com/x" });
  await b.post(form.id, { text: "hello" });
  await b.tick();
  await reader.forceFlush();
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  for (const { descriptor, dataPoints, dataPointType } of all) {
    const base = descriptor.name.replaceAll(".", "_");
    const isSum = dataPointType === DataPointType.SUM;
    const name = dataPointType === DataPointType.HISTOGRAM ? `${base}_bucket` : isSum ? `${base}_total` : base;
    const labels = new Set(dataPoints.flatMap(({ attributes }) => Object.keys(attributes)));
    if (name.endsWith("_bucket")) labels.add("le");
    series.set(name, labels);
  }
  telemetry.close();
  await b.close();
  await reader.shutdown();
});
afterAll(() => metrics.disable());

describe("the dashboard and the alerts", () => {
  it("have queries of their own", () => {
    expect(dashboard.panels).toHaveLength(8);
    expect(queries.length).toBeGreaterThan(14);
    expect([...alerts.matchAll(/- alert: /g)]).toHaveLength(6);
  });

  it.each(queries)("ask for series that are there, by labels that they have: %s", (query) => {
    // A set of names that differ by the unit stands for the one without.
    const asked = [...query.matchAll(/form_backend_[a-z_]+(?:\(_seconds\)\?_bucket)?/g)].map(([name]) =>
      name.replace("(_seconds)?", ""),
    );
    expect(asked.length).toBeGreaterThan(0);
    const known = new Set<string>();
    for (const name of asked) {
      expect([...series.keys()]).toContain(name);
      for (const label of series.get(name) ?? []) known.add(label);
    }
    const labels = [
      ...[...query.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list]) => (list as string).split(", ")),
      ...[...query.matchAll(/[{,]([a-z]+)(?:=|!)/g)].map(([, label]) => label as string),
    ];
    for (const label of labels) expect([...known]).toContain(label);
  });

  it("look at every metric", () => {
    const text = queries.join("\n").replaceAll("(_seconds)?", "");
    // Mails that come in are watched where the option `inbound` is set.
    const watched = [...series.keys()].filter((name) => name !== "form_backend_inbound_total");
    expect(watched.filter((name) => !text.includes(name))).toEqual([]);
  });

  it("name kinds of deliveries that there are", () => {
    const kinds = queries.flatMap((query) =>
      [...query.matchAll(/kind!~"([^"]+)"/g)].flatMap(([, list]) => (list as string).split("|")),
    );
    for (const kind of kinds) expect(JobKind.options).toContain(kind);
  });
});
