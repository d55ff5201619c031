import { describe, expect, it } from "vitest";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { runs } from "../../../_support/runs.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

const workerd = startWorkerd(await bundleWorker({ file: "test/services/surfaces/cloudflare/_teams-site.ts" }), {
  durableObjects: { FORMS: { className: "Forms", useSQLite: true } },
  kvNamespaces: ["DIRECTORY"],
} as never);
atEndOfFile(() => workerd.dispose().catch(() => {}));
const fetch = async (path: string, init: RequestInit = {}): Promise<Response> =>
  (await workerd.dispatchFetch(`http://site.test${path}`, init as never)) as unknown as Response;
const json = async <T>(path: string): Promise<T> => (await (await fetch(path)).json()) as T;

/** Does something for each, twenty at a time. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return results;
}

describe("an object for each team", () => {
  const teams = Array.from({ length: runs(60, 1_000) }, (_, n) => `team-${n}`);

  it(`serves ${teams.length} teams: a post names its form alone, and each object has what is its own`, async () => {
    const forms = await each(teams, (team) => json<{ id: string }>(`/signup?team=${team}`));
    const statuses = await each([...forms, ...forms], async ({ id }) => {
      const response = await fetch(`/forms/f/${id}`, {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
        body: "message=hello",
      });
      await response.arrayBuffer();
      return response.status;
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    const kept = await each(teams, (team) => json(`/posts?team=${team}`));
    expect(kept).toEqual(teams.map((team) => ({ forms: [`Form of ${team}`], counts: [2] })));
  }, 900_000);

  it("refuses calls that name no team, and serves its own pages", async () => {
    for (const path of ["/forms/v1/teams", "/forms/v1/forms", "/forms/f/unknown"]) {
      const response = await fetch(path);
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: expect.objectContaining({
            code: "invalid_parameter",
            message: expect.stringContaining("there is no call over the forms of all objects"),
          }),
        },
      ]);
    }
    expect(await (await fetch("/")).text()).toBe("page");
    const named = await fetch("/forms/v1/forms", { headers: { "x-team": "team-1" } });
    expect(named.status).toBe(401);
    await named.arrayBuffer();
  }, 300_000);
});
