import type { Message } from "../../model/messages.ts";
import type { SubmissionCount, SubmissionList } from "../../model/submissions.ts";
import {
  AgentCount,
  AgentExport,
  AgentMessage,
  AgentSubmission,
  AgentSubmissionList,
  AgentSubmissionPart,
  agentSubmission,
} from "./answers.ts";
import type { Arguments, Tool } from "./tool.ts";

const shownList = ({ data, ...rest }: SubmissionList) => ({ ...rest, data: data.map(agentSubmission) });

const text = { type: "string" };
const field = {
  type: "object",
  description: 'Conditions by field name, at most 5, such as {"email": {"contains": "@example.com"}}.',
  additionalProperties: {
    type: "object",
    properties: {
      eq: text,
      contains: text,
      starts_with: text,
      exists: { type: "boolean" },
      in: { type: "array", items: text },
    },
    additionalProperties: false,
  },
};
const filters = { field };
const BY_READ = "is set by mark_submission_read";
/** What people at work set, for tools that do something else. */
const work = { state: BY_READ, assignee: BY_READ, labels: BY_READ, snoozed_until: BY_READ };

/** Tools of submissions, in the order of the list. */
export const submissionTools: readonly Tool[] = [
  {
    name: "list_submissions",
    title: "List submissions",
    description: "The submissions of one form, newest first: the inbox, unless `status` says otherwise.",
    operation: "listSubmissions",
    kind: "read",
    paging: "cursor",
    args: filters,
    answer: AgentSubmissionList,
    show: shownList,
  },
  {
    name: "search_submissions",
    title: "Search submissions",
    description:
      "The submissions of all forms, or of those in `form_id`, that hold the text `q` or match the other filters.",
    operation: "listAllSubmissions",
    kind: "read",
    paging: "cursor",
    args: {
      ...filters,
      form_id: { type: ["string", "array"], items: text, description: "Only this form, or these." },
    },
    input: ({ form_id, ...args }: Arguments) =>
      form_id === undefined ? args : { ...args, form_id: Array.isArray(form_id) ? form_id : [form_id] },
    answer: AgentSubmissionList,
    show: shownList,
  },
  {
    name: "count_submissions",
    title: "Count submissions",
    description: "The number of submissions of a form that match, and the largest groups by day, country or a field.",
    operation: "countSubmissions",
    kind: "read",
    args: filters,
    answer: AgentCount,
    show: ({ groups, ...rest }: SubmissionCount) => ({
      ...rest,
      ...(groups && { groups: groups.map(({ count, key }) => ({ count, untrusted: { key } })) }),
    }),
  },
  {
    name: "get_submission",
    title: "Get a submission",
    description:
      "One submission with all of its values. Where they are too long for one result, `next_cursor` reads on.",
    operation: "retrieveSubmission",
    kind: "read",
    paging: "fields",
    answer: AgentSubmissionPart,
    show: agentSubmission,
  },
  {
    name: "mark_submission_read",
    title: "Mark a submission as read",
    description:
      'Marks a submission as read, or with `read: false` as unread. Also sets its `state` (`done`), `assignee`, `labels` or `snoozed_until`; `include: "work"` shows them.',
    operation: "updateSubmission",
    kind: "mark",
    withheld: {
      spam: "is set by mark_submission_spam and restore_submission",
      deliver: "belongs to restore_submission",
    },
    args: { read: { type: "boolean", default: true } },
    input: ({ read, ...args }: Arguments) => ({
      ...args,
      // Whoever sets something else need not have read it.
      read: read ?? (Object.keys(work).some((member) => member in args) ? undefined : true),
    }),
    answer: AgentSubmission,
    show: agentSubmission,
  },
  {
    name: "mark_submission_spam",
    title: "Mark a submission as spam",
    description: "Moves a submission to spam. restore_submission takes it back.",
    operation: "updateSubmission",
    kind: "mark",
    fixed: { spam: true },
    withheld: { read: BY_READ, ...work, deliver: "belongs to restore_submission" },
    answer: AgentSubmission,
    show: agentSubmission,
  },
  {
    name: "restore_submission",
    title: "Take a submission out of spam",
    description:
      "Moves a submission from spam to the inbox; with `deliver: true` it also sends the emails and webhooks that were skipped.",
    operation: "updateSubmission",
    kind: "mark",
    openWorld: true,
    fixed: { spam: false },
    withheld: { read: BY_READ, ...work },
    answer: AgentSubmission,
    show: agentSubmission,
  },
  {
    name: "bulk_update_submissions",
    title: "Change many submissions",
    description:
      "Marks, assigns, labels, snoozes, finishes, restores or deletes up to 500 submissions of a form. Deleting any, or changing several, needs `confirm`, the form's name.",
    operation: "bulkSubmissions",
    kind: "change",
    openWorld: true,
    confirm: {
      of: "form",
      needed: ({ ids, action }) =>
        action === "delete" ||
        action === "delete_forever" ||
        action === "trash" ||
        (Array.isArray(ids) && new Set(ids).size > 1),
    },
  },
  {
    name: "delete_submission",
    title: "Delete a submission",
    description:
      "Deletes a submission and its files for good, or with `trash: true` moves it to the trash. `confirm` is the submission's id.",
    operation: "deleteSubmission",
    kind: "change",
    confirm: { of: "submission", needed: () => true },
  },
  {
    name: "reply_to_submission",
    title: "Answer a submission",
    description:
      "Emails the person who sent the submission, with the original quoted. It can't be undone: show the person the text first. `confirm` is the submission's id.",
    operation: "sendMessage",
    kind: "send",
    confirm: { of: "submission", needed: () => true },
    answer: AgentMessage,
    show: ({ id, submission_id, status, code, created_at, to, cc, subject }: Message) => ({
      id,
      submission_id,
      status,
      code,
      created_at,
      untrusted: { to, cc, subject },
    }),
  },
  {
    name: "export_submissions",
    title: "Export submissions",
    description:
      "The matching submissions of a form as CSV, JSON or NDJSON, as many as one result holds; `next_cursor` goes on.",
    operation: "listSubmissions",
    kind: "read",
    paging: "export",
    args: { ...filters, format: { type: "string", enum: ["csv", "json", "ndjson"], default: "csv" } },
    answer: AgentExport,
  },
];
