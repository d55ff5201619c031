import { expect, it, onTestFinished } from "vitest";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { proxyTo, type TcpProxy } from "../../_support/proxy.ts";
import { type Loaded, type LoadResult, loadedBackend } from "./_load.ts";

export const CLIENTS = 16;

/** Everything accepted is stored once, under the id that was answered. */
export async function expectNothingLost(loaded: Loaded, { accepted }: LoadResult): Promise<void> {
  const stored = await loaded.stored();
  const expected = [...accepted].map(([n, id]) => [String(n), [id]] as const);
  expect(new Map([...stored].filter(([n]) => accepted.has(Number(n))))).toEqual(new Map(expected));
}

/** A backend over a store that is closed with the test. */
export function loaded(storage: StorageDriver): Loaded {
  const made = loadedBackend(storage);
  onTestFinished(() => made.backend.close({ graceMs: 100 }));
  return made;
}

/** A server behind a line that can be cut. */
export async function proxied(server: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(server);
  const usual = url.protocol === "mysql:" ? 3306 : 5432;
  const proxy = await proxyTo(url.hostname, Number(url.port || usual));
  onTestFinished(() => proxy.close());
  Object.assign(url, { hostname: "127.0.0.1", port: String(proxy.port) });
  return { proxy, url: url.href };
}

const milliseconds = (refused: readonly { ms: number }[]): number =>
  Math.round(Math.max(...refused.map(({ ms }) => ms)));

/** The outages of the line to any server. `open` makes a store with a pool of its own over a URL. */
export function outageCases(server: string, open: (url: string) => StorageDriver): void {
  it("is cut off and comes back: 503 at once, and no restart", async () => {
    const { proxy, url } = await proxied(server);
    const own = loaded(open(url));
    expect((await own.post(0)).status).toBe(200);
    await proxy.cut();
    const refused = await Promise.all(Array.from({ length: 32 }, (_, n) => own.post(n + 1)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(own.errors.join("\n")).toMatch(/storage (\w+): .*\1: the (connection failed|server can't be reached)/);
    await proxy.restore();
    const took = await own.recovery(1);
    console.log(`F3, network cut: 503 within ${milliseconds(refused)} ms, back after ${Math.round(took)} ms`);
    expect(took).toBeLessThan(15_000);
    await expectNothingLost(own, await own.load(50, CLIENTS));
  });

  it("goes silent behind connections that stay open: 503 in time, and no restart", async () => {
    const { proxy, url } = await proxied(server);
    const own = loaded(open(url));
    // Many connections, so that many are half open afterwards.
    const before = await own.load(200, 64);
    proxy.silence();
    const refused = await Promise.all(Array.from({ length: 32 }, (_, n) => own.post(1_000 + n)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(own.errors.join("\n")).toMatch(
      /the server did not answer within 4000 ms|no connection (in time|within 4000 ms)/,
    );
    await proxy.restore();
    const took = await own.recovery(1_000);
    console.log(`F3, half open: 503 within ${milliseconds(refused)} ms, back after ${Math.round(took)} ms`);
    expect(milliseconds(refused)).toBeLessThan(15_000);
    expect(took).toBeLessThan(15_000);
    await expectNothingLost(own, before);
  });

  it("is not there at the start, and is used as soon as it is", async () => {
    const { proxy, url } = await proxied(server);
    await proxy.cut();
    const own = loaded(open(url));
    const request = () =>
      own.backend.fetch(new Request("http://localhost/forms/v1/me", { headers: { authorization: "Bearer x" } }));
    expect((await request()).status).toBe(503);
    expect(own.errors.join("\n")).toMatch(/the server can't be reached; make sure it is running/);
    await proxy.restore();
    expect((await request()).status).toBe(401);
  });
}

/** Kills connections again and again while `own` takes posts; answers what came of them, and how many were killed. */
export async function killedUnderLoad(
  own: Loaded,
  total: number,
  kill: () => Promise<number>,
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  await own.form();
  let killed = 0;
  let loading = true;
  const killer = (async () => {
    for (let before = -1; loading; await pause(25)) {
      // A busy machine would otherwise end each connection before it has done any work.
      if (own.accepted() === before) continue;
      before = own.accepted();
      killed += await kill();
    }
  })();
  const result = await own.load(total, CLIENTS);
  loading = false;
  await killer;
  const statuses = JSON.stringify([...result.statuses]);
  console.log(`F3, ${killed} connections killed: ${statuses}, slowest ${Math.round(result.slowestMs)} ms`);
  expect(killed).toBeGreaterThan(50);
  expect([...result.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await expectNothingLost(own, result);
}

/** `take` takes all connections of the host's pool of two, and answers how to give them back. */
export async function exhausted(storage: StorageDriver, take: () => Promise<() => void>): Promise<void> {
  const own = loaded(storage);
  expect((await own.post(0)).status).toBe(200);
  const giveBack = await take();
  expect((await own.post(1)).status).toBe(503);
  expect(own.errors.join("\n")).toMatch(/no connection within 500 ms: .*all of the pool are taken \(raise its `max`/);
  giveBack();
  await own.recovery(1);
}
