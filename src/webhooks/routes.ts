import { z } from "zod";
import { FormId } from "../forms/schema.ts";
import { route } from "../http/route.ts";
import { Delivery } from "../jobs/schema.ts";
import { SubmissionId } from "../submissions/schema.ts";
import { listDeliveries, redeliver, retrieveDelivery } from "./deliveries.ts";
import {
  DeliveryList,
  DeliveryListQuery,
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookId,
  WebhookList,
  WebhookPatch,
  WebhookTest,
  WebhookWithSecret,
} from "./schema.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  testWebhook,
  updateWebhook,
} from "./service.ts";

const byForm = z.object({ form_id: FormId });
const byWebhook = byForm.extend({ webhook_id: WebhookId });
const byDelivery = byWebhook.extend({ submission_id: SubmissionId });
const tag = "Webhooks";

export const webhookRoutes = {
  listWebhooks: route({
    method: "GET",
    path: "/v1/forms/:form_id/webhooks",
    summary: "List webhooks",
    tag,
    scopes: ["forms:read"],
    params: byForm,
    response: WebhookList,
    errors: [],
    handler: async ({ core, caller, params }) => ({ data: await listWebhooks(core, caller, params.form_id) }),
  }),
  createWebhook: route({
    method: "POST",
    path: "/v1/forms/:form_id/webhooks",
    summary: "Create a webhook",
    tag,
    scopes: ["forms:write"],
    params: byForm,
    body: WebhookCreate,
    status: 201,
    response: WebhookWithSecret,
    errors: ["plan_restricted", "webhook_url_taken"],
    handler: ({ core, caller, params, body }) => createWebhook(core, caller, params.form_id, body),
  }),
  retrieveWebhook: route({
    method: "GET",
    path: "/v1/forms/:form_id/webhooks/:webhook_id",
    summary: "Retrieve a webhook",
    tag,
    scopes: ["forms:read"],
    params: byWebhook,
    response: Webhook,
    errors: ["webhook_not_found"],
    handler: ({ core, caller, params }) => getWebhook(core, caller, params.form_id, params.webhook_id),
  }),
  updateWebhook: route({
    method: "PATCH",
    path: "/v1/forms/:form_id/webhooks/:webhook_id",
    summary: "Update a webhook",
    tag,
    scopes: ["forms:write"],
    params: byWebhook,
    body: WebhookPatch,
    response: Webhook,
    errors: ["webhook_not_found", "webhook_url_taken"],
    handler: ({ core, caller, params, body }) => updateWebhook(core, caller, params.form_id, params.webhook_id, body),
  }),
  deleteWebhook: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/webhooks/:webhook_id",
    summary: "Delete a webhook",
    tag,
    scopes: ["forms:write"],
    params: byWebhook,
    response: WebhookDeleted,
    errors: ["webhook_not_found"],
    handler: ({ core, caller, params }) => deleteWebhook(core, caller, params.form_id, params.webhook_id),
  }),
  rotateWebhookSecret: route({
    method: "POST",
    path: "/v1/forms/:form_id/webhooks/:webhook_id/rotate-secret",
    summary: "Give a webhook a new secret",
    tag,
    scopes: ["forms:write"],
    params: byWebhook,
    response: WebhookWithSecret,
    errors: ["webhook_not_found", "invalid_parameter"],
    handler: ({ core, caller, params }) => rotateSecret(core, caller, params.form_id, params.webhook_id),
  }),
  testWebhook: route({
    method: "POST",
    path: "/v1/forms/:form_id/webhooks/:webhook_id/test",
    summary: "Send a test event now",
    tag,
    scopes: ["forms:write"],
    params: byWebhook,
    response: WebhookTest,
    errors: ["webhook_not_found"],
    handler: ({ core, caller, params }) => testWebhook(core, caller, params.form_id, params.webhook_id),
  }),
  listDeliveries: route({
    method: "GET",
    path: "/v1/forms/:form_id/webhooks/:webhook_id/deliveries",
    summary: "List deliveries",
    tag: "Deliveries",
    scopes: ["submissions:read"],
    params: byWebhook,
    query: DeliveryListQuery,
    response: DeliveryList,
    errors: ["webhook_not_found"],
    handler: ({ core, caller, params, query }) =>
      listDeliveries(core, caller, params.form_id, params.webhook_id, query),
  }),
  retrieveDelivery: route({
    method: "GET",
    path: "/v1/forms/:form_id/webhooks/:webhook_id/deliveries/:submission_id",
    summary: "Retrieve a delivery",
    tag: "Deliveries",
    scopes: ["submissions:read"],
    params: byDelivery,
    response: Delivery,
    errors: ["webhook_not_found", "delivery_not_found"],
    handler: ({ core, caller, params }) =>
      retrieveDelivery(core, caller, params.form_id, params.webhook_id, params.submission_id),
  }),
  redeliver: route({
    method: "POST",
    path: "/v1/forms/:form_id/webhooks/:webhook_id/deliveries/:submission_id/redeliver",
    summary: "Send a delivery again",
    tag: "Deliveries",
    scopes: ["forms:write"],
    params: byDelivery,
    status: 202,
    response: Delivery,
    errors: ["webhook_not_found", "delivery_not_found", "submission_not_stored"],
    handler: ({ core, caller, params }) =>
      redeliver(core, caller, params.form_id, params.webhook_id, params.submission_id),
  }),
};
