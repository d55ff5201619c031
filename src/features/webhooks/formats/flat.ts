import { valuesOf } from "../../../model/values.ts";
import { byStatus } from "./answers.ts";
import { JSON_HEADERS } from "./standard.ts";
import type { Format } from "./types.ts";

/** One object with a member for each field, for Zapier, Make, n8n and code that moved from Web3Forms. */
export const flat: Format = {
  name: "flat",
  service: "Zapier, Make and n8n",
  example: null,
  check: () => true,
  secret: false,
  signed: true,
  headers: JSON_HEADERS,
  // The last ones are ours, whatever fields a visitor sends.
  body: ({ submission, message, changed }) =>
    JSON.stringify({
      ...(message
        ? { from: message.from, subject: message.subject, text: message.text, message_id: message.id }
        : valuesOf(submission)),
      submission_id: submission.id,
      form_id: submission.form_id,
      created_at: (message ?? submission).created_at,
      ...(changed && { changed }),
    }),
  classify: (answer) => byStatus(answer),
};
