import type { Core } from "../../core/core.ts";
import { ignoreStale, put, type Row } from "../../core/rows.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { isEmail, sameAddressKey } from "../../lib/email.ts";
import { deliveryId } from "../../lib/id.ts";
import { block, moment } from "../../lib/leaves.ts";
import { DEFAULT_SERVER, type JobKind } from "../../model/jobs.ts";
import type { MarkId } from "../../model/marks.ts";
import { mailJob } from "../jobs/mail-job.ts";
import { suppressionId } from "../suppressions/service.ts";
import { cachedTeam } from "../teams/service.ts";

/** Mails that go to owners alone, whoever they are. */
const owners: ReadonlySet<JobKind> = new Set<JobKind>([
  "owner_email",
  "summary",
  "digest",
  "forward",
  "webhook_notice",
  "plan_notice",
  "bounce_notice",
]);

interface Told {
  expires_at: string;
}
const toldLeaf = block<Told>({ expires_at: moment() });

/**
 * Tells another owner of the team that the address of one takes no mail: whoever reads there misses submissions and does not
 * know. Once a day for one address. Nobody is told where there is no other address that takes mail.
 */
export async function tellAnotherOwner(
  core: Core,
  { value: { team_id, form_id, kind } }: Row<"jobs">,
  email: string,
  reason: string,
): Promise<void> {
  const form = form_id === "" ? null : await core.rows.get("forms", form_id);
  const owner = (await cachedTeam(core, team_id))?.value.owner.email;
  const all = [...(owner ? [owner] : []), ...(form?.value.self_email_notification.recipients ?? [])].filter(isEmail);
  const isOther = (address: string): boolean => sameAddressKey(address) !== sameAddressKey(email);
  if (!owners.has(kind) && all.every(isOther)) return;
  const others = all.filter(isOther);
  const suppressed = await core.rows.many(
    "suppressions",
    others.map((address) => suppressionId(team_id, address)),
  );
  const to = others.find((address) => !suppressed.has(suppressionId(team_id, address)));
  if (to === undefined) return;

  const now = core.clock.now();
  const mark: MarkId = `owner-bounce:${suppressionId(team_id, email)}`;
  const told = await core.rows.mark(mark, toldLeaf);
  if (told && Date.parse(told.value.expires_at) > now) return;
  const value: Told = { expires_at: iso(now + DAY_MS) };
  await core
    .commitNow([
      put("marks", mark, value, told?.version ?? null),
      mailJob(core, deliveryId(now), core.storeClock.now(), {
        kind: "bounce_notice",
        target: DEFAULT_SERVER,
        to,
        form_id,
        team_id,
        event: "owner.bounced",
        bounce: { email, reason: reason.slice(0, 500).toWellFormed() },
      }),
    ])
    .catch(ignoreStale);
  core.queue.wake("email");
}
