import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "srvx/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { fault, type Submitted, submitted } from "./_submissions.ts";

/** A backend whose reads of submissions wait for `open()`. */
async function gated(): Promise<Submitted & { open(): void; waiting(n: number): Promise<void> }> {
  const memory = memoryStorage();
  let open = (): void => {};
  let gate: Promise<void> | null = null;
  let entered = 0;
  const wait = async (collection: string): Promise<void> => {
    if (collection !== "submissions" || !gate) return;
    entered++;
    await gate;
  };
  const storage: StorageDriver = {
    ...memory,
    page: (collection, query) => wait(collection).then(() => memory.page(collection, query)),
    count: (collection, query) => wait(collection).then(() => memory.count(collection, query)),
  };
  const b = await submitted({ storage });
  for (let i = 0; i < 60; i++) await b.submitted({ n: String(i) });
  gate = new Promise((resolve) => {
    open = () => {
      gate = null;
      resolve();
    };
  });
  return Object.assign(b, {
    open: () => open(),
    async waiting(n: number) {
      while (entered < n) await new Promise((resolve) => setImmediate(resolve));
    },
  });
}

describe("429 scan_concurrency", () => {
  it("more than 2 filtered submission requests running at once per key: list, count, export, all forms alike", async () => {
    const b = await gated();
    const path = `/v1/forms/${b.id}/submissions`;
    const running = [b.list("?q=1"), b.call("GET", `${path}/count?field[n][eq]=1`)];
    await b.waiting(2);
    for (const third of [
      `${path}?q=1`,
      `${path}?field[n][exists]=true`,
      `${path}/count?q=1`,
      `${path}/export?format=ndjson&q=1`,
      "/v1/submissions?q=1",
    ]) {
      const answer = await b.call("GET", third);
      expect(fault(answer), third).toEqual([429, "scan_concurrency", undefined]);
      expect(answer.json.error.type).toBe("rate_limit_error");
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    b.open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await b.list("?q=1")).status).toBe(200);
  });

  it("counts filtered requests only, each credential for itself, and not the host in process", async () => {
    const b = await gated();
    const running = [b.list("?q=1"), b.list("?q=2")];
    await b.waiting(2);
    const other = await b.keyWith("all");
    const free = [
      b.list(),
      b.list("?read=false&country=DE"),
      b.list("?q=1", other),
      b.submissions.list(b.id, { q: "1" }),
    ];
    await b.waiting(6);
    b.open();
    await Promise.all(running);
    expect((await Promise.all(free.slice(0, 3))).map((answer) => "status" in answer && answer.status)).toEqual([
      200, 200, 200,
    ]);
    expect((await b.submissions.list(b.id, { q: "59" })).data).toHaveLength(1);
  });

  it("runs one statement of a team at a time, and those of others beside it", async () => {
    const memory = memoryStorage();
    const running: Record<string, number> = {};
    const most: Record<string, number> = {};
    /** Kept until both teams have begun, so that it is no chance whether they meet. */
    const begun: Record<string, () => void> = {};
    let met: Promise<unknown> = Promise.resolve();
    const storage: StorageDriver = {
      ...memory,
      page: (collection, query) => {
        const { inTurn, equals } = query;
        if (collection !== "submissions" || !inTurn) return memory.page(collection, query);
        const whose = String(equals.form_id);
        return inTurn(async () => {
          running[whose] = (running[whose] ?? 0) + 1;
          most[whose] = Math.max(most[whose] ?? 0, running[whose]);
          begun[whose]?.();
          await met;
          for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
          running[whose]--;
          return memory.page(collection, query);
        });
      },
    };
    const b = await submitted({ storage });
    await b.teams.create({ id: "other", name: "Other" });
    const other = await b.forms.create({ name: "Other" }, { team_id: "other" });
    const keys = [b.key, await b.keyWith("all"), await b.keyWith("all")];
    const { key: theirs } = await b.keys.create({ name: "Theirs", scopes: "all", team_id: "other" });
    met = Promise.all([b.id, other.id].map((id) => new Promise<void>((resolve) => (begun[id] = resolve))));
    const answers = await Promise.all([
      ...keys.flatMap((key) => [b.list("?q=1", key), b.list("?q=2", key)]),
      b.call("GET", `/v1/forms/${other.id}/submissions?q=1`, { key: theirs }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
    expect(most).toEqual({ [b.id]: 1, [other.id]: 1 });
  });

  it("gives its place back when a request is refused or fails", async () => {
    const memory = memoryStorage();
    let failing = false;
    const broken = (collection: string): boolean => failing && collection === "submissions";
    const b = await submitted({
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      storage: {
        ...memory,
        page: (...args) => (broken(args[0]) ? Promise.reject(new Error("down")) : memory.page(...args)),
        count: (...args) => (broken(args[0]) ? Promise.reject(new Error("down")) : memory.count(...args)),
      },
    });
    const path = `/v1/forms/${b.id}/submissions`;
    for (let i = 0; i < 3; i++) expect((await b.list("?q=1&cursor=x")).status).toBe(400);
    failing = true;
    for (const bad of [`${path}?q=1`, `${path}/count?q=1`, `${path}/export?format=csv&q=1`]) {
      for (let i = 0; i < 3; i++) expect((await b.call("GET", bad)).status, bad).toBe(503);
    }
    failing = false;
    expect((await b.list("?q=1")).status).toBe(200);
  });

  it("an export holds its place until its stream ends or is canceled", async () => {
    const b = await submitted();
    for (let i = 0; i < 60; i++) await b.submitted({ n: "1" });
    const open = (format: string): Promise<Response> =>
      b.fetch(
        new Request(`${b.baseUrl}/v1/forms/${b.id}/submissions/export?format=${format}&q=1`, {
          headers: { authorization: `Bearer ${b.key}` },
        }),
      );
    const read = await open("csv");
    const cancelled = await open("ndjson");
    expect((await open("json")).status).toBe(429);
    expect((await b.list("?q=1")).status).toBe(429);
    await cancelled.body?.cancel();
    const untouched = await open("json");
    expect(untouched.status).toBe(200);
    expect((await b.list("?q=1")).status).toBe(429);
    expect((await read.text()).split("\r\n")).toHaveLength(62);
    expect((await b.list("?q=1")).status).toBe(200);
    await untouched.body?.cancel();
    expect((await b.call("HEAD", `/v1/forms/${b.id}/submissions/export?format=csv&q=1`)).status).toBe(200);
    const again = [await open("json"), await open("json")];
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(again.map((response) => response.body?.cancel()));
  });

  it("an export gives its place back when the client goes away", async () => {
    const b = await submitted();
    for (let i = 0; i < 400; i++) await b.submit(b.id, { fields: { n: `1${"x".repeat(60_000)}` } });
    const server = createServer(toNodeHandler((request) => b.fetch(request)) as never);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/forms/v1/forms/${b.id}/submissions/export?format=ndjson&q=1`;
    const aborts = [new AbortController(), new AbortController()];
    for (const { signal } of aborts) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${b.key}` }, signal });
      await response.body?.getReader().read();
    }
    expect((await b.list("?q=1")).status).toBe(429);
    for (const abort of aborts) abort.abort();
    await vi.waitFor(async () => expect((await b.list("?q=1")).status).toBe(200), { timeout: 15_000 });
    expect((await Promise.all([b.list("?q=1"), b.list("?q=1")])).map((answer) => answer.status)).toEqual([200, 200]);
  });
});
