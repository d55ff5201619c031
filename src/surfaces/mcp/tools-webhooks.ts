import type { DeliveryList } from "../../model/webhooks.ts";
import { AgentDelivery, AgentDeliveryList, agentDelivery } from "./answers.ts";
import type { Tool } from "./tool.ts";

/** Tools of webhooks and their deliveries, in the order of the list. */
export const webhookTools: readonly Tool[] = [
  {
    name: "list_webhooks",
    title: "List webhooks",
    description: "The webhooks of a form, with their last delivery. Secrets are never shown.",
    operation: "listWebhooks",
    kind: "read",
    paging: "slice",
  },
  {
    name: "create_webhook",
    title: "Create a webhook",
    description:
      "Sends each new submission of a form to a URL: signed JSON, a message for a chat, or with `config` a request as any HTTP API takes it, by `format`. The answer shows the secret, once.",
    operation: "createWebhook",
    kind: "create",
    openWorld: true,
  },
  {
    name: "update_webhook",
    title: "Change a webhook",
    description:
      "Changes the members of a webhook that you send, and no others. In `config`, a masked value leaves the stored secret.",
    operation: "updateWebhook",
    kind: "change",
  },
  {
    name: "delete_webhook",
    title: "Delete a webhook",
    description: "Deletes a webhook with its log. `confirm` is the name of its form.",
    operation: "deleteWebhook",
    kind: "change",
    confirm: { of: "form", needed: () => true },
  },
  {
    name: "rotate_webhook_secret",
    title: "Give a webhook a new secret",
    description:
      "Gives a webhook a new secret, shown once. The old one signs too for 24 hours, unless `expire_previous` ends it at once.",
    operation: "rotateWebhookSecret",
    kind: "renew",
  },
  {
    name: "test_webhook",
    title: "Test a webhook",
    description: "Sends a sample submission to a webhook now, and returns the receiver's response.",
    operation: "testWebhook",
    kind: "send",
  },
  {
    name: "list_webhook_deliveries",
    title: "List deliveries of a webhook",
    description:
      "The latest outcome of each delivery, newest first. For the next page, send the last `occurred_at` as `before`.",
    operation: "listDeliveries",
    kind: "read",
    paging: "before",
    answer: AgentDeliveryList,
    show: ({ data, ...rest }: DeliveryList) => ({ ...rest, data: data.map(agentDelivery) }),
  },
  {
    name: "get_delivery",
    title: "Get a delivery",
    description: "The outcome of one submission's delivery to a webhook.",
    operation: "retrieveDelivery",
    kind: "read",
    answer: AgentDelivery,
    show: agentDelivery,
  },
  {
    name: "redeliver_webhook",
    title: "Send a delivery again",
    description: "Sends a submission to a webhook once more.",
    operation: "redeliver",
    kind: "send",
    answer: AgentDelivery,
    show: agentDelivery,
  },
  {
    name: "backfill_webhook",
    title: "Send earlier submissions to a webhook",
    description:
      "Sends what a webhook never had, oldest first; again while `has_more`. `confirm` is the name of its form.",
    operation: "backfillWebhook",
    kind: "send",
    confirm: { of: "form", needed: () => true },
  },
];
