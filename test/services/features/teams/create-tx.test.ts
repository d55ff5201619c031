import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Transaction } from "../../../../src/drivers/storage/types.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

type Ended = (tx: Transaction) => Promise<void>;
type Run = (end: "COMMIT" | "ROLLBACK", work: Ended) => Promise<void>;

const started = (storage: StorageDriver) =>
  createBackend({
    baseUrl: "http://localhost:3000/forms",
    secret: "a secret for these tests, 32 chars",
    storage,
    mailer: memoryMailer(),
    work: false,
    plans: { one: { forms: 1 }, three: { forms: 3 } },
  });

/** What a host does when a customer signs up: its own row, a team and the first form, in one transaction. */
function cases(place: () => { storage: StorageDriver; run: Run }): void {
  const ids = async (b: ReturnType<typeof started>): Promise<string[]> =>
    (await b.teams.list()).data.map(({ id }) => id);

  it("are committed with it, and the form finds the team of the same transaction", async () => {
    const { storage, run } = place();
    const b = started(storage);
    await b.forms.list();
    const events: string[] = [];
    b.on("form.created", ({ id }) => void events.push(id));
    let form = "";
    await run("COMMIT", async (tx) => {
      await b.teams.create({ id: "acme", name: "Acme", plan: "one" }, { tx });
      form = (await b.forms.create({ name: "Contact", settings: { key: "contact" } }, { team_id: "acme", tx })).id;
    });
    expect(await ids(b)).toContain("acme");
    expect(await b.forms.get(form)).toMatchObject({ team_id: "acme", settings: { key: "contact" } });
    expect(events).toEqual([]);
    // The plan's number of forms holds: the first one was counted.
    await expect(b.forms.create({ name: "Second" }, { team_id: "acme" })).rejects.toMatchObject({
      code: "plan_restricted",
    });
    await b.close();
  });

  it("count one after the other where the plan limits forms, also of a team from before and over several transactions", async () => {
    const { storage, run } = place();
    const b = started(storage);
    await b.teams.create({ id: "before", name: "Before", plan: "three" });
    const full = { code: "plan_restricted" };
    for (const team_id of ["acme", "before"]) {
      const create = (name: string, tx: Transaction) => b.forms.create({ name }, { team_id, tx });
      const count = async () => (await b.forms.list()).data.filter((form) => form.team_id === team_id).length;
      const withTeam = async (tx: Transaction) => {
        if (team_id === "acme") await b.teams.create({ id: "acme", name: "Acme", plan: "three" }, { tx });
      };
      await run("ROLLBACK", async (tx) => {
        await withTeam(tx);
        await create("Gone", tx);
        await create("Gone too", tx);
      });
      await run("COMMIT", async (tx) => {
        await withTeam(tx);
        await Promise.all([create("First", tx), create("Second", tx)]);
      });
      await run("COMMIT", async (tx) => {
        await create("Third", tx);
        await expect(create("Fourth", tx)).rejects.toMatchObject(full);
      });
      expect(await count()).toBe(3);
      await expect(b.forms.create({ name: "Fifth" }, { team_id })).rejects.toMatchObject(full);
    }
    await b.close();
  });

  it("are taken back with it, and leave nothing", async () => {
    const { storage, run } = place();
    const b = started(storage);
    await b.forms.list();
    let form = "";
    await run("ROLLBACK", async (tx) => {
      await b.teams.create({ id: "gone", name: "Gone" }, { tx });
      form = (await b.forms.create({ name: "Contact" }, { team_id: "gone", tx })).id;
    });
    expect(await ids(b)).not.toContain("gone");
    await expect(b.forms.get(form)).rejects.toMatchObject({ code: "form_not_found" });
    await b.teams.create({ id: "gone", name: "Once more" });
    await b.close();
  });

  it("work in the team that is always there, before its first use", async () => {
    const { storage, run } = place();
    const b = started(storage);
    await b.forms.list();
    let form = "";
    await run("COMMIT", async (tx) => {
      form = (await b.forms.create({ name: "First" }, { tx })).id;
      await b.forms.create({ name: "Second" }, { tx });
    });
    expect(await b.forms.get(form)).toMatchObject({ team_id: "default" });
    expect((await b.forms.list()).data).toHaveLength(2);
    await b.close();
  });

  it("say that an id is taken, and leave the transaction usable", async () => {
    const { storage, run } = place();
    const b = started(storage);
    await b.forms.list();
    await b.teams.create({ id: "taken", name: "Taken" });
    await run("COMMIT", async (tx) => {
      await expect(b.teams.create({ id: "taken", name: "Again" }, { tx })).rejects.toMatchObject({ param: "id" });
      await b.teams.create({ id: "free", name: "Free" }, { tx });
    });
    expect(await ids(b)).toContain("free");
    await b.close();
  });
}

describe("a team and a form created in a transaction of the host's, on SQLite,", () => {
  cases(() => {
    const path = join(temporaryDirectory(), "store.db");
    // One handle for all of a test's transactions, as hosts have it.
    let handle: InstanceType<typeof DatabaseSync> | undefined;
    onTestFinished(() => handle?.close());
    return {
      storage: sqliteStorage({ path }),
      async run(end, work) {
        handle ??= new DatabaseSync(path);
        const database = handle;
        database.exec("BEGIN IMMEDIATE");
        await work(database as never);
        database.exec(end);
      },
    };
  });
});

withPostgres((pool) => {
  describe("a team and a form created in a transaction of the host's, on PostgreSQL,", () => {
    cases(() => ({
      storage: postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }),
      async run(end, work) {
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          await work(client as never);
          await client.query(end);
        } finally {
          client.release();
        }
      },
    }));
  });
});
