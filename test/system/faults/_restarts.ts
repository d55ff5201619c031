import { expect } from "vitest";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { runs } from "../../_support/runs.ts";
import { loadedBackend } from "./_load.ts";
import { pause } from "./_workers.ts";

export const RESTARTS = 4;
const SUBMISSIONS = runs(1_000, 2_000);

/** A server crashes and starts again, several times under load: nothing accepted is lost or doubled. */
export async function survivesRestarts(storage: StorageDriver, server: { crash(): Promise<void> }): Promise<void> {
  const own = loadedBackend(storage);
  await own.form();
  let done = false;
  const loading = own.load(SUBMISSIONS, 16).finally(() => {
    done = true;
  });
  const recoveries: number[] = [];
  for (let restart = 0; restart < RESTARTS && !done; restart++) {
    await pause(150);
    await server.crash();
    recoveries.push(Math.round(await own.recovery(SUBMISSIONS + restart)));
  }
  const { accepted, statuses } = await loading;
  console.log(
    `F3, ${recoveries.length} immediate restarts: back after ${recoveries.join(", ")} ms; answers ${JSON.stringify([...statuses])}`,
  );
  expect(recoveries).toHaveLength(RESTARTS);
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const stored = await own.stored();
  expect(stored.size).toBe(SUBMISSIONS + RESTARTS);
  for (const [n, id] of accepted) expect(stored.get(String(n)), `submission ${n}`).toEqual([id]);
  await own.backend.close();
}
