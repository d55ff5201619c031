/** Every code of a webhook delivery, and whether the delivery is retried after it. */
const RETRIED = {
  SUCCESS: false,
  PENDING: false,
  ERROR_WEBHOOK_HTTP_3XX: true,
  ERROR_WEBHOOK_HTTP_4XX: true,
  ERROR_WEBHOOK_HTTP_5XX: true,
  ERROR_WEBHOOK_TIMEOUT: true,
  ERROR_WEBHOOK_CONNECTION: true,
  ERROR_WEBHOOK_DNS: true,
  ERROR_WEBHOOK_TLS: true,
  ERROR_WEBHOOK_PROTOCOL: true,
  ERROR_WEBHOOK_BLOCKED_ADDRESS: true,
  ERROR_WEBHOOK_INVALID_URL: true,
  ERROR_WEBHOOK_INTERNAL: true,
  ERROR_WEBHOOK_WORKER_LOST: false,
  ERROR_WEBHOOK_NOT_ATTEMPTED: false,
  SKIPPED_SPAM: false,
  SKIPPED_WEBHOOK_DISABLED: false,
  SKIPPED_WEBHOOK_DELETED: false,
  SKIPPED_EVENT_NOT_SUBSCRIBED: false,
  SKIPPED_SUBMISSION_DELETED: false,
  SKIPPED_PLAN_RESTRICTED: false,
  SKIPPED_TEAM_INACTIVE: false,
} as const;

/** The `code` of a webhook delivery: the result of its last attempt, or the reason why there was none. */
export type DeliveryCode = keyof typeof RETRIED;

/** Every delivery code, for schemas and documentation. */
export const deliveryCodes: readonly DeliveryCode[] = Object.keys(RETRIED) as DeliveryCode[];

/** True if an attempt with this code is retried, unless the webhook's format decides otherwise. */
export function retryable(code: DeliveryCode): boolean {
  return RETRIED[code];
}
