import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { ActivityRecord } from "../../../../src/model/activities.ts";
import { random } from "../../../_support/random.ts";
import { runs } from "../../../_support/runs.ts";
import { inboxHarness, type Visitor } from "./_inbox.ts";
import { undoFormOf } from "./_undo.ts";

const SUBMISSIONS = 200;
/** The cookie of the last act, with the number of its changes. */
const DONE = "form-backend-done";
const PATIENT_MS = 180_000;
const people = { ann: "Ann", bo: "Bo" } as const;
const other = JSON.stringify({ id: "cy", name: "Cy" });

interface Line extends ActivityRecord {
  /** The number of its commit. A change may have two lines, such as a snooze of what was done. */
  commit: number;
}

/** A store that keeps the lines of what was done, in the order in which they were committed. */
function withLines(storage: StorageDriver): { storage: StorageDriver; lines: Line[] } {
  const lines: Line[] = [];
  let commits = 0;
  const commit: StorageDriver["commit"] = async (writes) => {
    await storage.commit(writes);
    commits++;
    for (const write of writes)
      if (write.op === "put" && write.collection === "activities")
        lines.push({ ...(write.value as object as ActivityRecord), commit: commits });
  };
  return { storage: { ...storage, commit }, lines };
}

const untouched = { state: "open", assignee: "", labels: [] as string[], snoozed: false, spam: false, trash: false };
type State = typeof untouched;

/** A submission after one more line. */
function after(state: State, { what, text }: ActivityRecord): State {
  const without = state.labels.filter((label) => label !== text);
  switch (what) {
    case "done":
    case "reopen":
      return { ...state, state: what === "done" ? "done" : "open", snoozed: false };
    case "snooze":
    case "unsnooze":
      return { ...state, snoozed: what === "snooze" };
    case "assign":
    case "unassign":
      return { ...state, assignee: what === "assign" ? text : "" };
    case "label":
    case "unlabel":
      return { ...state, labels: what === "label" ? [...without, text].sort() : without };
    case "mark_spam":
    case "mark_not_spam":
      return { ...state, spam: what === "mark_spam" };
    case "trash":
    case "restore":
      return { ...state, trash: what === "trash" };
    default:
      throw new Error(`a line of another kind: ${what}`);
  }
}

/** The acts of a person. `bulk`: also in the list, on several submissions at once. */
const acts = [
  { action: "done", bulk: true },
  { action: "reopen", bulk: true },
  { action: "mark_spam", bulk: true },
  { action: "mark_not_spam", bulk: true },
  { action: "delete", bulk: true },
  { action: "assign", assignee: other },
  { action: "assign", assignee: "none" },
  { action: "label", label: "urgent" },
  { action: "label", label: "later" },
  { action: "snooze", until: "week" },
] as const;

/** The act that nothing takes back. Without it, all of them would be in the trash after a minute. */
const restore = { action: "restore", bulk: true } as const;

describe.each([
  ["in memory", () => memoryStorage()],
  ["in SQLite", () => sqliteStorage({ path: ":memory:" })],
])("two people at work on 200 submissions, %s", (_, storageOf) => {
  it("lose no act, and leave what their acts make in their order; each is taken back alone", {
    timeout: PATIENT_MS,
  }, async () => {
    const { storage, lines } = withLines(storageOf());
    const backend = inboxHarness({}, { storage, rateLimit: false, plans: { free: { trash_days: 30 } } });
    const { id: form } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
    const ids: string[] = [];
    for (let n = 0; n < SUBMISSIONS; n++) ids.push((await backend.submit(form, { fields: { message: String(n) } })).id);

    /** Changes that a person was told of, and those that they took back. */
    const told = { ann: 0, bo: 0 };
    const taken = { ann: 0, bo: 0 };

    async function act(
      who: keyof typeof people,
      visitor: Visitor,
      pick: (below: number) => number,
      takesBack: boolean,
    ) {
      const { bulk, ...body }: { action: string; bulk?: boolean } =
        acts[pick(acts.length + 1)] ?? (takesBack ? acts[0] : restore);
      const chosen = Array.from({ length: bulk ? 1 + pick(8) : 1 }, () => ids[pick(ids.length)] ?? "");
      const path = bulk && pick(2) ? `/f/${form}/bulk` : `/f/${form}/s/${chosen[0]}`;
      const posted = await visitor.post(path, path.endsWith("bulk") ? { ...body, ids: [...new Set(chosen)] } : body);
      // Somebody else has just put it into the trash, or marked it as spam.
      if (posted.status === 404 || posted.status === 400) return;
      expect(posted.status, posted.text).toBe(303);
      const [, changed = "0"] = /^\w+\.(\d+)/.exec(visitor.jar.get(DONE) ?? "") ?? [];
      told[who] += Number(changed);
      const undo = undoFormOf(await visitor.get(posted.headers.get("location") ?? ""));
      if (!undo || !takesBack) return;
      expect([303, 404]).toContain((await visitor.post(undo.at, undo.body)).status);
      taken[who] += [undo.body["ids"] ?? ""].flat().length;
    }

    const until = performance.now() + runs(0, 60_000);
    await Promise.all(
      (["ann", "bo"] as const).map(async (who, at) => {
        const visitor = backend.as({ id: who, name: people[who] });
        const pick = random(at + 1);
        for (let n = 0; n < 250 || performance.now() < until; n++) await act(who, visitor, pick, pick(4) === 0);
      }),
    );

    for (const who of ["ann", "bo"] as const) {
      const changes = lines
        .filter(({ author }) => author.id === who)
        .map((line) => `${line.commit} ${line.submission_id}`);
      const own = new Set(changes).size;
      expect(told[who]).toBeGreaterThan(100);
      expect(own).toBeGreaterThanOrEqual(told[who]);
      expect(own).toBeLessThanOrEqual(told[who] + taken[who]);
    }
    const expected = new Map(ids.map((id) => [id, untouched]));
    for (const line of lines)
      expected.set(line.submission_id, after(expected.get(line.submission_id) ?? untouched, line));
    expect(await found()).toEqual(expected);

    // Nobody else is at work now, so that each act and its undo leave what was there.
    const before = lines.length;
    const visitor = backend.as({ id: "ann", name: "Ann" });
    const pick = random(3);
    for (let n = 0; n < 100; n++) await act("ann", visitor, pick, true);
    expect(lines.length).toBeGreaterThan(before + 20);
    expect(await found()).toEqual(expected);

    async function found(): Promise<Map<string, State>> {
      const states = new Map<string, State>();
      for (const status of ["inbox", "spam", "trash"] as const) {
        let cursor: string | undefined;
        do {
          const page = await backend.submissions.list(form, { status, limit: 100, ...(cursor && { cursor }) });
          for (const { id, spam, work } of page.data)
            states.set(id, {
              state: work.state,
              assignee: work.assignee?.name ?? "",
              labels: work.labels.toSorted(),
              snoozed: work.snoozed_until !== null,
              spam,
              trash: status === "trash",
            });
          cursor = page.next_cursor ?? undefined;
        } while (cursor);
      }
      return new Map(ids.map((id) => [id, states.get(id) ?? untouched]));
    }
  });
});
