import type { Core } from "../core/core.ts";
import type { Row } from "../core/rows.ts";

/** Far more than one submission has: one for each webhook and recipient of its form. */
const MAX_JOBS = 1_000;

/** All deliveries of a submission, to webhooks and by email. */
export async function jobsOf(core: Core, submission_id: string): Promise<Row<"jobs">[]> {
  const partitions = [{ index: "submission", equals: { submission_id } }];
  return (await core.rows.page("jobs", { partitions, order: "asc", limit: MAX_JOBS })).rows;
}

/** A delivery that did not work: given up, or being tried again. */
export type Trouble = "failed" | "retrying";

/** Submissions of these with a delivery in trouble, and the worse of its states. Reads a few columns, no request and no answer. */
export async function troublesOf(core: Core, submissionIds: readonly string[]): Promise<Map<string, Trouble>> {
  const where = [{ column: "status", op: "in", value: ["failed", "retrying"] }] as const;
  const found = await Promise.all(
    submissionIds.map((submission_id) =>
      core.storage.page("jobs", {
        index: "submission",
        equals: { submission_id },
        where,
        order: "asc",
        limit: MAX_JOBS,
        columnsOnly: true,
      }),
    ),
  );
  const troubles = new Map<string, Trouble>();
  for (const [at, rows] of found.entries()) {
    if (rows.length === 0) continue;
    const failed = rows.some(({ value }) => value["status"] === "failed");
    troubles.set(submissionIds[at] as string, failed ? "failed" : "retrying");
  }
  return troubles;
}
