import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client";
import BetterSqlite3 from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { libsqlStorage } from "../../../../src/drivers/storage/libsql.ts";
import type { Transaction } from "../../../../src/drivers/storage/types.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { hranaServer } from "../../../_support/hrana.ts";
import { transactionCases } from "../../../_support/transactions/cases.ts";
import { libsqlLibraries, remoteLibraries } from "../../../_support/transactions/sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "fb-tx-libsql-"));
let files = 0;

/** A database with nothing in it. */
interface Empty {
  /** As the libraries take it. */
  readonly place: string;
  /** As `createClient` takes it. */
  readonly url: string;
  close(): Promise<void>;
}

async function file(): Promise<Empty> {
  const place = join(dir, `${++files}.db`);
  return { place, url: `file:${place}`, close: async () => {} };
}

async function server(): Promise<Empty & { expire(): void }> {
  const { url, expire, close } = await hranaServer();
  return { place: url, url, expire, close };
}

interface Started {
  readonly backend: TestBackend;
  readonly form: string;
  readonly client: Client;
  close(): Promise<void>;
}

async function started({ url }: Empty): Promise<Started> {
  const client = createClient({ url });
  const backend = createTestBackend({ storage: libsqlStorage({ client }) });
  const { id: form } = await backend.forms.create({ name: "A", spam: { protection: false } });
  const close = async (): Promise<void> => {
    await backend.close();
    client.close();
  };
  return { backend, form, client, close };
}

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.each([
  ["a file", libsqlLibraries, file],
  ["a server over HTTP", remoteLibraries, server],
] as const)("submit to libSQL, to %s", (_, libraries, empty) => {
  describe("in a transaction of", () => {
    let at: Empty;
    let place: Started;
    beforeAll(async () => {
      at = await empty();
      place = await started(at);
      await place.client.execute("CREATE TABLE hosts_own (submission_id TEXT)");
    });
    afterAll(async () => {
      await place.close();
      await at.close();
    });
    const count = async (table: string): Promise<number> =>
      Number((await place.client.execute(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.["n"]);
    for (const library of libraries) {
      transactionCases(library, () => ({ url: at.place, ...place, own: "hosts_own", count }));
    }
  });

  it("lets posts of others wait for the end of the transaction, and joins none of them to it", async () => {
    const at = await empty();
    onTestFinished(() => at.close());
    const { backend, form, client, close } = await started(at);
    onTestFinished(close);
    const tx = await client.transaction("write");
    await backend.submit(form, { fields: { n: "undone" } }, { tx });
    let hasEnded = false;
    const others = ["1", "2"].map((n) => backend.submit(form, { fields: { n } }).then(() => hasEnded));
    await new Promise((resolve) => setTimeout(resolve, 20));
    hasEnded = true;
    await tx.rollback();
    expect(await Promise.all(others)).toEqual([true, true]);
    const values = (await backend.submissions.list(form)).data.map(({ fields }) => fields[0]?.value);
    expect(values.sort()).toEqual(["1", "2"]);
  });

  it("takes room of a team that limits what it stores, with the host's commit alone", async () => {
    const at = await empty();
    onTestFinished(() => at.close());
    const { backend, client, close } = await started(at);
    onTestFinished(close);
    await backend.teams.create({ id: "acme", name: "Acme", limits: { stored_submissions: 1 } });
    const { id: form } = await backend.forms.create({ name: "B", team_id: "acme", spam: { protection: false } });
    for (const end of ["rollback", "commit"] as const) {
      const tx = await client.transaction("write");
      await backend.submit(form, { fields: { n: "1" } }, { tx });
      await tx[end]();
    }
    const tx = await client.transaction("write");
    const full = backend.submit(form, { fields: { n: "1" } }, { tx });
    await expect(full).rejects.toMatchObject({ code: "limit_reached" });
    await tx.rollback();
    expect((await backend.submissions.count(form)).count).toBe(1);
  });

  it("refuses another database, a client, and a transaction that only reads", async () => {
    const at = await empty();
    onTestFinished(() => at.close());
    const { backend, form, client, close } = await started(at);
    onTestFinished(close);
    const refused = async (tx: unknown, message: RegExp): Promise<void> => {
      const submitting = backend.submit(form, { fields: { n: "1" } }, { tx: tx as Transaction });
      await expect(submitting).rejects.toThrow(TypeError);
      await expect(submitting).rejects.toThrow(message);
      expect((await backend.submissions.count(form)).count).toBe(0);
    };
    const without = await empty();
    onTestFinished(() => without.close());
    const other = createClient({ url: without.url });
    onTestFinished(() => other.close());
    const inOther = await other.transaction("write");
    await refused(inOther, /is in a database without the store's tables; pass what `await client\.transaction/);
    inOther.close();
    const twin = await empty();
    onTestFinished(() => twin.close());
    const withTables = await started(twin);
    onTestFinished(withTables.close);
    const inTwin = await withTables.client.transaction("write");
    await refused(inTwin, /is in another database than the store|holds no lock that the store can see/);
    inTwin.close();
    await refused(client, /is a client of @libsql\/client; pass what `await client\.transaction\(\)` gives you/);
  });
});

describe("submit to libSQL", () => {
  it("refuses a handle of another copy of SQLite on the store's file, whose locks it can't see", async () => {
    const at = await file();
    const { backend, form, close } = await started(at);
    onTestFinished(close);
    const handle = new BetterSqlite3(at.place);
    onTestFinished(() => void handle.close());
    handle.exec("BEGIN IMMEDIATE");
    const submitting = backend.submit(form, { fields: { n: "1" } }, { tx: handle });
    await expect(submitting).rejects.toThrow(
      /of another copy of SQLite; use a client of @libsql\/client or a handle of/,
    );
  });

  it("is unavailable, as all posts, while a transaction holds the only connection of a database in memory", async () => {
    const client = createClient({ url: ":memory:" });
    const backend = createTestBackend({ storage: libsqlStorage({ client }) });
    const { id: form } = await backend.forms.create({ name: "A", spam: { protection: false } });
    onTestFinished(() => backend.close());
    const tx = await client.transaction("write");
    for (const options of [{ tx }, {}]) {
      const submitting = backend.submit(form, { fields: { n: "1" } }, options);
      await expect(submitting).rejects.toMatchObject({ code: "unavailable" });
    }
    await tx.rollback();
    await backend.submit(form, { fields: { n: "1" } });
    expect((await backend.submissions.count(form)).count).toBe(1);
  });

  it("refuses a transaction that the server has ended", async () => {
    const at = await server();
    onTestFinished(() => at.close());
    const { backend, form, client, close } = await started(at);
    onTestFinished(close);
    const tx = await client.transaction("write");
    await backend.submit(form, { fields: { n: "1" } }, { tx });
    at.expire();
    const refused = await backend.submit(form, { fields: { n: "2" } }, { tx }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TypeError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/has no transaction open/),
      cause: expect.any(Error),
    });
    expect((await backend.submissions.count(form)).count).toBe(0);
  });
});
