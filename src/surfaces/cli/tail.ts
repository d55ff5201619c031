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
  const unseen = async (): Promise<Submission[]> => {
    const created_after = newest === 0 ? undefined : new Date(newest - LATE_MS).toISOString();
    const rows: Submission[] = [];
    for await (const row of client.listSubmissions.all({ ...filters, created_after, order: "asc" }, { signal })) {
      const at = Date.parse(row.created_at);
      newest = Math.max(newest, at);
      if (!seen.has(row.id)) rows.push(row);
      seen.set(row.id, at);
    }
    for (const [id, at] of seen) if (at < newest - 2 * LATE_MS) seen.delete(id);
    return rows;
  };
  try {
    const { data } = await client.listSubmissions({ ...filters, limit: 1 }, { signal });
    newest = data[0] ? Date.parse(data[0].created_at) : 0;
    if (newest > 0) await unseen();
    for (let down = false; ; ) {
      await sleep(EVERY_MS);
      try {
        yield* await unseen();
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
