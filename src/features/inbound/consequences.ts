import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { deliveryId } from "../../lib/id.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { linkExpiry } from "../files/links.ts";
import { senderOf, viaOf } from "../mail/sender.ts";
import { jobWrite } from "../webhooks/new-job.ts";

const EVENT = "message.received";

/** The jobs of a mail that came in: its webhooks, and a copy to each recipient of the form. They go where its submission went. */
export async function consequences(
  core: Core,
  form: Row<"forms">,
  { routed_to: routed }: Pick<SubmissionRecord, "routed_to">,
  message_id: string,
  { team_id, submission_id }: MessageRecord,
): Promise<Write[]> {
  const { webhooks, self_email_notification: mail } = form.value;
  const links_expire_at = iso(linkExpiry(core));
  const given = { form_id: form.id, team_id, submission_id, event: EVENT, message_id, links_expire_at } as const;
  const at = core.storeClock.now();
  const add = (more: Pick<Parameters<typeof jobWrite>[3], "kind" | "target" | "to">): Write =>
    jobWrite(core, deliveryId(core.clock.now()), at, { ...given, ...more });
  const target = mail.enabled ? viaOf(await senderOf(core, form.value, "owner_email", core.rows.get)) : "";
  const isWebhook = (id: string): boolean => !routed || routed.webhooks.includes(id);
  const addressees = routed && new Set([...routed.recipients, ...routed.cc, ...routed.bcc].map(sameAddressKey));
  const isAddressee = (to: string): boolean => !addressees || addressees.has(sameAddressKey(to));
  return [
    ...webhooks
      .filter(({ id, events, enabled }) => enabled && events.includes(EVENT) && isWebhook(id))
      .map(({ id }) => add({ kind: "webhook", target: id })),
    ...(mail.enabled ? mail.recipients.filter(isAddressee).map((to) => add({ kind: "forward", target, to })) : []),
  ];
}
