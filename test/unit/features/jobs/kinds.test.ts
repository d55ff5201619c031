import { afterEach, describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import { kinds, lanes } from "../../../../src/features/deliveries/kinds.ts";
import type { Consequences, Ended, JobKindRow, Lanes } from "../../../../src/features/jobs/kinds.ts";
import { mailJob } from "../../../../src/features/jobs/mail-job.ts";
import { type JobKind, type JobRecord, jobKinds } from "../../../../src/model/jobs.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

describe("the table of job kinds", () => {
  it("has a row for each kind, and a lane for each row", () => {
    expect(Object.keys(kinds).sort()).toEqual(Object.keys(jobKinds).sort());
    for (const { lane } of Object.values(jobKinds)) expect(Object.keys(lanes)).toContain(lane);
  });
});

describe("a kind that is added to the table", () => {
  const added: (() => void)[] = [];
  afterEach(() => {
    for (const undo of added.splice(0)) undo();
  });
  const add = <T>(table: Readonly<Record<string, T>>, name: string, row: T): void => {
    Reflect.set(table, name, row);
    added.push(() => Reflect.deleteProperty(table, name));
  };

  it("takes its facts, its row and its lane: it is claimed, run, retried, settled with what it causes, and told of", async () => {
    const runs: Stored<JobRecord>[] = [];
    const settled: string[][] = [];
    const row: JobKindRow = {
      async run(_core, job) {
        runs.push(job);
        return runs.length === 1
          ? { status: "retry", code: "ERROR_EMAIL_CONNECTION" }
          : { status: "succeeded", code: "SUCCESS" };
      },
      family: "ERROR_EMAIL",
      span: { name: "form_backend.mail", attributes: () => ({}) },
      events: { succeeded: "email.sent" },
      async settled(_core: Core, results: readonly Ended[]): Promise<Consequences> {
        settled.push(results.map(({ job }) => `${job.target} ${job.status}`));
        return {
          writes: [{ op: "add", id: "telegrams", by: 1, at: "2026-01-01T00:00:00.000Z" }],
          committed() {},
          failed() {},
        };
      },
    };
    add<{ lane: string }>(jobKinds, "telegram", { lane: "wire" });
    add<JobKindRow>(kinds, "telegram", row);
    add<Lanes[string]>(lanes, "wire", () => ({ leaseMs: 1_000, inFlight: 2, perTarget: 1 }));

    const storage = memoryStorage();
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const b = harness({ storage, clock });
    const { id: form_id } = await b.forms.create({ name: "A" });
    const told: unknown[] = [];
    b.on("email.sent", (event) => void told.push(event));
    const kind = "telegram" as JobKind;
    const given = { kind, target: "office", to: "Ann", form_id, team_id: "default", event: "telegram.sent" };
    await storage.commit([mailJob({ clock } as Partial<Core> as Core, "msg_1", clock.now(), given)]);
    expect(await b.tick()).toEqual({ ran: 1 });
    expect(await b.jobs.list({ form_id })).toMatchObject([{ kind, target: "Ann", status: "retrying", attempt: 1 }]);
    clock.set(clock.now() + 60_000);
    await b.tick();
    expect(await b.jobs.list({ form_id })).toMatchObject([{ kind, status: "succeeded", attempt: 2 }]);
    expect(runs.map(({ value }) => value.lane)).toEqual(["wire", "wire"]);
    expect(settled).toEqual([["office retrying"], ["office succeeded"]]);
    expect((await storage.get("counters", ["telegrams"])).get("telegrams")?.value).toMatchObject({ n: 2 });
    expect(told).toHaveLength(1);
  });
});
