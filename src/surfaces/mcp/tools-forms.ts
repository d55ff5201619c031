import type { FieldList } from "../../model/field-list.ts";
import type { Me } from "../../model/me.ts";
import { AgentFields, FormSummaryList, summaries, Teams } from "./answers.ts";
import type { Tool } from "./tool.ts";

/** Tools of forms, their settings and recipients, in the order of the list. */
export const formTools: readonly Tool[] = [
  {
    name: "list_teams",
    title: "List teams",
    description: "The teams of this credential, with their plans, and the scopes and forms that it is limited to.",
    operation: "me",
    kind: "read",
    paging: "slice",
    answer: Teams,
    show: ({ teams, workspace: _, ...me }: Me) => ({ ...me, data: teams }),
  },
  {
    name: "list_forms",
    title: "List forms",
    description: "The forms of this credential, by id, name and endpoint. Call get_form for the configuration of one.",
    operation: "listForms",
    kind: "read",
    paging: "cursor",
    answer: FormSummaryList,
    show: summaries,
  },
  {
    name: "get_form",
    title: "Get a form",
    description:
      "A form with its whole configuration: emails, auto-response, page after a post, validation, webhooks. A page posts to `endpoint`.",
    operation: "retrieveForm",
    kind: "read",
    paging: "window",
  },
  {
    name: "get_form_fields",
    title: "Get the fields of a form",
    description:
      "The field names that the newest 2,000 submissions of a form have, with their counts. Visitors wrote them.",
    operation: "listFields",
    kind: "read",
    paging: "slice",
    answer: AgentFields,
    show: ({ data, ...rest }: FieldList) => ({
      ...rest,
      data: data.map(({ name, ...counted }) => ({ ...counted, untrusted: { name } })),
    }),
  },
  {
    name: "create_form",
    title: "Create a form",
    description:
      "Creates a form. Only `name` is required; the result has the `endpoint` for the page's `<form action>`. Without `self_email_notification.recipients` nobody gets mail.",
    operation: "createForm",
    kind: "create",
    // Written out, it would be half of all that a model reads of this tool.
    args: { settings: { type: "object", description: "As update_form_settings takes them." } },
  },
  {
    name: "update_form",
    title: "Change a form",
    description:
      "Changes the members that you send, and no others. Lists, such as recipients and validation rules, are replaced as a whole: read them first.",
    operation: "updateForm",
    kind: "change",
  },
  {
    name: "get_form_settings",
    title: "Get a form's settings",
    description:
      "Key, language, labels, spam lists, routing, digest, confirmation, drafts, statistics and field policies.",
    operation: "retrieveFormSettings",
    kind: "read",
    paging: "window",
  },
  {
    name: "update_form_settings",
    title: "Change a form's settings",
    description:
      "Changes the settings that you send, and no others. Lists, such as `spam.words`, are replaced as a whole: read them first.",
    operation: "updateFormSettings",
    kind: "change",
    withheld: { fields: "is set by people, since it says what agents may see" },
  },
  {
    name: "add_recipient",
    title: "Add a recipient",
    description: "Sends a form's notifications to one more address. Adding one twice changes nothing.",
    operation: "addRecipient",
    kind: "mark",
  },
  {
    name: "remove_recipient",
    title: "Remove a recipient",
    description: "Stops a form's notifications to an address.",
    operation: "removeRecipient",
    kind: "change",
  },
  {
    name: "list_email_servers",
    title: "List email servers",
    description: "The team's own email servers, for `self_email_notification.sender.server_id` of a form.",
    operation: "listEmailServers",
    kind: "read",
    paging: "slice",
  },
];

/** Tools that try mail and count. */
export const formTrialTools: readonly Tool[] = [
  {
    name: "send_test_email",
    title: "Send a test email",
    description: "Sends one of a form's emails with sample values, marked as a test. At most 3 an hour to one address.",
    operation: "sendTestEmail",
    kind: "send",
  },
  {
    name: "get_statistics",
    title: "Get statistics",
    description: "Views, starts, submissions and spam of a form by hour, day, week or month.",
    operation: "retrieveStatistics",
    kind: "read",
    paging: "slice",
  },
];
