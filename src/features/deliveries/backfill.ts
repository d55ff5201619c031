import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { type Row, retrying } from "../../core/rows.ts";
import { iso } from "../../lib/clock.ts";
import type { Backfilled, BackfillInput } from "../../model/backfill.ts";
import { isService } from "../../model/destinations.ts";
import { BATCH_LANE, jobKinds } from "../../model/jobs.ts";
import { isHeldBack } from "../../model/submission-record.ts";
import type { WebhookRecord } from "../../model/webhooks.ts";
import { linkExpiry } from "../files/links.ts";
import { webhookOf } from "../forms/webhooks.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { jobWrite } from "../webhooks/new-job.ts";

const MAX_QUEUED = 10_000;
const BATCH = 200;
const AT_ONCE = 20;
const TRIES = 20;
/** Submissions and webhooks may get their times from different clocks. */
const SKEW_MS = 60_000;

/**
 * Queues a delivery of each submission in the inbox that a webhook has none of, oldest first, even if the webhook is disabled.
 * Neither spam nor what came beyond the plan's month is sent, and the form's routing is not asked. At most 10,000 a call;
 * `has_more` tells the caller to repeat it. Throws `webhook_not_found`.
 */
export async function backfill(
  core: Core,
  form: Row<"forms">,
  webhookId: string,
  { created_after }: BackfillInput,
): Promise<Backfilled> {
  const webhook = webhookOf(form.value, webhookId);
  const walk = core.rows.walk("submissions", {
    index: "form_spam",
    equals: { form_id: form.id, spam: false },
    where: created_after === undefined ? [] : [{ column: "created_at", op: "gte", value: created_after }],
    limit: BATCH,
  });
  let queued = 0;
  for await (const rows of walk) {
    const room = MAX_QUEUED - queued;
    const { made, left } = await retrying(() => queueSome(core, form, webhook, rows, room), TRIES);
    queued += made;
    if (made > 0) core.queue.wake(laneOf(webhook));
    if (left) return { queued, has_more: true };
  }
  return { queued, has_more: false };
}

const laneOf = ({ format }: WebhookRecord): string => (isService(format) ? BATCH_LANE : jobKinds.webhook.lane);

/** Queues those of a page that have no delivery yet, in one transaction. `left` is true where there was no room for one. */
async function queueSome(
  core: Core,
  form: Row<"forms">,
  webhook: WebhookRecord,
  rows: readonly Row<"submissions">[],
  room: number,
): Promise<{ made: number; left: boolean }> {
  const wanted = await withoutDelivery(core, webhook, rows);
  const at = core.storeClock.now();
  const links_expire_at = iso(linkExpiry(core));
  const writes = wanted.slice(0, room).map((row) =>
    jobWrite(core, idOf(webhook, row), at, {
      kind: "webhook",
      lane: laneOf(webhook),
      target: webhook.id,
      form_id: form.id,
      team_id: form.value.team_id,
      submission_id: row.id,
      event: "submission.created",
      links_expire_at,
      forced: true,
    }),
  );
  if (writes.length > 0) await core.commitNow(writes);
  return { made: writes.length, left: wanted.length > room };
}

async function withoutDelivery(
  core: Core,
  webhook: WebhookRecord,
  rows: readonly Row<"submissions">[],
): Promise<Row<"submissions">[]> {
  // Imported ones count for no month, and only the host imports.
  const sendable = rows.filter(({ value }) => !isHeldBack(value));
  const filled = await core.rows.many(
    "jobs",
    sendable.map((row) => idOf(webhook, row)),
  );
  const open = sendable.filter((row) => !filled.has(idOf(webhook, row)));
  // Before there was the webhook, a submission got no delivery for it by itself.
  const since = Date.parse(webhook.created_at) - SKEW_MS;
  const wanted: Row<"submissions">[] = [];
  for (let from = 0; from < open.length; from += AT_ONCE) {
    const some = open.slice(from, from + AT_ONCE);
    const had = await Promise.all(
      some.map(async ({ id, value }) =>
        Date.parse(value.created_at) < since
          ? false
          : (await jobsOf(core, id)).some(({ value: job }) => job.kind === "webhook" && job.target === webhook.id),
      ),
    );
    wanted.push(...some.filter((_, index) => !had[index]));
  }
  return wanted;
}

/**
 * The id of a delivery that is queued afterwards. It follows from the webhook and the submission, so two calls at once queue it
 * once, and it grows with the submission's time, so the oldest is sent first.
 */
function idOf({ id: webhookId }: WebhookRecord, { id, value }: Row<"submissions">): string {
  const time = Date.parse(value.created_at).toString(16).padStart(12, "0");
  return `msg_${time}${createHash("sha256").update(`${webhookId} ${id}`).digest("hex").slice(0, 12)}`;
}
