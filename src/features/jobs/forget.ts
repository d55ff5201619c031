import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { addresseeOf, type JobKind, type JobRecord } from "../../model/jobs.ts";
import { jobsOf } from "./of-submission.ts";

/** Mails to the visitor's address. */
const visitors: ReadonlySet<JobKind> = new Set<JobKind>(["auto_response", "confirmation"]);

/**
 * The writes that take the words of receivers and mail servers out of the deliveries of a submission that is removed: they may
 * repeat the post. An attempt under way loses its lease, so that its result brings no new ones. The commit throws
 * `StaleWriteError` where a delivery has changed since.
 */
export async function withoutWords(core: Core, submission_id: string): Promise<Write[]> {
  return writesOf(await jobsOf(core, submission_id), wordless);
}

/** The same, and the visitor's address. */
export async function withoutAddress(core: Core, submission_id: string): Promise<Write[]> {
  return writesOf(await jobsOf(core, submission_id), (job) => {
    const bare = wordless(job) ?? job;
    if (!visitors.has(job.kind) || addresseeOf(job) === "") return bare === job ? null : bare;
    return { ...bare, to: "", target: "", due_at: null };
  });
}

/** Takes the words of receivers and mail servers out of all deliveries of a form. */
export async function forgetWordsOf(core: Core, form_id: string): Promise<void> {
  for await (const rows of core.rows.walk("jobs", { index: "form", equals: { form_id } })) {
    let current: readonly Row<"jobs">[] = rows;
    await retrying(async () => {
      const writes = writesOf(current, wordless);
      if (writes.length === 0) return;
      await core.commitNow(writes).catch(async (error: unknown) => {
        const ids = rows.map(({ id }) => id);
        current = [...(await core.rows.many("jobs", ids)).values()];
        throw error;
      });
    });
  }
}

const writesOf = (rows: readonly Row<"jobs">[], changed: (job: JobRecord) => JobRecord | null): Write[] =>
  rows.flatMap(({ id, version, value }) => {
    const next = changed(value);
    return next ? [put("jobs", id, next, version)] : [];
  });

/** The delivery without words of others; null if it has none and can get none. */
function wordless(job: JobRecord): JobRecord | null {
  const { message, attempts, result, again: _, ...rest } = job;
  const hasWords = [message, result?.message, ...(attempts ?? []).map((attempt) => attempt.message)].some(Boolean);
  if (!hasWords && !job.leased) return null;
  return {
    ...rest,
    ...(attempts && { attempts: attempts.map(silent) }),
    ...(result && { result: silent(result) }),
  };
}

const silent = <T extends { readonly message?: string | undefined }>({ message: _, ...rest }: T): Omit<T, "message"> =>
  rest;
