import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { isEmail } from "../../lib/email.ts";
import { removeSuppression, suppressionId } from "./service.ts";

/** Suppressed addresses, as screens show them. */
export const suppressionOperations = {
  /** Those recipients of a form that get no mail. */
  unreachedRecipients: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    async handler({ core, form }) {
      const { team_id, self_email_notification } = form.value;
      const recipients = self_email_notification.recipients.filter(isEmail);
      const ids = recipients.map((email) => suppressionId(team_id, email));
      const rows = await core.rows.many("suppressions", ids);
      return recipients.flatMap((email, at) => {
        const row = rows.get(ids[at] as string);
        return row ? [{ email, reason: row.value.reason }] : [];
      });
    },
  }),
  /** Takes an address off a team's list. Throws `not_found`. */
  releaseAddress: memberOperation({
    team: "whole",
    scopes: ["forms:write"],
    admin: true,
    body: z.strictObject({ email: z.string().max(320) }),
    handler: ({ core, caller, team, body }) => removeSuppression(core, caller, body.email, team.id),
    // The address would outlive what its owner wants forgotten.
    audit: { action: "release_address", ids: () => [] },
  }),
};
