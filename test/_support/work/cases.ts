import { describe, expect, it } from "vitest";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { DAY_MS, iso } from "../../../src/lib/clock.ts";
import type { HostSubmission } from "../../../src/model/submissions.ts";
import { type Harness, harness } from "../backend.ts";
import { random } from "../random.ts";

/** A store on another machine takes its time. */
const PATIENT_MS = 120_000;
const ann = { id: "7", name: "Ann" };
const ben = { id: "8", name: "Ben" };

interface Made {
  readonly b: Harness;
  readonly storage: StorageDriver;
  readonly form: string;
  readonly ids: string[];
}

/** Submissions, oldest first, a second apart. */
async function made(storage: StorageDriver, count: number): Promise<Made> {
  const b = harness({ storage, rateLimit: false });
  const form = await b.forms.create({ name: "Contact" });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    await b.clock.advance(1_000);
    ids.push((await b.submit(form.id, { fields: { n: String(i), topic: i % 2 ? "odd" : "even" } })).id);
  }
  return { b, storage, form: form.id, ids };
}

/** Every submission of a list, over all of its pages. */
async function allOf(b: Harness, form: string, query: object): Promise<HostSubmission[]> {
  const found: HostSubmission[] = [];
  let cursor: string | undefined;
  do {
    const page = await b.submissions.list(form, { ...query, limit: 3, ...(cursor && { cursor }) });
    found.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return found;
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** The cases that every store has to pass. `storageOf` makes an empty store. */
export function workCases(storageOf: () => StorageDriver): void {
  describe("work on submissions", () => {
    it("finds by state, assignee and label what a walk over all of them finds, in both orders", {
      timeout: PATIENT_MS,
    }, async () => {
      const { b, form, ids } = await made(storageOf(), 24);
      for (const [i, id] of ids.entries()) {
        await b.submissions.update(form, id, {
          ...(i % 3 === 0 && { state: "done" as const }),
          ...(i % 4 === 1 && { assignee: i % 8 === 1 ? ann : ben }),
          labels: [...(i % 2 ? ["urgent"] : []), ...(i % 5 ? [] : ["später 🕐"])],
          ...(i % 3 === 1 && i % 5 === 1 && { snoozed_until: iso(b.clock.now() + DAY_MS) }),
          ...(i === 10 && { spam: true }),
        });
      }
      const all = await allOf(b, form, { status: "all", order: "asc" });
      expect(all).toHaveLength(24);
      const isSnoozed = ({ work }: HostSubmission): boolean => work.snoozed_until !== null;
      const tests: Record<string, (one: HostSubmission) => boolean> = {
        open: (one) => one.work.state === "open" && !isSnoozed(one),
        done: (one) => one.work.state === "done",
        snoozed: isSnoozed,
      };
      for (const status of ["inbox", "all"] as const)
        for (const state of [undefined, "open", "done", "snoozed"] as const)
          for (const assignee of [undefined, "7", "none"])
            for (const label of [undefined, "urgent", "später 🕐"])
              for (const topic of [undefined, "odd"]) {
                const expected = all.filter(
                  (one) =>
                    (status === "all" || !one.spam) &&
                    (!state || tests[state]?.(one)) &&
                    (!assignee || (one.work.assignee?.id ?? "none") === assignee) &&
                    (!label || one.work.labels.includes(label)) &&
                    (!topic || one.values["topic"] === topic),
                );
                const query = {
                  status,
                  ...(state && { state }),
                  ...(assignee && { assignee }),
                  ...(label && { label }),
                  ...(topic && { field: { topic: { eq: topic } } }),
                };
                const name = JSON.stringify(query);
                const { count } = await b.submissions.count(form, query);
                expect(count, name).toBe(expected.length);
                if (topic && status === "all") continue;
                expect(idsOf(await allOf(b, form, { ...query, order: "asc" })), name).toEqual(idsOf(expected));
                expect(idsOf(await allOf(b, form, query)), name).toEqual(idsOf(expected).reverse());
              }
      // Over all forms, and in an export.
      const done = idsOf(all.filter(tests["done"] as never));
      const listed = await b.call("GET", "/v1/submissions?state=done&label=urgent&limit=100&order=asc&include=work");
      const labelled = all.filter((one) => one.work.state === "done" && one.work.labels.includes("urgent"));
      expect(idsOf(listed.json.data)).toEqual(idsOf(labelled));
      expect(listed.json.data[0].work).toEqual(labelled[0]?.work);
      const exported = await b.call("GET", `/v1/forms/${form}/submissions/export?format=json&state=done&order=asc`);
      expect(idsOf(exported.json)).toEqual(done);
      const grouped = await b.submissions.count(form, { label: "urgent", group_by: "field:topic" });
      expect(grouped).toMatchObject({ count: 12, exact: true, groups: [{ key: "odd", count: 12 }] });
    });

    it("reads no submission that has a label or an assignee alone where both are asked for", {
      timeout: PATIENT_MS,
    }, async () => {
      const storage = storageOf();
      const read: string[] = [];
      const get: StorageDriver["get"] = (collection, ids) => {
        if (collection === "submissions") read.push(...ids);
        return storage.get(collection, ids);
      };
      const { b, form, ids } = await made({ ...storage, get }, 20);
      const [both = ""] = ids;
      for (const [i, id] of ids.entries()) {
        await b.submissions.update(form, id, {
          ...(i % 2 === 0 && { assignee: ann }),
          labels: i % 2 || id === both ? ["urgent"] : [],
        });
      }
      read.length = 0;
      const found = await b.submissions.list(form, { state: "open", assignee: ann.id, label: "urgent" });
      expect(idsOf(found.data)).toEqual([both]);
      expect(new Set(read)).toEqual(new Set([both]));
    });

    it("keeps a deleted one in the trash, restores it as it was, and removes it in time", {
      timeout: PATIENT_MS,
    }, async () => {
      const { b, form, ids } = await made(storageOf(), 3);
      const [one = "", two = "", three = ""] = ids;
      await b.submissions.update(form, one, { state: "done", labels: ["urgent"], assignee: ann });
      const before = await b.submissions.get(form, one);
      expect(await b.submissions.delete(form, one, { trash: true })).toEqual({ id: one, deleted: true });
      await expect(b.submissions.get(form, one)).rejects.toMatchObject({ code: "submission_not_found" });
      for (const query of [{}, { status: "all" }, { label: "urgent" }, { state: "done" }, { assignee: "7" }] as const)
        expect(idsOf(await allOf(b, form, query))).not.toContain(one);
      const [trashed] = await allOf(b, form, { status: "trash", label: "urgent" });
      expect(trashed).toMatchObject({ id: one, trash: { expires_at: iso(b.clock.now() + 30 * DAY_MS) } });
      expect((await b.submissions.count(form, { status: "trash" })).count).toBe(1);
      expect(await b.submissions.bulk(form, { action: "restore", ids: [one, two, "none"] })).toEqual({
        changed: 1,
        not_found: ["none"],
      });
      const { read_by: _, ...after } = await b.submissions.get(form, one);
      expect(after).toMatchObject({ work: before.work, fields: before.fields, created_at: before.created_at });
      expect(idsOf(await allOf(b, form, { label: "urgent", state: "done" }))).toEqual([one]);

      await b.submissions.bulk(form, { action: "trash", ids: [one, two, three] });
      expect(await b.submissions.bulk(form, { action: "delete_forever", ids: [two] })).toMatchObject({ changed: 1 });
      expect(idsOf(await allOf(b, form, { status: "trash" }))).toEqual([three, one]);
      await b.clock.advance(29 * DAY_MS);
      await b.sweep();
      expect(idsOf(await allOf(b, form, { status: "trash" }))).toEqual([three, one]);
      await b.clock.advance(2 * DAY_MS);
      await b.sweep();
      expect(await allOf(b, form, { status: "trash" })).toEqual([]);
      expect(await allOf(b, form, { status: "all" })).toEqual([]);
    });

    it("returns a snoozed one unread at its time", { timeout: PATIENT_MS }, async () => {
      const { b, form, ids } = await made(storageOf(), 2);
      const [one = ""] = ids;
      const changed: unknown[] = [];
      b.on("submission.updated", (event) => void changed.push(event));
      await b.submissions.update(form, one, { read: true });
      await b.submissions.update(form, one, { snoozed_until: iso(b.clock.now() + 90 * 60_000) });
      expect(idsOf(await allOf(b, form, { state: "open" }))).not.toContain(one);
      await b.clock.advance(91 * 60_000);
      expect(idsOf(await allOf(b, form, { state: "open" }))).toContain(one);
      expect(await b.submissions.get(form, one)).toMatchObject({ read: false, work: { snoozed_until: null } });
      expect(changed.at(-1)).toEqual({ id: one, form_id: form, changed: ["read", "snoozed_until"] });
      expect(await allOf(b, form, { state: "snoozed" })).toEqual([]);
    });

    it("returns those of the team whose list is read, and all of them without a list in the sweep", {
      timeout: PATIENT_MS,
    }, async () => {
      const storage = storageOf();
      const b = harness({ storage, rateLimit: false });
      const other = await b.teams.create({ name: "Other" });
      const forms = [await b.forms.create({ name: "A" }), await b.forms.create({ name: "B", team_id: other.id })];
      const returned: string[] = [];
      b.on("submission.updated", ({ form_id, changed }) => {
        if (changed.includes("read")) returned.push(form_id);
      });
      const snooze = async (form: string, count: number) => {
        const ids: string[] = [];
        for (let n = 0; n < count; n++) ids.push((await b.submit(form, { fields: { n: String(n) } })).id);
        await b.submissions.bulk(form, { action: "mark_read", ids });
        await b.submissions.bulk(form, { action: "snooze", ids, snoozed_until: iso(b.clock.now() + 60_000) });
        returned.length = 0;
        await b.clock.advance(60_001);
      };
      const [mine = "", theirs = ""] = forms.map(({ id }) => id);
      await snooze(mine, 1);
      await allOf(b, theirs, { state: "open" });
      expect((await b.forms.overview({ team_id: other.id })).data[0]?.id).toBe(theirs);
      const { key } = await b.keys.create({ name: "k", team_id: other.id, scopes: "all" });
      const headers = { authorization: `Bearer ${key}` };
      const listed = await b.handle(new Request(`${b.baseUrl}/v1/submissions?state=open`, { headers }));
      expect(listed.status).toBe(200);
      expect(returned).toEqual([]);
      await allOf(b, mine, { state: "open" });
      expect(returned).toEqual([mine]);

      // More than one look returns, of two teams.
      await snooze(mine, 101);
      await snooze(theirs, 1);
      const run = { index: "run", equals: { run: "snoozed" }, order: "asc", limit: 200 } as const;
      expect(await storage.page("submission_runs", run)).toHaveLength(102);
      await b.sweep();
      expect(returned.filter((form) => form === mine)).toHaveLength(101);
      expect(returned.filter((form) => form === theirs)).toHaveLength(1);
      expect(await storage.page("submission_runs", run)).toEqual([]);
      expect(await allOf(b, mine, { state: "snoozed" })).toEqual([]);
    });

    it("loses none of 240 acts of two people on 40 submissions, and counts the open ones right at once", {
      timeout: PATIENT_MS,
    }, async () => {
      const { b, storage, form, ids } = await made(storageOf(), 40);
      const [state, labels] = [new Map<string, string>(), new Map<string, Set<string>>()];
      const pick = random(7);
      const acts = (of: number, act: (id: string, i: number) => Promise<unknown>) => async () => {
        for (let i = 0; i < of; i++) await act(ids[pick(ids.length)] as string, i);
      };
      await Promise.all([
        acts(120, async (id, i) => {
          const to = i % 2 ? ("open" as const) : ("done" as const);
          state.set(id, to);
          await b.submissions.update(form, id, { state: to });
        })(),
        acts(120, async (id, i) => {
          const label = `l${i % 15}`;
          labels.set(id, (labels.get(id) ?? new Set()).add(label));
          await b.submissions.bulk(form, { action: "label", ids: [id], label });
        })(),
      ]);
      const all = await allOf(b, form, {});
      for (const { id, work } of all) {
        expect(work.state).toBe(state.get(id) ?? "open");
        expect(new Set(work.labels)).toEqual(labels.get(id) ?? new Set());
      }
      const open = all.filter(({ work }) => work.state === "open").length;
      const counters = await storage.get("counters", [`form:${form}:all`, `form:${form}:closed`]);
      const [everything, gone] = ["all", "closed"].map((of) =>
        Number(counters.get(`form:${form}:${of}`)?.value["n"] ?? 0),
      );
      expect((everything ?? 0) - (gone ?? 0)).toBe(open);
      expect((await b.submissions.count(form, { state: "open" })).count).toBe(open);
      expect(idsOf(await allOf(b, form, { label: "l3" }))).toEqual(
        idsOf(all.filter(({ work }) => work.labels.includes("l3"))),
      );
    });
  });
}
