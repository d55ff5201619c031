import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { InboundMail } from "../../model/inbound.ts";
import { submissionOfAddress } from "../messages/address-token.ts";
import { messageKey } from "../messages/thread.ts";
import { facing } from "../teams/face.ts";

/** The most Message-IDs of a mail that are looked up. */
const MOST = 20;

/** The submission that a mail answers: by the address that it was sent to, otherwise by the Message-IDs that it names. */
export async function submissionFor(
  core: Core,
  { recipients, answers }: InboundMail,
): Promise<Row<"submissions"> | null> {
  for (const address of recipients) {
    const id = submissionOfAddress(core, address);
    const row = id === null ? null : await core.rows.get("submissions", id);
    if (row) return row;
  }
  for (const messageId of answers.slice(0, MOST)) {
    const id = await named(core, messageId);
    const row = id === null ? null : await core.rows.get("submissions", id);
    if (row) return row;
  }
  return null;
}

async function named(core: Core, messageId: string): Promise<string | null> {
  const partitions = [{ index: "message_key", equals: { message_key: messageKey(messageId) } }];
  const [message] = (await core.rows.page("messages", { partitions, order: "desc", limit: 1 })).rows;
  return message?.value.submission_id ?? (await jobOf(core, messageId))?.value.submission_id ?? null;
}

/** The email job of a mail of ours, by its Message-ID. */
export async function jobOf(core: Core, messageId: string): Promise<Row<"jobs"> | null> {
  const [id = "", host] = messageId.replace(/^<|>$/g, "").split(/@(?=[^@]*$)/);
  if (host === undefined || !/^[a-z]{3,6}_[0-9a-f]{1,40}(\.\d{1,3})?$/.test(id)) return null;
  const job = await core.rows.get("jobs", id);
  if (!job) return null;
  // A team may have got a host of its own since the mail was sent.
  const { options } = await facing(core, job.value.team_id);
  const ours = [core.options.baseUrl, options.baseUrl].map((url) => new URL(url).hostname);
  return ours.includes(host.toLowerCase()) ? job : null;
}
