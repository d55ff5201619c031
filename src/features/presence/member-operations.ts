import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { hasScope, personOf } from "../../model/keys.ts";
import { doings, present } from "./service.ts";

/** Presence of people at submissions. */
export const presenceOperations = {
  /**
   * Answers who else is at the submissions of a form, and says where the person is if `at` is given. A person who may not
   * write only looks.
   */
  presence: memberOperation({
    form: "live",
    scopes: ["submissions:read"],
    body: z.strictObject({
      at: z.strictObject({ id: z.string().max(64), doing: z.enum(doings), arrives: z.boolean() }).nullable(),
    }),
    handler: ({ core, caller, form, body: { at } }) => {
      const place = at && {
        form_id: form.id,
        submission_id: at.id,
        doing: hasScope(caller, "submissions:write") ? at.doing : "looks",
        arrives: at.arrives,
      };
      return present(core, form.value.team_id, form.id, personOf(caller), place);
    },
  }),
};
