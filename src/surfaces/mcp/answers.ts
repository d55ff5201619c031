import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { shapeOf } from "../../lib/shape-of.ts";
import { listOf } from "../../lib/wire.ts";
import { FieldStatistic } from "../../model/field-list.ts";
import { Form, type FormList } from "../../model/forms.ts";
import { Delivery } from "../../model/jobs.ts";
import { Me } from "../../model/me.ts";
import { Message } from "../../model/messages.ts";
import { Submission, SubmissionCount } from "../../model/submissions.ts";
import { DeliveryList } from "../../model/webhooks.ts";

/** Members that came with the post. */
const SENT = { fields: true, attachments: true, user_agent: true, referer: true, source: true } as const;

/** A submission for an agent: what came with the post stands under `untrusted`. */
export const AgentSubmission = Submission.omit(SENT)
  .extend({
    untrusted: Submission.pick(SENT),
    cut: z.literal(true).optional().describe("More of the values: get_submission reads on with its cursor."),
  })
  .meta({ id: "AgentSubmission" });
export type AgentSubmission = z.infer<typeof AgentSubmission>;

export const AgentSubmissionList = listOf(AgentSubmission, "AgentSubmissionList");
export const AgentSubmissionPart = AgentSubmission.extend({
  next_cursor: z.string().optional().describe("Reads the rest, where the values are too long for one result."),
}).meta({ id: "AgentSubmissionPart" });

export const agentSubmission = ({
  fields,
  attachments,
  user_agent,
  referer,
  source,
  ...rest
}: Submission): AgentSubmission => ({
  ...rest,
  untrusted: { fields, attachments, user_agent, referer, ...(source && { source }) },
});

export const AgentFields = listOf(
  FieldStatistic.omit({ name: true }).extend({ untrusted: FieldStatistic.pick({ name: true }) }),
  "AgentFields",
).extend({ submissions_read: z.int() });

const Group = z.object({ count: z.int(), untrusted: z.object({ key: z.string() }) });
export const AgentCount = SubmissionCount.extend({ groups: z.array(Group).optional() }).meta({ id: "AgentCount" });

/** An answer that was sent, without its text: addresses and subject may be a visitor's words. */
export const AgentMessage = Message.pick({ id: true, submission_id: true, status: true, code: true, created_at: true })
  .extend({ untrusted: Message.pick({ to: true, cc: true, subject: true }) })
  .meta({ id: "AgentMessage" });

export const AgentExport = z
  .object({
    form_id: z.string(),
    format: z.enum(["csv", "json", "ndjson"]),
    rows: z.int().describe("Submissions in this part."),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
    untrusted: z.object({ content: z.string() }),
  })
  .meta({ id: "AgentExport" });

/** A delivery for an agent: a receiver's answer may repeat what a visitor wrote, so it stands under `untrusted`. */
export const AgentDelivery = Delivery.extend({ untrusted: z.object({ message: z.string() }).optional() }).meta({
  id: "AgentDelivery",
});

export function agentDelivery({ message, ...rest }: Delivery): z.infer<typeof AgentDelivery> {
  const { http_status: status } = rest;
  if (!message || status === undefined) return { ...rest, ...(message !== undefined && { message }) };
  const own = `HTTP ${status}`;
  if (message === own || message === `${own} ${STATUS_CODES[status]}`) return { ...rest, message };
  return { ...rest, message: own, untrusted: { message } };
}

export const AgentDeliveryList = DeliveryList.extend({ data: z.array(AgentDelivery) }).meta({
  id: "AgentDeliveryList",
});

/** A form in a list: `get_form` has the rest. */
export const FormSummary = Form.pick({
  id: true,
  team_id: true,
  name: true,
  active: true,
  endpoint: true,
  created_at: true,
  last_submission_at: true,
  submissions: true,
}).meta({ id: "FormSummary" });
/** The summaries of a page of forms. */
export const summaries = ({ data, ...rest }: FormList) => ({
  ...rest,
  data: data.map((form) => shapeOf(FormSummary).parse(form)),
});

export const FormSummaryList = listOf(FormSummary, "FormSummaryList");

export const Teams = Me.omit({ teams: true, workspace: true })
  .extend({
    data: Me.shape.teams.describe("The teams that the credential reaches."),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "Teams" });
