import { memberOperation } from "../../core/member-operation.ts";
import { quietOf } from "../../model/quiet.ts";
import { lintForm } from "./lint.ts";
import { toOverviews } from "./overview.ts";
import { QUIET_WINDOW } from "./tell-quiet.ts";

/** What the inbox says of a form beside its submissions. */
export const formCheckOperations = {
  /** The settings of a form compared with what came. */
  checkForm: memberOperation({
    form: "live",
    scopes: ["forms:read", "submissions:read"],
    handler: ({ core, caller, form }) => lintForm(core, caller, form),
  }),
  /** The silence of an active form; null where all is as usual. */
  quietForm: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    handler: async ({ core, form }) => {
      if (!form.value.active) return null;
      const [overview] = await toOverviews(core, [form], QUIET_WINDOW);
      return quietOf(overview?.days ?? []);
    },
  }),
};
