import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { poolOf } from "../../../../src/drivers/storage/_postgres/clients.ts";
import { type Connections, createConnections } from "../../../../src/drivers/storage/_sql/pool.ts";

/** Statements and where they ran, as `sql` of postgres.js runs them; those in `held` wait until they are let go. */
let ran: string[] = [];
let held = new Map<string, () => void>();
beforeEach(() => {
  ran = [];
  held = new Map();
});

function setUp(holds: string): Connections {
  const run = (where: string) => async (text: string) => {
    ran.push(`${where}: ${text}`);
    if (text === holds) await new Promise<void>((resolve) => held.set(text, resolve));
    return [];
  };
  const sql = {
    unsafe: run("outside"),
    async begin(_mode: string, work: (tx: object) => Promise<void>) {
      if (holds === "BEGIN") await new Promise<void>((resolve) => held.set("BEGIN", resolve));
      ran.push("BEGIN");
      await work({ unsafe: run("inside") }).then(
        () => ran.push("COMMIT"),
        (error: unknown) => {
          ran.push("ROLLBACK");
          throw error;
        },
      );
    },
    options: { max: 2 },
  };
  return createConnections(poolOf(sql), {
    ...{ store: "postgres", timeoutMs: 1, isCut: () => false, explain: (error: unknown) => error },
  });
}

async function letGo(text: string): Promise<void> {
  held.get(text)?.();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

it("a transaction that took too long runs none of its other statements, neither inside nor outside", async () => {
  const connections = setUp("first");
  const late = connections.transaction(["BEGIN"], async (ask) => {
    await ask("first");
    await ask("second");
  });
  await expect(late).rejects.toThrow("did not answer within 1 ms");
  await letGo("first");
  expect(ran).toEqual(["BEGIN", "inside: first", "ROLLBACK"]);
});

it("a transaction that begins too late is rolled back at once", async () => {
  const connections = setUp("BEGIN");
  const late = connections.transaction(["BEGIN"], (ask) => ask("first"));
  await expect(late).rejects.toThrow("did not answer within 1 ms");
  expect(ran).toEqual([]);
  await letGo("BEGIN");
  expect(ran).toEqual(["BEGIN", "ROLLBACK"]);
});

it("a transaction in time is committed, and its connection is of use for statements of their own", async () => {
  const connections = setUp("");
  await connections.transaction(["BEGIN"], (ask) => ask("first"), 60_000);
  expect(ran).toEqual(["BEGIN", "inside: first", "COMMIT"]);
  await connections.transaction([], (ask) => ask("second"), 60_000);
  expect(ran.slice(3)).toEqual(["outside: second"]);
});
