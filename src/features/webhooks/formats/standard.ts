import { byStatus } from "./answers.ts";
import type { Format } from "./types.ts";

/** JSON as the receiver's own code takes it. */
export const JSON_HEADERS = { "content-type": "application/json" } as const;

/** Standard Webhooks: an envelope around the submission as the API returns it. */
export const standard: Format = {
  name: "standard",
  service: "Standard Webhooks",
  example: null,
  check: () => true,
  secret: false,
  signed: true,
  headers: JSON_HEADERS,
  body: ({ type, submission, message, form, changed, at }) =>
    JSON.stringify(
      changed
        ? { type, timestamp: at, data: { id: submission.id, form_id: submission.form_id, changed } }
        : message
          ? { type, timestamp: message.created_at, data: { ...message, form_id: form.id } }
          : { type, timestamp: submission.created_at, data: submission },
    ),
  classify: (answer) => byStatus(answer),
};
