import type { Core } from "../../core/core.ts";
import type { Mail } from "../../drivers/mailer/types.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { addresseeOf, type JobRecord, type WebhookNotice } from "../../model/jobs.ts";
import type { OwnerBounce, PlanExceeded } from "../../model/owner-notices.ts";
import type { WebhookRecord } from "../../model/webhooks.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { isRtl } from "./letter.ts";
import { ownMail } from "./own-mail.ts";

/** The mail of a notice to a team's owner, or the code that says why there is nothing to tell any more. */
export async function noticeMail(core: Core, jobId: string, job: JobRecord): Promise<Mail | string> {
  const { notice } = job;
  if (job.exceeded) return monthMail(core, jobId, job, job.exceeded);
  if (job.bounce) return bounceMail(core, jobId, job, job.bounce);
  const form = await core.rows.get("forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === notice?.webhook_id);
  if (!form || !webhook || !notice) return "SKIPPED_WEBHOOK_DELETED";
  const off = job.event === "webhook.disabled";
  if (!off) {
    const state = await core.rows.get("webhook_states", webhook.id);
    if (state?.value.failing?.since !== notice.since) return "SKIPPED_WEBHOOK_RECOVERED";
  }
  return webhookMail(core, { jobId, to: addresseeOf(job), form, webhook, notice, off });
}

interface About {
  readonly jobId: string;
  readonly to: string;
  readonly form: Stored<FormRecord>;
  readonly webhook: WebhookRecord;
  readonly notice: WebhookNotice;
  readonly off: boolean;
}

function webhookMail(core: Core, { jobId, to, form, webhook, notice, off }: About): Mail {
  const words = core.options.languages.ofOwner(form.value.settings.language);
  const said = words.webhook;
  const name = oneLine(form.value.name);
  const host = hostOf(webhook) ?? said.its_address();
  const description = oneLine(webhook.description);
  const gone = off && notice.gone === true;
  return ownMail(core, {
    words,
    jobId,
    to,
    subject: off ? said.off_subject({ form: name }) : said.failing_subject({ form: name }),
    paragraphs: [
      off && notice.pause
        ? words.destination[notice.pause.reason]({ what: notice.pause.what })
        : gone
          ? goneText(words, host, notice)
          : said.failing({ host, time: words.time(notice.since), end: endOf(notice) }),
      off ? said.off_text() : said.failing_text(),
    ],
    footer: [
      said.why({ form: name }),
      description ? said.id_described({ id: webhook.id, description }) : said.id({ id: webhook.id }),
    ],
    rtl: words.dir === "rtl" || isRtl(name),
  });
}

const goneText = ({ webhook }: Words, host: string, { http_status }: WebhookNotice): string =>
  http_status === 410 ? webhook.gone({ host }) : webhook.deleted({ host, status: String(http_status) });

function monthMail(core: Core, jobId: string, job: JobRecord, exceeded: PlanExceeded): Mail {
  const words = core.options.languages.owner;
  const { subject, text, meaning, footer } = words.plan;
  const { plan, limit, month } = exceeded;
  return ownMail(core, {
    words,
    jobId,
    to: addresseeOf(job),
    subject: subject(),
    paragraphs: [text({ plan: oneLine(plan), count: limit, month }), meaning()],
    footer: [footer({ team: job.team_id })],
    rtl: words.dir === "rtl",
  });
}

function bounceMail(core: Core, jobId: string, job: JobRecord, { email, reason }: OwnerBounce): Mail {
  const words = core.options.languages.owner;
  const { subject, text, meaning, footer } = words.bounce;
  const address = oneLine(email);
  return ownMail(core, {
    words,
    jobId,
    to: addresseeOf(job),
    subject: subject({ address }),
    paragraphs: [text({ address }), ...(reason === "" ? [] : [oneLine(reason)]), meaning()],
    footer: [footer({ team: job.team_id })],
    rtl: words.dir === "rtl",
  });
}

/** The host alone: the path and query of a webhook's URL are often its password. */
const hostOf = ({ url }: WebhookRecord): string | null => (canParseUrl(url) ? new URL(url).host : null);

const endOf = ({ code, http_status, node_error_code }: WebhookNotice): string => {
  const detail = http_status !== undefined ? `HTTP ${http_status}` : node_error_code;
  return detail ? `${code} (${detail})` : code;
};
