import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { job, padded, submission, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";

/** 20,000 submissions and as many jobs, of which none is due. */
export function rows(): Write[] {
  const fields = [{ key: "plan", value: "pro" }];
  const submissions = Array.from({ length: 20_000 }, (_, i) =>
    submission(padded(i), i, { form_id: `f${i % 3}`, team_id: `t${i % 2}`, spam: i % 5 === 0, fields }),
  );
  const jobs = Array.from({ length: 20_000 }, (_, i) =>
    job(padded(i), null, {
      target: `w${i % 20}`,
      form_id: i % 16 === 7 ? "rare" : `f${i % 3}`,
      submission_id: padded(i),
      occurred_at: time(i),
      created_at: time(i),
      status: i % 8 === 7 ? "failed" : "succeeded",
    }),
  );
  return [...submissions, ...jobs];
}

/** A thousand due jobs of one target. */
export const flood = (): Write[] =>
  Array.from({ length: 1_000 }, (_, i) => job(`due${padded(i)}`, i, { target: "dead", lane: "webhook" }));

const after = { sort: time(9_000), id: padded(9_000) };
export const form = { form_id: "f1" };
/** Pages that the backend asks for, and the index that each has to come from. */
export const pages: [name: string, index: string, collection: string, query: Parameters<StorageDriver["page"]>[1]][] = [
  [
    "the newest page, merged of inbox and spam",
    "submissions_form_spam",
    "submissions",
    { index: "form", equals: form, order: "desc", limit: 26 },
  ],
  [
    "a deep page",
    "submissions_form_spam",
    "submissions",
    { index: "form", equals: form, order: "desc", limit: 26, after },
  ],
  [
    "the spam page",
    "submissions_form_spam",
    "submissions",
    { index: "form_spam", equals: { ...form, spam: true }, order: "desc", limit: 26 },
  ],
  [
    "the 2,000 newest of the field statistics",
    "submissions_form_spam",
    "submissions",
    { index: "form_spam", equals: { ...form, spam: false }, order: "desc", limit: 2_000 },
  ],
  [
    "what was updated since",
    "submissions_form_updated",
    "submissions",
    {
      index: "form_updated",
      equals: form,
      order: "asc",
      limit: 26,
      where: [{ column: "updated_at", op: "gte", value: time(19_000) }],
    },
  ],
  [
    "a team's page",
    "submissions_team_spam",
    "submissions",
    { index: "team", equals: { team_id: "t1" }, order: "desc", limit: 26 },
  ],
  [
    "the delivery log, merged of its statuses",
    "jobs_target_status",
    "jobs",
    { index: "target", equals: { target: "w7" }, order: "desc", limit: 26 },
  ],
  [
    "the delivery log of one status",
    "jobs_target_status",
    "jobs",
    { index: "target_status", equals: { target: "w7", status: "failed" }, order: "desc", limit: 26, after },
  ],
  [
    "the deliveries of one status of all forms",
    "jobs_status",
    "jobs",
    { index: "status", equals: { status: "failed" }, order: "desc", limit: 101 },
  ],
  [
    "the deliveries of a status that none has",
    "jobs_status",
    "jobs",
    { index: "status", equals: { status: "retrying" }, order: "desc", limit: 101 },
  ],
  [
    "the deliveries of one status of a form",
    "jobs_form_status",
    "jobs",
    { index: "form_status", equals: { form_id: "rare", status: "failed" }, order: "desc", limit: 101 },
  ],
  [
    "the deliveries of a rare status since a time",
    "jobs_status",
    "jobs",
    {
      index: "status",
      equals: { status: "retrying" },
      order: "desc",
      limit: 101,
      where: [{ column: "created_at", op: "gte", value: time(19_000) }],
    },
  ],
  [
    "the deliveries of a submission",
    "jobs_submission",
    "jobs",
    { index: "submission", equals: { submission_id: padded(7) }, order: "asc", limit: 99 },
  ],
  [
    "a page with conditions",
    "submissions_form_spam",
    "submissions",
    {
      index: "form",
      equals: form,
      order: "desc",
      limit: 26,
      where: [
        { field: "plan", op: "eq", value: "pro" },
        { column: "country", op: "in", value: [null] },
      ],
    },
  ],
];
