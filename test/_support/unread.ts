import fc from "fast-check";
import { expect, it } from "vitest";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import type { SubmissionBulk, SubmissionPatch } from "../../src/model/submissions.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "./backend.ts";
import { runs } from "./runs.ts";

/** What somebody does to submissions; `at` chooses which. */
type Step =
  | { does: "post"; at: number; spam: boolean }
  | { does: "update"; at: number; patch: SubmissionPatch }
  | { does: "bulk"; at: number; action: SubmissionBulk["action"]; deliver: boolean }
  | { does: "delete" | "erase" | "sweep"; at: number };

const patches: SubmissionPatch[] = [{ read: true }, { read: false }, { spam: true }, { spam: false, read: true }];
const actions = ["mark_read", "mark_unread", "mark_spam", "mark_not_spam", "delete"] as const;
const at = fc.nat(30);
const does = <D extends Step["does"]>(what: D) => fc.constant(what);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: does("post"), at, spam: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ does: does("update"), at, patch: fc.constantFrom(...patches) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: does("bulk"), at, action: fc.constantFrom(...actions), deliver: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom<"delete" | "erase" | "sweep">("delete", "erase", "sweep"), at }),
  },
);

const DAY = 86_400_000;
/** A post has one of these addresses, so that an erasure meets several. */
const people = Array.from({ length: 10 }, (_, i) => `p${i}@example.com`);

/** The number of unread submissions of a form, counted one by one. */
export async function countedUnread(b: Harness, form: string): Promise<number> {
  const { count } = await b.submissions.count(form, { status: "inbox", read: false });
  return count;
}

/** The number that the overview says. */
export async function overviewUnread(b: Harness, form: string): Promise<number | null | undefined> {
  return (await b.forms.overview({ limit: 100 })).data.find(({ id }) => id === form)?.unread;
}

/** Random steps of two processes at the same time: the counters are always what a recount would say. `open` answers an empty store. */
export function unreadIsRight(open: () => Promise<StorageDriver>, patienceMs: number): void {
  it(
    "the counter is what a recount says, whatever happens at the same time",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
          const clock = testClock(Date.parse("2026-06-01T12:00:00.000Z"));
          const storage = await open();
          const first = harness({ storage, clock, rateLimit: false });
          const second = harness({ storage, clock, rateLimit: false });
          const forms: string[] = [];
          for (const storage of [{ keep_for: "1_days" as const }, {}, { store_submissions: false }]) {
            forms.push((await first.forms.create({ name: "F", spam: { protection: false }, storage })).id);
          }
          let posts = 0;
          const known: { form: string; id: string }[] = [];
          for (const round of rounds) {
            await first.clock.advance(DAY / 3);
            // As if each had just been counted, for a sweep that counts again would hide what is wrong.
            const now = new Date(clock.now()).toISOString();
            await storage.commit(forms.map((form) => ({ op: "add", id: `form:${form}:counted:open`, by: 0, at: now })));
            await Promise.all(round.map((one, i) => run(i % 2 ? second : first, one)));
            for (const form of forms) {
              expect(await overviewUnread(first, form)).toBe(await countedUnread(first, form));
            }
          }

          async function run(b: Harness, one: Step): Promise<void> {
            if (one.does === "post") {
              const form = forms[one.at % 3] as string;
              const body = new URLSearchParams({ email: people[posts++ % 10] as string, n: String(posts) });
              if (one.spam) body.append("_gotcha", "x");
              const { json } = await b.post(form, body, { accept: "application/json" });
              known.push({ form, id: json.submission_id });
            } else if (one.does === "sweep") await b.sweep();
            else if (one.does === "erase") await b.dataSubjects.erase({ email: people[one.at % 10] as string });
            else {
              const { form, id } = known[one.at % known.length] ?? { form: forms[1] as string, id: "none" };
              const all = known.filter((other) => other.form === form).map((other) => other.id);
              if (one.does === "bulk") {
                const deliver = one.deliver && one.action === "mark_not_spam";
                await b.submissions.bulk(form, { action: one.action, ids: [...all, id], deliver });
                return;
              }
              const done =
                one.does === "update" ? b.submissions.update(form, id, one.patch) : b.submissions.delete(form, id);
              await done.catch((error: { code?: string }) => expect(error.code).toBe("submission_not_found"));
            }
          }
        }),
        { numRuns: runs(6, 300) },
      );
    },
    patienceMs,
  );

  it(
    "counts a change once where several make it at the same time",
    async () => {
      const storage = await open();
      const clock = testClock(Date.parse("2026-06-01T12:00:00.000Z"));
      const [a, b] = [harness({ storage, clock, rateLimit: false }), harness({ storage, clock, rateLimit: false })];
      const form = (await a.forms.create({ name: "F", spam: { protection: false } })).id;
      for (const n of "12345") await a.post(form, { n }, { accept: "application/json" });
      const lost = (error: { code?: string }) => expect(error.code).toBe("submission_not_found");
      const bulk = (on: Harness, action: SubmissionBulk["action"], id: string) =>
        on.submissions.bulk(form, { action, ids: [id] });
      const pairs: ((id: string, email: string) => Promise<unknown>[])[] = [
        (id) => [a.submissions.delete(form, id).catch(lost), b.submissions.delete(form, id).catch(lost)],
        (id) => [a.submissions.update(form, id, { read: true }), b.submissions.update(form, id, { read: true })],
        (id) => [a.submissions.update(form, id, { read: true }), b.submissions.update(form, id, { spam: true })],
        (id) => [
          a.submissions.delete(form, id).catch(lost),
          b.submissions.update(form, id, { read: true }).catch(lost),
        ],
        (id) => [bulk(a, "delete", id), bulk(b, "delete", id), bulk(a, "mark_read", id)],
        (id, email) => [a.dataSubjects.erase({ email }), b.submissions.delete(form, id).catch(lost)],
        (_, email) => [a.dataSubjects.erase({ email }), b.dataSubjects.erase({ email })],
      ];
      for (const [i, pair] of pairs.entries()) {
        const email = `p${i}@example.com`;
        const body = new URLSearchParams({ email });
        const { json } = await a.post(form, body, { accept: "application/json" });
        await Promise.all(pair(json.submission_id, email));
        expect([i, await overviewUnread(a, form)]).toEqual([i, await countedUnread(a, form)]);
      }
    },
    patienceMs,
  );
}
