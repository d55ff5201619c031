import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { ApiError } from "../../errors.ts";
import { domainOf, sameAddressKey } from "../../lib/email.ts";
import { addressIn } from "../../model/sender.ts";
import { adjustForm } from "../forms/adjust.ts";
import { shownTo } from "../privacy/shown.ts";

/** Blocking a sender from a submission, also for people who may not change the form otherwise. */
export const blockOperations = {
  /**
   * Puts the sender of a submission on the form's list of blocked ones, or everybody at the sender's domain, or takes both off it.
   * Throws `invalid_parameter` where the list is full or the person sees no address.
   */
  blockSender: memberOperation({
    form: "live",
    scopes: ["forms:read", "submissions:read"],
    right: "block",
    body: z.strictObject({ id: z.string(), what: z.enum(["address", "domain", "none"]) }),
    redacts: true,
    handler: async ({ core, caller, form, redaction, body: { id, what } }) => {
      const row = await core.rows.get("submissions", id);
      if (row?.value.form_id !== form.id) throw new ApiError("submission_not_found");
      const [seen] = await shownTo(core, caller, [row]);
      const address = addressIn((seen && (redaction?.record(seen.value) ?? seen.value))?.fields ?? []);
      // A person from whom the address is kept must not learn from the list which one it is.
      if (address === null || addressIn(row.value.fields) !== address) {
        throw new ApiError("invalid_parameter", { param: "id", message: "The submission has no address to block." });
      }
      const entries = { address, domain: `@${domainOf(address)}` };
      // The list has a limit, which the schema of a change knows.
      await adjustForm(core, form.id, ({ settings: { spam } }) => {
        const { senders } = spam;
        const kept = senders.filter((one) => one !== entries.domain && sameAddressKey(one) !== sameAddressKey(address));
        const isThere = what !== "none" && senders.includes(entries[what]);
        const wanted = what === "none" ? kept : [...senders, ...(isThere ? [] : [entries[what]])];
        return { settings: { spam: { senders: wanted } } };
      });
      return { form_id: form.id };
    },
    audit: { action: "block_sender", ids: ({ form_id }) => [form_id] },
  }),
};
