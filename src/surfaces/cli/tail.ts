import { ApiError, type Client, type Item } from "../client/index.ts";
import type { Io } from "./io.ts";

type Submission = Item<"listSubmissions">;
type Filters = { form_id: string; status?: "inbox" | "spam" | "all" | "pending" };

const EVERY_MS = 2_000;
/** A submission may become visible this long after its time: clocks of several processes differ, and commits take a while. */
const LATE_MS = 60_000;

/**
 * The submissions that come in from now on, oldest first, each once, until the signal aborts. Times are the server's own. An
 * outage is told once to `problem`, and the search goes on.
 */
export async function* followed(
  client: Client,
  filters: Filters,
  { sleep, signal }: Pick<Io, "sleep" | "signal">,
  problem: (error: Error) => void,
): AsyncGenerator<Submission, void> {
  const seen = new Map<string, number>();
  let newest = 0;
  // One by one: after a page that fails, those before it are told and noted.
  async function* unseen(): AsyncGenerator<Submission, void> {
    const created_after = newest === 0 ? undefined : new Date(newest - LATE_MS).toISOString();
    for await (const row of client.listSubmissions.all({ ...filters, created_after, order: "asc" }, { signal })) {
      const at = Date.parse(row.created_at);
      newest = Math.max(newest, at);
      if (seen.has(row.id)) continue;
      seen.set(row.id, at);
      yield row;
    }
    for (const [id, at] of seen) if (at < newest - 2 * LATE_MS) seen.delete(id);
  }
  try {
    const { data } = await client.listSubmissions({ ...filters, limit: 1 }, { signal });
    newest = data[0] ? Date.parse(data[0].created_at) : 0;
    if (newest > 0) for await (const _ of unseen());
    for (let down = false; ; ) {
      await sleep(EVERY_MS);
      try {
        yield* unseen();
        down = false;
      } catch (error) {
        const passes = error instanceof ApiError && (error.status === 429 || error.status >= 500);
        if (!passes) throw error;
        if (!down) problem(error);
        down = true;
      }
    }
  } catch (error) {
    // Ctrl-C is the way to end it.
    if (!signal.aborted) throw error;
  }
}
