import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runs } from "../../_support/runs.ts";
import { fieldsOf, services } from "./_destinations.ts";
import { pause, startWorker, until, type Worker } from "./_workers.ts";

const ALL = runs(100, 1_000);
const KILLS = runs(2, 10);
/** The lease of a killed process, of 30 s, ends after a second and a half. */
const SPEED = 20;
const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
const down = { status: 503, json: { message: "down" } };

// The real process dies by SIGKILL in the middle of a call, with the answer lost or the call refused.
describe("a destination whose service refuses, loses answers and limits, written to by a process that is killed", () => {
  it.each(services)(
    `$name has ${ALL} submissions once each, after ${KILLS} kill -9`,
    async ({ open, webhook, line, secret }) => {
      const dir = mkdtempSync(join(tmpdir(), "form-backend-destinations-"));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      const since = Date.now();
      let ahead = 0;
      const now = (): number => Math.round(since + ahead + (Date.now() - since) * SPEED);
      const service = await open(now);
      onTestFinished(service.close);
      const start = (): Promise<Worker> =>
        startWorker({
          DATABASE: join(dir, "forms.db"),
          INTEGRATIONS: JSON.stringify(service.options),
          WEBHOOK_TIMEOUT_MS: "10000",
          SPEED: String(SPEED),
          SINCE: String(since),
          AHEAD: String(ahead),
        });
      let worker = await start();
      let restarting = Promise.resolve();
      const seen = { writes: 0, refused: 0, lost: 0, kills: 0, tokens: 0 };
      let shut = false;
      const batches: (readonly string[])[] = [];

      const kill = (): void => {
        const { process, ended } = worker;
        process.kill("SIGKILL");
        restarting = ended.then(async () => {
          worker = await start();
        });
      };
      onTestFinished(async () => {
        await restarting;
        worker.process.kill("SIGKILL");
        await worker.ended;
      });
      /** Calls the process, over its deaths. */
      const call = async (name: string, ...args: unknown[]): Promise<unknown> => {
        for (;;) {
          await restarting;
          try {
            return await worker.call(name, ...args);
          } catch {
            await pause(20);
          }
        }
      };
      /** Time passes while the process is down. */
      const pass = async (ms: number): Promise<void> => {
        await restarting;
        worker.process.kill("SIGKILL");
        await worker.ended;
        ahead += ms;
        worker = await start();
      };
      service.fate((got) => {
        if (shut && !got.path.endsWith("/token")) return service.shut;
        if (!service.writes(got)) return undefined;
        const ids = service.ordered(got);
        if (ids) batches.push(ids);
        const n = ++seen.writes;
        if (n % 4 === 0 && seen.kills < KILLS) {
          seen.kills++;
          kill();
          return seen.kills % 2 ? "lost" : down;
        }
        if (service.loseToken && (n === 5 || n === 9)) {
          seen.tokens++;
          service.loseToken();
        }
        if (n % 3 === 0) {
          seen.refused++;
          return down;
        }
        if (n % 10 === 0) {
          seen.lost++;
          return "lost";
        }
        return undefined;
      });

      const form = (await call("forms.create", { name: "Contact", spam: { protection: false } })) as { id: string };
      const hook = (await call("webhooks.create", form.id, webhook)) as { id: string };
      const stored = async (): Promise<Map<string, number>> => {
        const found = new Map<string, number>();
        for (let cursor: string | undefined; ; ) {
          const page = (await call("submissions.list", form.id, { limit: 100, ...(cursor && { cursor }) })) as {
            data: { id: string; fields: { key: string; value: string }[] }[];
            next_cursor: string | null;
          };
          for (const { id, fields } of page.data) found.set(id, Number(fields.find(({ key }) => key === "n")?.value));
          if (page.next_cursor === null || page.data.length === 0) return found;
          cursor = page.next_cursor;
        }
      };
      const accepted = new Map<string, number>();
      const submit = async (n: number): Promise<void> => {
        // One whose answer was lost may be there: the sender does not know, and the store does.
        const { id } = (await call("submit", form.id, { fields: fieldsOf(n) })) as { id: string };
        accepted.set(id, n);
      };
      for (let n = 0; n < ALL; n += 10) {
        if (n === Math.floor(ALL / 20) * 10 && service.shut) {
          shut = true;
          const off = async () => ((await call("webhooks.get", form.id, hook.id)) as { enabled: boolean }).enabled;
          await submit(ALL);
          await until("the webhook pauses", async () => !(await off()));
          await pass(DAY);
          shut = false;
          await call("webhooks.update", form.id, hook.id, { enabled: true });
          const since_ = new Date(since - 60_000).toISOString();
          await call("deliveries.recover", form.id, hook.id, { since: since_ });
        }
        const before = seen.writes;
        await Promise.all(Array.from({ length: 10 }, (_, at) => submit(n + at)));
        // Otherwise a service of large batches gets all of them in one.
        await until("a write", () => seen.writes > before, 60_000);
      }

      await until(`${KILLS} deaths`, () => seen.kills === KILLS, 60_000);
      const waiting = async (): Promise<number> => {
        const { enabled } = (await call("webhooks.get", form.id, hook.id)) as { enabled: boolean };
        // A write that began while the sheet was shut may pause it once more.
        if (!enabled) await call("webhooks.update", form.id, hook.id, { enabled: true });
        const some = async (status: string): Promise<number> => {
          const page = (await call("deliveries.list", form.id, hook.id, { status, limit: 1 })) as { data: unknown[] };
          return page.data.length;
        };
        // A delivery whose process dies three times fails by design, until its owner presses the button. One that was
        // under way while the webhook was off is skipped, also after a first press.
        if ((await some("failed")) + (await some("skipped")) > 0 || !enabled)
          await call("deliveries.recover", form.id, hook.id, { since: new Date(since - 60_000).toISOString() });
        const counts = await Promise.all(["pending", "retrying", "failed", "skipped"].map(some));
        return counts.reduce((sum, one) => sum + one, 0);
      };
      // The waits between attempts grow to hours, which no test has.
      for (let rounds = 0; (await waiting()) > 0; rounds++) {
        if (rounds === 60) {
          const left = await call("deliveries.list", form.id, hook.id, { limit: 100 });
          const open = (left as { data: { status: string }[] }).data.filter(({ status }) => status !== "succeeded");
          throw new Error(`not all are delivered: ${JSON.stringify(open.slice(0, 5))}`);
        }
        // Not while it writes: each of these deaths would count against the deliveries that are under way.
        for (let before = -1; before !== seen.writes; ) {
          before = seen.writes;
          await pause(1_500);
        }
        await pass(2 * HOUR);
      }

      const ids = await stored();
      for (const [id, n] of accepted) expect([id, ids.get(id)]).toEqual([id, n]);
      const sorted = (list: object[]): string[] =>
        list.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
      const own = Object.keys(line(0, ""));
      const found = service.lines().map((one) => Object.fromEntries(own.map((name) => [name, one[name]])));
      const wanted = new Map([...ids].map(([id, n]) => [JSON.stringify(line(n, id)), line(n, id)]));
      expect(sorted(found)).toEqual(sorted([...wanted.values()]));
      expect(new Set(ids.values()).size).toBe(service.shut ? ALL + 1 : ALL);
      // The order of the ids is the order in which the submissions were stored: ten are sent at once, and any of them
      // may be the first. One whose answer was lost is there twice, and a batch may have either.
      const idsOf = new Map<string, string[]>();
      for (const [id, n] of [...ids].sort()) idsOf.set(`${n}`, [...(idsOf.get(`${n}`) ?? []), id]);
      for (const batch of batches) {
        let last = "";
        for (const one of batch) {
          const next = (idsOf.get(one) ?? [one]).find((id) => id >= last);
          expect(next, `${one} comes after ${last} in ${batch}`).toBeDefined();
          last = next as string;
        }
      }
      expect(seen).toMatchObject({ kills: KILLS, tokens: service.loseToken ? 2 : 0 });
      expect(Math.min(seen.refused, seen.lost)).toBeGreaterThan(0);
      const log = JSON.stringify(await call("deliveries.list", form.id, hook.id, { limit: 100 }));
      expect(log).not.toContain(secret);
      console.info(
        `${ALL} submissions, ${JSON.stringify(seen)}, ${((now() - since - ahead) / 60_000).toFixed(1)} minutes by its clock`,
      );
    },
    900_000,
  );
});
