/** Everything that the host's own webhooks can be told of. */
export const hostEvents = [
  "team.created",
  "team.updated",
  "team.deleted",
  "form.created",
  "form.updated",
  "form.deleted",
  "form.locked",
  "form.quiet",
  "key.created",
  "key.revoked",
  "plan.exceeded",
  "webhook.disabled",
  "email.bounced",
  "abuse.reported",
] as const;
/** An event of the option `hostWebhooks`. */
export type HostEvent = (typeof hostEvents)[number];
