import type { CollectionName } from "../../../src/model/collections.ts";

/** The leaves without which a record means nothing. Version 0.1.0 wrote each of them, so no later leaf may be added here. */
export const required: Partial<Record<CollectionName, readonly string[]>> = {
  keys: ["hash", "team_id"],
  email_servers: ["team_id", "host"],
  forms: [
    "team_id",
    "validation.rules.0.field",
    "validation.rules.0.checks.0.type",
    "webhooks.0.id",
    // A condition without them would match other posts than those that it was written for.
    ...["rules.0.if.all", "rules.1.if.any"].flatMap((list) =>
      ["field", "type"].map((member) => `settings.routing.${list}.0.${member}`),
    ),
  ],
  images: ["form_id", "team_id", "mime_type"],
  submissions: ["form_id", "team_id", "attachments.0.file_id"],
  // Without its form it is in no list.
  pending_submissions: ["team_id"],
  jobs: ["kind", "lane", "target", "form_id", "team_id", "submission_id"],
};
