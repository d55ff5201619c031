import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { metrics } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { MailError, type MailerDriver } from "../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../_support/backend.ts";
import { evaluate, parseText, type Scrape } from "../../_support/promql.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../../examples/observability/${name}`, import.meta.url), "utf8");
const MINUTE = 60;
const rules = [...read("alerts.yml").matchAll(/- alert: (\w+)\n +expr: >-\n +(.+)\n +for: (\d+)m\n/g)].map(
  ([, alert = "", expr = "", wait = ""]) => ({ alert, expr, wait: Number(wait) * MINUTE }),
);
const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(read("dashboard.json"));

const MINUTES = 40;

/** A backend under a fault: what is wrong with its parts, and what happens in each minute. */
interface Fault {
  readonly mailer?: Partial<MailerDriver>;
  readonly storage?: (storage: StorageDriver, slow: (seconds: number) => void) => Partial<StorageDriver>;
  readonly minute: (b: Harness, form: string, n: number) => Promise<unknown>;
  /** No worker runs. */
  readonly idle?: true;
}

/** Seconds by which the clock that measures is ahead. It never goes back, since others remember what it said. */
let skew = 0;
beforeAll(() => {
  const real = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => real() + skew * 1_000);
});
afterAll(() => vi.restoreAllMocks());
afterEach(() => metrics.disable());

/** Not by `fetch`, whose timers read the clock that the faults move. */
async function pageAt(address: string): Promise<string> {
  const [response] = (await once(get(address, { agent: false }), "response")) as [IncomingMessage];
  return text(response);
}

/** The samples that Prometheus scrapes from the exporter over HTTP in 40 minutes, one scrape a minute. */
async function scraped(fault: Fault): Promise<Scrape[]> {
  const slow = (seconds: number): void => {
    skew += seconds;
  };
  const exporter = new PrometheusExporter({ preventServerStart: true });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response)).listen(0);
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;

  const start = Date.parse("2026-01-01T00:00:00.000Z");
  const clock = testClock(start);
  const plain = memoryStorage();
  const b = harness({
    clock,
    rateLimit: false,
    plans: { unlimited: { webhooks_per_form: null } },
    storage: { ...plain, ...fault.storage?.(plain, slow) },
    ...(fault.mailer && {
      mailer: {
        name: "faulty",
        verify: async () => {},
        send: async () => {},
        close: async () => {},
        ...fault.mailer,
      } as never,
    }),
  });
  const form = await b.forms.create({ name: "A", spam: { protection: false } });
  const scrapes: Scrape[] = [];
  for (let n = 0; n <= MINUTES; n++) {
    await fault.minute(b, form.id, n);
    if (!fault.idle) await b.tick();
    scrapes.push({ at: n * MINUTE, samples: parseText(await pageAt(address)) });
    skew += MINUTE;
    clock.set(start + (n + 1) * MINUTE * 1_000);
  }
  await b.close();
  server.close();
  await exporter.shutdown();
  return scrapes;
}

/** The alerts that fire within the 40 minutes: those whose expression has held for as long as `for` says. */
function fired(scrapes: readonly Scrape[]): string[] {
  return rules
    .filter(({ expr, wait }) => {
      let since: number | null = null;
      return scrapes.some(({ at }) => {
        if (evaluate(expr, scrapes, at).length === 0) since = null;
        else since ??= at;
        return since !== null && at - since >= wait;
      });
    })
    .map(({ alert }) => alert);
}

const post = (b: Harness, form: string): Promise<unknown> => b.post(form, { email: "ann@example.com", text: "hello" });
const refuse = (temporary: boolean) => async (): Promise<never> => {
  throw new MailError("ERROR_EMAIL_REJECTED" as never, "no", { temporary, status: temporary ? 451 : 550 });
};
/** Mail for the owner of the form, and no limit that would put some of it together. */
const mailed = async (b: Harness, form: string, n: number): Promise<void> => {
  if (n === 0) {
    const recipients = Array.from({ length: 5 }, (_, at) => `owner${at}@example.com`);
    await b.forms.update(form, { self_email_notification: { recipients } });
  }
  for (let i = 0; i < 4; i++) await post(b, form);
};

/** A store whose statements wait so long for a connection. */
const pooled =
  (seconds: number): NonNullable<Fault["storage"]> =>
  (plain) => {
    let tell: (seconds: number) => void = () => {};
    return {
      onPoolWait: (told: (seconds: number) => void) => {
        tell = told;
      },
      commit: async (...args) => {
        tell(seconds);
        return plain.commit(...args);
      },
    };
  };

const faults: Readonly<Record<string, Fault>> = {
  FormBackendJobsWait: {
    idle: true,
    minute: async (b, form, n) => {
      if (n === 0) await b.webhooks.create(form, { url: "https://hooks.example.com/a" });
      await post(b, form);
    },
  },
  FormBackendDeliveriesFail: {
    // A receiver that is gone for good switches its webhook off, so that each minute has new ones.
    minute: async (b, form, n) => {
      b.answerWebhooks(410);
      for (let i = 0; i < 5; i++) await b.webhooks.create(form, { url: `https://hooks.example.com/${n}/${i}` });
      await post(b, form);
    },
  },
  FormBackendMailFails: { mailer: { send: refuse(true) }, minute: mailed },
  FormBackendPostsAreSlow: {
    storage: (plain, slow) => ({
      commit: async (...args) => {
        slow(3);
        return plain.commit(...args);
      },
    }),
    minute: post,
  },
  FormBackendStoreIsSlow: {
    storage: (plain, slow) => ({
      commit: async (...args) => {
        slow(1.5);
        return plain.commit(...args);
      },
    }),
    minute: post,
  },
  FormBackendPoolIsFull: {
    storage: pooled(0.4),
    minute: post,
  },
};

describe("the alerts of the example, over what the exporter of OpenTelemetry answers,", () => {
  it("have a fault each", () => {
    expect(Object.keys(faults).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(Object.entries(faults))("%s is fired by its fault", async (alert, fault) => {
    const scrapes = await scraped(fault);
    // A slow store makes posts slow as well, and Prometheus guesses between the bounds of a bucket.
    const both = ["FormBackendPostsAreSlow", "FormBackendStoreIsSlow"];
    const found = fired(scrapes);
    expect(found).toContain(alert);
    expect(found.filter((name) => name !== alert && !(both.includes(alert) && both.includes(name)))).toEqual([]);
  });

  it("stay silent while all is well, and every query of the dashboard is answered", async () => {
    const scrapes = await scraped({
      storage: pooled(0.001),
      minute: async (b, form, n) => {
        if (n === 0) await b.webhooks.create(form, { url: "https://hooks.example.com/a" });
        b.answerWebhooks(n % 10 === 3 ? 500 : 200);
        await mailed(b, form, n);
      },
    });
    expect(fired(scrapes)).toEqual([]);
    const at = scrapes.at(-1)?.at ?? 0;
    for (const { title, targets } of dashboard.panels) {
      for (const { expr } of targets) {
        const answer = evaluate(expr, scrapes, at);
        expect([title, answer.length > 0]).toEqual([title, true]);
        for (const { value } of answer) expect(Number.isFinite(value)).toBe(true);
      }
    }
  });

  it("are read by an evaluator that refuses what it does not know", () => {
    for (const query of ["avg(x)", "x offset 5m", "rate(x[5m]) + 1", "sum by (a) x", "{a=b}", "x > y z"])
      expect(() => evaluate(query, [], 0), query).toThrow();
    const scrapes = [0, 60, 120].map((at) => ({ at, samples: parseText(`a{b="c"} ${at}\na{b="d"} ${2 * at}\n`) }));
    expect(evaluate("sum(rate(a[5m]))", scrapes, 120)).toEqual([{ labels: {}, value: 3 }]);
    expect(evaluate('rate(a{b!="c"}[5m]) > 1', scrapes, 120)).toEqual([{ labels: { b: "d" }, value: 2 }]);
    expect(() => parseText("not a sample")).toThrow();
  });
});
