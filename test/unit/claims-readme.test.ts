import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { memoryMailer } from "../../src/drivers/mailer/memory.ts";
import { MailError } from "../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { createFormBackend } from "../../src/index.ts";
import { type Harness, harness } from "../_support/backend.ts";
import { type Claim, checked } from "../_support/claims.ts";
import { httpReceiver, type Receiver } from "../_support/receivers.ts";

const README = "README.md";
const HOUR = 3_600_000;
const read = (file: string): string => readFileSync(file, "utf8");
const bench = read("docs/operations/benchmarks.md");
const manifest = JSON.parse(read("package.json"));

/** A receiver that never takes a webhook, and the ids that it was sent. */
let receiver: Receiver;
const ids: unknown[] = [];
beforeAll(async () => {
  receiver = await httpReceiver((request, response) => {
    ids.push(request.headers["webhook-id"]);
    response.writeHead(500).end();
  });
});
afterAll(() => receiver.close());

/** Runs what is due until nothing is; answers the hours from the first attempt to the last. */
async function hoursOf(b: Harness): Promise<number> {
  const first = b.clock.now();
  let last = first;
  for (let due = await b.nextDueAt(); due !== null; due = await b.nextDueAt()) {
    await b.clock.advance(Math.max(0, due - b.clock.now()));
    last = b.clock.now();
    await b.tick();
  }
  return (last - first) / HOUR;
}

/** A row of `benchmarks.md`: our figure for `what`, and the rival's. */
function row(what: string, rival: string): [ours: number, theirs: number] {
  const line = bench.split("\n").find((one) => one.startsWith(what) && one.includes(`${rival} `));
  const [, ours, theirs] = new RegExp(`([\\d.]+) +${rival.replace(/[+]/g, "\\+")} ([\\d.]+)`).exec(line ?? "") ?? [];
  return [Number(ours), Number(theirs)];
}

const SQLITE = "SQLite, synchronous=FULL: ";
const POSTGRES = "PostgreSQL: ";
const rate = "accepted/s in Express";
const SENT = "Deliveries/s, 64 in flight: ours on ";
const n = (figure: number): string => figure.toLocaleString("en");

/** A sentence made of what `benchmarks.md` has: that it stands on the page is the check. */
const measured = (sentence: string): Claim => ({
  page: README,
  sentence,
  check: async () => expect(sentence).not.toMatch(/NaN|Infinity|undefined/),
});

/** The p99 of a million submissions, rounded up as the page does. */
const million = (database: string, counts: (what: string) => boolean): number =>
  Math.max(
    ...[...bench.matchAll(new RegExp(`^${database}, 1000000: (.*), p99 ms +([\\d.]+) `, "gm"))]
      .filter(([, what = ""]) => !what.startsWith("inbox") && counts(what))
      .map(([, , value]) => Number(value)),
  );

const both = (rival: string, side: 0 | 1): string[] =>
  [SQLITE, POSTGRES].map((where) => n(row(where + rate, rival)[side]));
const ours = (rival: string): string => both(rival, 0).join("** | **");
const theirs = (rival: string): string => both(rival, 1).join(" | ");
const slowest = row(`${SQLITE}p99 of 50 clients, ms, in Express`, "Express + INSERT");
const alone = row(`${SQLITE}lone client, ms, in Express`, "Express + INSERT");
const others = (database: string): number => Math.ceil(million(database, (what) => what !== "field statistics"));
const statistics = (database: string): number => Math.round(million(database, (what) => what === "field statistics"));
const dayOf = (what: string): string | undefined =>
  new RegExp(`^${what}, measured on (\\S+), three rounds`, "m").exec(bench)?.[1];

checked([
  {
    page: README,
    sentence: "with Node 20.19 or newer",
    check: async () => expect(manifest.engines.node).toBe(">=20.19"),
  },
  {
    page: README,
    sentence: "On Node older than 22.13, also install `@photostructure/sqlite@1`.",
    async check() {
      expect(manifest.peerDependencies["@photostructure/sqlite"]).toMatch(/^\^1\./);
      expect(read("src/drivers/storage/_sqlite/engine.ts")).toContain("or use Node >= 22.13");
    },
  },
  {
    page: README,
    sentence: "Set `secret` to at least 32 random characters",
    async check() {
      const withSecret = (length: number) => () =>
        createFormBackend({
          baseUrl: "https://a.example/f",
          secret: "0123456789abcdef".repeat(3).slice(0, length),
          work: false,
        });
      expect(withSecret(31)).toThrow("32 characters");
      await withSecret(32)().close();
    },
  },
  {
    page: README,
    sentence: "Each is retried for three days, has a log, and can be sent again.",
    async check() {
      const b = harness({ webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }, rateLimit: false });
      const { id } = await b.forms.create({ name: "A" });
      const format = "http" as const;
      const config = { method: "POST" as const, content_type: "application/json" as const, body: "{}" };
      await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/`, format, config });
      await b.submit(id, { fields: { a: "1" } });
      expect(await hoursOf(b)).toBeCloseTo(72, 1);
      const [job] = await b.jobs.list({ kind: "webhook" });
      expect(job).toMatchObject({ status: "failed" });
      expect(await b.jobs.retry(job?.id ?? "")).toMatchObject({ status: "pending" });
    },
  },
  {
    page: README,
    sentence: "More than a million of these lives have run.",
    async check() {
      const page = read("docs/internals/simulation.md");
      const [, table = ""] = page.split("## How many seeds");
      const rows = [...table.matchAll(/^\| (.+?) \| ([\d,]+) \| [\d,]+ \|/gm)].map(([, ran, seeds]) => ({
        ran,
        seeds: Number(seeds?.replaceAll(",", "")),
      }));
      const sum = rows.filter(({ ran }) => ran !== "All of these").reduce((all, { seeds }) => all + seeds, 0);
      expect(rows.find(({ ran }) => ran === "All of these")?.seeds).toBe(sum);
      expect(sum).toBeGreaterThan(1_000_000);
    },
  },
  {
    page: README,
    sentence: "It finds each of 41 faults that are planted in it.",
    async check() {
      const planted: { fault: string }[] = JSON.parse(read("test/simulation/planted.json"));
      expect(planted).toHaveLength(41);
      // The page has the seed that found each, from a run of `npm run simulate:planted`.
      const page = read("docs/internals/simulation.md");
      for (const { fault } of planted) expect(page, fault).toMatch(new RegExp(`^\\| ${fault} \\| \\d+`, "m"));
    },
  },
  {
    page: README,
    sentence:
      "Emails and webhooks are retried for three days, across restarts and crashes. A receiver recognizes a repeat by its `webhook-id`, a mail client by its Message-ID.",
    async check() {
      const mails: string[] = [];
      const mailer = {
        ...memoryMailer(),
        send: async ({ messageId }: { messageId: string }) => {
          mails.push(messageId);
          throw new MailError("ERROR_EMAIL_CONNECTION", "refused", { temporary: true });
        },
      };
      const b = harness({ mailer, webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }, rateLimit: false });
      const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
      await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/` });
      ids.length = 0;
      await b.submit(id, { fields: { a: "1" } });
      expect(await hoursOf(b)).toBeCloseTo(72, 1);
      for (const sent of [ids, mails]) {
        expect(sent.length).toBeGreaterThan(10);
        expect(new Set(sent).size).toBe(1);
      }
    },
  },
  {
    page: README,
    sentence:
      "that delivery is sent again when its reservation (lease) expires: after one minute for a webhook, two for an email.",
    async check() {
      const storage = memoryStorage();
      const leases: Record<string, number> = {};
      const claim: StorageDriver["claim"] = (query) => {
        if (query.limit > 0) leases[query.lane] = query.leaseMs;
        return storage.claim(query);
      };
      const b = harness({ storage: { ...storage, claim } });
      const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
      await b.submit(id, { fields: { a: "1" } });
      await b.tick();
      expect(leases).toMatchObject({ webhook: 60_000, email: 120_000 });
    },
  },
  {
    page: README,
    sentence:
      "10,000 submissions accepted while the process was killed 20 times with `kill -9`, 0 lost, 0 stored twice.",
    async check() {
      // The long run of this test, which ends with both counts.
      const test = read("test/system/faults/kill.test.ts");
      expect(test).toContain("const SUBMISSIONS = runs(500, 10_000);");
      expect(test).toContain("const KILLS = runs(5, 20);");
    },
  },
  // The fresh apps of `hosts-all` have these versions.
  ...Object.entries({
    "[Express](docs/hosts/express.md) 4, 5": [/\bexpress: "5\./],
    "[Fastify](docs/hosts/fastify.md) 5": [/\bfastify: "5\./],
    "[Nitro](docs/hosts/nitro.md) 2, 3": [/\bnitropack: "2\./, /\bnitro: "3\./],
    "[Bun](docs/hosts/bun.md) 1.4, [Deno](docs/hosts/deno.md) 2.9": [/\bbun: "1\.4\./, /\bdeno: "2\.9\./],
    "[Next.js](docs/hosts/fetch.md#nextjs) 15, 16": [/\bnext\("15\./, /\bnext\("16\./],
    "[React Router](docs/hosts/fetch.md#react-router) 7": [/"react-router": "7\./],
  }).map(
    ([sentence, versions]): Claim => ({
      page: README,
      sentence,
      async check() {
        const apps = read("test/hosts-all/_apps.ts");
        for (const version of versions) expect(apps).toMatch(version);
      },
    }),
  ),
  measured(`| **form-backend** | **${ours("Express + INSERT")}** |`),
  measured(`| one transaction, written by hand | ${theirs("Express by hand")} |`),
  measured(`| one transaction, jobs by pg-boss | | ${n(row(POSTGRES + rate, "Express + pg-boss")[1])} |`),
  measured(`| one INSERT, jobs by BullMQ | | ${n(row(POSTGRES + rate, "Express + BullMQ")[1])} |`),
  measured(`| one INSERT | ${theirs("Express + INSERT")} |`),
  measured(
    `the slowest post in a hundred takes ${slowest.map((ms) => `${ms.toFixed(0)} ms`).join(" instead of ")} with one INSERT; with a single client, a post takes ${alone.map((ms) => `${ms.toFixed(2)} ms`).join(" instead of ")}.`,
  ),
  ...["SQLite", "PostgreSQL"].map((database) =>
    measured(`| **form-backend on ${database}** | **${n(row(SENT + database, "graphile-worker")[0])}** |`),
  ),
  measured(`| graphile-worker, as much on disk | ${n(row(`${SENT}SQLite`, "graphile-worker, same promise")[1])} |`),
  ...["graphile-worker", "pg-boss", "BullMQ, appendfsync", "BullMQ"].map((rival) =>
    measured(`| ${rival} | ${n(row(`${SENT}SQLite`, rival)[1])} |`),
  ),
  measured(
    `takes at most ${others("SQLite")} ms on SQLite and ${others("PostgreSQL")} ms on PostgreSQL at p99; field statistics take ${statistics("SQLite")} and ${statistics("PostgreSQL")} ms.`,
  ),
  measured(`By \`npm run bench\` on ${dayOf("Ingest on SQLite")}, medians of three rounds, on two cores`),
  {
    page: README,
    sentence: "medians of three rounds, on two cores",
    async check() {
      const days = ["Ingest on SQLite", "Ingest on PostgreSQL", "Deliveries"].map(dayOf);
      expect(new Set(days).size).toBe(1);
      expect(bench).toMatch(/Measured from [^:]*: two cores/);
    },
  },
]);
