import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client";
import Libsql from "libsql";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { libsqlStorage } from "../../../../src/drivers/storage/libsql.ts";
import {
  StaleWriteError,
  type StorageDriver,
  StoreDownError,
  type Write,
} from "../../../../src/drivers/storage/types.ts";
import { idsOf, job, put, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { hranaServer } from "../../../_support/hrana.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";

const made: Client[] = [];
const directory = await mkdtemp(join(tmpdir(), "fb-libsql-"));
afterAll(async () => {
  for (const client of made) client.close();
  await rm(directory, { recursive: true, force: true });
});

const clientOf = (name: string): Client => {
  const client = createClient({ url: `file:${join(directory, name)}` });
  made.push(client);
  return client;
};

describe("libsqlStorage over a file", () => {
  for (const c of storageSuite)
    it(c.name, () => c.run(() => libsqlStorage({ client: clientOf(crypto.randomUUID()) })), 300_000);

  it("two clients of one file open it at once, and never claim the same job", async () => {
    const name = crypto.randomUUID();
    const stores = [1, 2, 3].map(() => libsqlStorage({ client: clientOf(name) }));
    for (const store of stores) await store.open();
    const [first] = stores;
    await first!.commit(Array.from({ length: 60 }, (_, n) => job(`j${n}`, n % 9, { target: `t${n % 7}` })));
    const query = { lane: "webhook", leaseMs: 1_000, limit: 5, exclude: [], perTarget: 9, now: Date.parse(time(9)) };
    const taken: string[] = [];
    for (let round = 0; round < 4; round++)
      for (const store of stores) taken.push(...idsOf((await store.claim(query)).jobs));
    expect(new Set(taken).size).toBe(60);
    expect(taken).toHaveLength(60);
  });

  it("a commit waits while somebody else has the file's lock", async () => {
    const name = crypto.randomUUID();
    const client = clientOf(name);
    const store = libsqlStorage({ client });
    await store.open();
    const other = new Libsql(join(directory, name));
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    const tries = vi.spyOn(client, "executeMultiple");
    const committing = store.commit([put("forms", "a", { n: 1 })]);
    await vi.waitUntil(() => tries.mock.calls.length > 2);
    other.exec("COMMIT");
    await committing;
    expect((await store.get("forms", ["a"])).size).toBe(1);
    // Nothing of the wait is left in the way of the next one.
    await store.commit([put("forms", "b", { n: 1 })]);
    expect((await store.get("forms", ["b"])).size).toBe(1);
  });

  it("a stale write in the middle of a commit takes back all of it", async () => {
    const store = libsqlStorage({ client: clientOf(crypto.randomUUID()) });
    await store.open();
    await store.commit([put("forms", "a", { n: 1 })]);
    const stale = store.commit([put("forms", "b", { n: 1 }), { ...put("forms", "a", { n: 2 }), expect: 7 } as never]);
    await expect(stale).rejects.toThrow(new StaleWriteError("forms", "a"));
    expect((await store.get("forms", ["b"])).size).toBe(0);
  });

  it("a closed client is a store that is down, and says what to check", async () => {
    const client = clientOf(crypto.randomUUID());
    const store = libsqlStorage({ client });
    await store.open();
    client.close();
    const failed = await store.get("forms", ["a"]).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreDownError);
    expect((failed as Error).message).toMatch(/check the client's url and token/);
  });
});

describe("libsqlStorage over HTTP, against a server as the protocol describes it", () => {
  for (const c of storageSuite) {
    it(c.name, async () => {
      const server = await hranaServer();
      onTestFinished(() => server.close());
      const client = createClient({ url: server.url });
      onTestFinished(() => client.close());
      await c.run(() => libsqlStorage({ client, timeoutMs: PATIENT_MS }));
    }, 300_000);
  }

  it("a commit is one request, whose failed expectation names its row", async () => {
    const server = await hranaServer();
    onTestFinished(() => server.close());
    const client = createClient({ url: server.url });
    onTestFinished(() => client.close());
    const store = libsqlStorage({ client });
    await store.open();
    const before = server.requests();
    await store.commit([put("forms", "a", { n: 1 }), put("forms", "b", { n: 1 })]);
    expect(server.requests()).toBe(before + 1);
    const stale = store.commit([put("forms", "c", { n: 1 }), { ...put("forms", "b", { n: 2 }), expect: 7 } as never]);
    await expect(stale).rejects.toThrow(new StaleWriteError("forms", "b"));
    expect((await store.get("forms", ["a", "b", "c"])).size).toBe(2);
  });

  it("two processes that add to one counter and expect one version at once: each increment counts, one change wins", async () => {
    const server = await hranaServer();
    onTestFinished(() => server.close());
    const stores = [1, 2].map(() => {
      const client = createClient({ url: server.url });
      onTestFinished(() => client.close());
      return libsqlStorage({ client, timeoutMs: PATIENT_MS });
    });
    for (const store of stores) await store.open();
    const [first] = stores as [StorageDriver];
    await first.commit([put("forms", "a", { n: 0 })]);
    const [version] = [...(await first.get("forms", ["a"])).values()].map((row) => row.version);
    const commits = Array.from({ length: 20 }, (_, n) => {
      const add: Write = { op: "add", id: "c", by: 3, at: time(n) };
      return stores[n % 2]!.commit([add, put("forms", "a", { n }, version)]);
    });
    const adding = Array.from({ length: 20 }, (_, n) =>
      stores[n % 2]!.commit([{ op: "add", id: "c", by: 1, at: time(n) }]),
    );
    const ended = await Promise.allSettled(commits);
    await Promise.all(adding);
    const won = ended.flatMap(({ status }, n) => (status === "fulfilled" ? [n] : []));
    expect(won).toHaveLength(1);
    for (const each of ended) if (each.status === "rejected") expect(each.reason).toBeInstanceOf(StaleWriteError);
    expect((await first.get("forms", ["a"])).get("a")?.value).toMatchObject({ n: won[0] });
    expect((await first.get("counters", ["c"])).get("c")?.value).toEqual({ n: 23, at: time(19) });
  });

  it("a server that is not there is a store that is down", async () => {
    const server = await hranaServer();
    const client = createClient({ url: server.url });
    onTestFinished(() => client.close());
    const store = libsqlStorage({ client });
    await store.open();
    await server.close();
    const failed = await store.commit([put("forms", "a", { n: 1 })]).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreDownError);
  });
});

describe("libsqlStorage names what it was given", () => {
  it("if that is no client", async () => {
    expect(() => libsqlStorage(undefined as never)).toThrow("`client` is undefined; pass createClient({ url })");
    expect(() => libsqlStorage({ client: {} as never })).toThrow("`client` is an object of the class Object");
    const handle = new Libsql(":memory:");
    onTestFinished(() => void handle.close());
    expect(() => libsqlStorage({ client: handle as never })).toThrow("which sqliteStorage({ database }) takes");
    const client = clientOf(crypto.randomUUID());
    const tx = await client.transaction("write");
    expect(() => libsqlStorage({ client: tx as never })).toThrow("`client` is a transaction");
    tx.close();
    expect(() => libsqlStorage({ client, prefix: "a b" })).toThrow("may contain only letters");
  });
});
