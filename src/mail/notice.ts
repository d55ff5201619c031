import { type Core, find } from "../core.ts";
import type { Mail } from "../drivers/mailer/types.ts";
import type { Stored } from "../drivers/storage/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import type { JobRecord, WebhookNotice } from "../jobs/schema.ts";
import type { WebhookRecord, WebhookState } from "../webhooks/schema.ts";
import { lines } from "./layout.ts";
import { isRtl, longTime, oneLine } from "./letter.ts";
import { letterText } from "./plain.ts";
import { formal } from "./themes/formal.ts";

/** The mail to a team's owner about a webhook that keeps failing, or the code that says why there is nothing to tell any more. */
export async function noticeMail(core: Core, jobId: string, job: JobRecord): Promise<Mail | string> {
  const { notice } = job;
  const form = await find<FormRecord>(core, "forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === notice?.webhook_id);
  if (!form || !webhook || !notice) return "SKIPPED_WEBHOOK_DELETED";
  const off = job.event === "webhook.disabled";
  if (!off) {
    const state = await find<WebhookState>(core, "webhook_states", webhook.id);
    if (state?.value.failing?.since !== notice.since) return "SKIPPED_WEBHOOK_RECOVERED";
  }
  return compose(core, { jobId, to: job.target, form, webhook, notice, off });
}

interface About {
  readonly jobId: string;
  readonly to: string;
  readonly form: Stored<FormRecord>;
  readonly webhook: WebhookRecord;
  readonly notice: WebhookNotice;
  readonly off: boolean;
}

function compose(core: Core, { jobId, to, form, webhook, notice, off }: About): Mail {
  const name = oneLine(form.value.name);
  const gone = off && notice.http_status === 410;
  const subject = `The webhook of “${name}” ${off ? "was turned off" : "keeps failing"}`;
  const paragraphs = [
    gone
      ? `${hostOf(webhook)} answered 410 Gone, which means that it wants no more deliveries.`
      : `Every delivery to ${hostOf(webhook)} has failed since ${longTime(notice.since)}. The latest attempt ended with ${endOf(notice)}.`,
    off
      ? "The webhook was turned off, and nothing is sent to it until it is turned on again. Submissions are stored as before; those that were not delivered can then be delivered again."
      : "Each delivery is tried for 72 hours. If none succeeds for 5 days, the webhook is turned off. Submissions are stored as before.",
  ];
  const footer = [
    `You receive this email because the form “${name}” belongs to your team.`,
    `Webhook ${webhook.id}${webhook.description && `: ${oneLine(webhook.description)}`}`,
  ];
  const message = paragraphs.join("\n\n");
  return {
    from: { name: core.options.from.name || core.options.brand.name, address: core.options.from.address },
    to: { name: "", address: to },
    subject,
    messageId: `${jobId}@${new URL(core.options.baseUrl).hostname}`,
    date: core.clock.now(),
    text: letterText([subject, ...paragraphs], footer),
    html: formal.page({
      title: subject,
      logo: null,
      primary: "#2563eb",
      kicker: "",
      heading: subject,
      rtl: isRtl(name),
      notice: "",
      rows: [],
      files: [],
      filesNote: "",
      message: lines(message),
      footer,
    }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

/** The host alone: the path and query of a webhook's URL are often its password. */
const hostOf = ({ url }: WebhookRecord): string => (URL.canParse(url) ? new URL(url).host : "its address");

const endOf = ({ code, http_status, node_error_code }: WebhookNotice): string => {
  const detail = http_status !== undefined ? `HTTP ${http_status}` : node_error_code;
  return detail ? `${code} (${detail})` : code;
};
