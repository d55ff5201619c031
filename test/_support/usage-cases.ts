import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { memoryBlob } from "../../src/drivers/blob/memory.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "./backend.ts";
import { formData } from "./blobs.ts";
import { everWritten } from "./ever-written.ts";

const HOUR = 60 * 60_000;
const START = Date.parse("2026-01-05T00:00:00.000Z");
const teams = ["skipping", "delivering"] as const;
const kinds = ["accepted", "spam", "over_quota", "emails", "webhooks", "file_bytes", "stored"] as const;
type Used = Record<(typeof kinds)[number], number>;

/** An action; after `dies` more commits the process is killed, and another one goes on. */
type Step = { at: number; dies: number | null } & (
  | { does: "post"; posts: { spam: boolean; file: boolean }[] }
  | { does: "mark"; spam: boolean; deliver: boolean }
  | { does: "delete" }
  | { does: "move" }
  | { does: "tick" }
);

const at = fc.nat(20);
const dies = fc.option(fc.nat(3), { nil: null, freq: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("post" as const),
      at,
      dies,
      posts: fc.array(fc.record({ spam: fc.boolean(), file: fc.boolean() }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("mark" as const), at, dies, spam: fc.boolean(), deliver: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom<"delete" | "move" | "tick">("delete", "move", "tick"), at, dies)
      .map(([does, at, dies]): Step => ({ does, at, dies })),
  },
);

/** Counts what the rows say as they change: each submission once as it comes, each place once, each delivery as it succeeds. */
function ledger(rows: () => Promise<{ collection: string; row: { id: string; value: object } }[]>) {
  const used = new Map(teams.map((id) => [id as string, Object.fromEntries(kinds.map((kind) => [kind, 0])) as Used]));
  const known = new Map<string, Record<string, unknown>>();
  return async (): Promise<Map<string, Used>> => {
    for (const one of used.values()) one.stored = 0;
    for (const { collection, row } of await rows()) {
      const value = row.value as Record<string, unknown>;
      const team = used.get(String(value["team_id"]));
      const before = known.get(row.id);
      if (!team || (collection !== "submissions" && collection !== "jobs")) continue;
      known.set(row.id, value);
      if (collection === "submissions") {
        team.stored++;
        if (!before) {
          team[value["spam"] ? "spam" : value["over_quota"] ? "over_quota" : "accepted"]++;
          const files = value["attachments"] as { size: number }[];
          team.file_bytes += files.reduce((sum, { size }) => sum + size, 0);
        } else if (before["uncounted"] && !value["uncounted"]) team[value["over_quota"] ? "over_quota" : "accepted"]++;
      } else if (value["status"] === "succeeded" && before?.["status"] !== "succeeded") {
        team[value["kind"] === "webhook" ? "webhooks" : "emails"]++;
      }
    }
    return used;
  };
}

/** By team; deliveries together, since one of a form that is on its way to another team counts for either. */
function ofTeams(used: ReadonlyMap<string, Used>): object {
  const own = teams.map((id) => {
    const { emails: _, webhooks: __, ...rest } = used.get(id) as Used;
    return [id, rest];
  });
  const sum = (kind: "emails" | "webhooks") => teams.reduce((n, id) => n + (used.get(id)?.[kind] ?? 0), 0);
  return { ...Object.fromEntries(own), emails: sum("emails"), webhooks: sum("webhooks") };
}

async function run(store: StorageDriver, steps: readonly Step[]): Promise<void> {
  const kept = everWritten({ ...store, close: async () => {} });
  const clock = testClock(START);
  const blob = memoryBlob();
  const start = (): Harness =>
    harness({
      storage: kept.storage,
      blob,
      clock,
      rateLimit: false,
      work: false,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      plans: {
        skipping: { submissions_per_month: 5, overage: "skip" },
        delivering: { submissions_per_month: 5, overage: "deliver" },
      },
    });
  let b = start();
  onTestFinished(() => b.close());
  const forms: string[] = [];
  for (const id of teams) {
    await b.teams.create({ id, name: id, plan: id, owner: { email: null } });
    const self_email_notification = { recipients: ["owner@example.com"] };
    const settings = { spam: { words: ["casino"] } };
    const form = await b.forms.create({ name: id, self_email_notification, settings }, { team_id: id });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/x" });
    forms.push(form.id);
  }
  const counted = ledger(kept.left);
  let n = 0;
  const act = async (one: Step): Promise<void> => {
    const form = forms[one.at % forms.length] as string;
    const { data } = await b.submissions.list(form, { status: "all", limit: 100 });
    const id = data[one.at % Math.max(1, data.length)]?.id;
    if (one.does === "tick") await b.tick();
    else if (one.does === "move") {
      const { team_id } = await b.forms.get(form);
      await b.forms.move(form, { team_id: team_id === teams[0] ? teams[1] : teams[0] });
    } else if (one.does === "post") {
      const posts = one.posts.map(({ spam, file }) => {
        n++;
        const fields: [string, string | [string, string, string]][] = [
          ["email", `a${n}@visitor.example`],
          ["text", spam ? `casino ${n}` : `Hello ${n}`],
        ];
        if (file) fields.push(["cv", [`${n}.txt`, "x".repeat(n % 7), "text/plain"]]);
        return b.post(form, formData(fields));
      });
      await Promise.allSettled(posts);
    } else if (id === undefined) return;
    else if (one.does === "delete") await b.submissions.delete(form, id);
    else if (one.does === "mark") await b.submissions.update(form, id, { spam: one.spam }, { deliver: one.deliver });
  };
  for (const one of steps) {
    clock.set(clock.now() + 1_000);
    kept.dieAfter(one.dies);
    // A killed process answers nothing; what it has stored is in the rows.
    await act(one).catch(() => {});
    if (one.dies !== null) {
      kept.dieAfter(0);
      await b.close().catch(() => {});
      kept.dieAfter(null);
      b = start();
    }
    await counted();
  }
  for (let turn = 0; turn < 3; turn++) {
    clock.set(clock.now() + HOUR);
    await b.tick();
    await b.sweep();
    await counted();
  }
  const rows = await counted();
  const { data } = await b.usage({ month: "2026-01" });
  const said = new Map(
    data.filter(({ team_id }) => rows.has(team_id)).map(({ team_id, ...used }) => [team_id, used as Used]),
  );
  expect(ofTeams(said)).toEqual(ofTeams(rows));
}

/** Holds the usage of a month against the rows of a store. */
export const usageCases = (name: string, open: () => StorageDriver, times: number): void => {
  it(`the usage of a month is what the rows say, on ${name}, after kills, moves, overage and marks of spam, ${times} times`, async () => {
    const seen = { steps: 0, kills: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        seen.steps += steps.length;
        seen.kills += steps.filter((one) => one.dies !== null).length;
        await run(open(), steps);
      }),
      { numRuns: times, endOnFailure: true },
    );
    console.info(`${name}: ${seen.steps} steps, ${seen.kills} kills, usage exact each time`);
  }, 600_000);
};
