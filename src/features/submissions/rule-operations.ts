import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { ApiError } from "../../errors.ts";
import { conditionsIn, RoutingRule } from "../../model/routing.ts";
import { adjustForm } from "../forms/adjust.ts";
import { shownTo } from "../privacy/shown.ts";

/** Rules from a submission, also for people who may not change the form otherwise. */
export const ruleOperations = {
  /**
   * Adds a rule after those that the form has, with conditions on fields of a submission. Throws `invalid_parameter` for one without
   * a condition, where the person does not see the value of a field as it is, and what a change of the form throws.
   */
  addRule: memberOperation({
    form: "live",
    scopes: ["forms:read", "submissions:read"],
    right: "rules",
    body: z.strictObject({ id: z.string(), rule: RoutingRule }),
    redacts: true,
    handler: async ({ core, caller, form, redaction, body: { id, rule } }) => {
      const row = await core.rows.get("submissions", id);
      if (row?.value.form_id !== form.id) throw new ApiError("submission_not_found");
      const [seen] = await shownTo(core, caller, [row]);
      const fields = (seen && (redaction?.record(seen.value) ?? seen.value))?.fields ?? [];
      const conditions = conditionsIn(rule);
      // A rule on a value that is kept from the person would tell by its deliveries what the value is.
      const isOpen = (name: string): boolean =>
        fields.some(
          ({ key, value }) => key === name && row.value.fields.some((one) => one.key === key && one.value === value),
        );
      if (conditions.length === 0 || !conditions.every(({ field }) => isOpen(field))) {
        const message = "A rule from a submission needs conditions on fields of it whose values you see.";
        throw new ApiError("invalid_parameter", { param: "rule", message });
      }
      await adjustForm(core, form.id, ({ settings: { routing } }) => ({
        settings: { routing: { rules: [...routing.rules, rule] } },
      }));
      return { form_id: form.id };
    },
    audit: { action: "add_rule", ids: ({ form_id }) => [form_id] },
  }),
};
