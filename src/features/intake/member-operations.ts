import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { draftOf } from "../forms/draft.ts";
import { backtestRules } from "./rules-backtest.ts";

/** Trials by the inbox, before settings of a form are saved. */
export const trialOperations = {
  /** Tries rules on what came, with changes of the form that need not be saved. Throws `invalid_parameter`, `scan_concurrency`. */
  tryRules: memberOperation({
    form: "live",
    scopes: ["forms:read", "submissions:read", "forms:write"],
    body: z.strictObject({ patch: z.record(z.string(), z.unknown()) }),
    handler: async ({ core, caller, form, body }) => backtestRules(core, caller, await draftOf(core, form, body.patch)),
  }),
};
