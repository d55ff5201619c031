import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { formHtml } from "./service.ts";

/** Markup of a form to copy. */
export const markupOperations = {
  /** The form as HTML, made of its rules and of what came. Throws `scan_concurrency`. */
  formMarkup: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    body: z.strictObject({}),
    handler: ({ core, caller, form }) => formHtml(core, caller, form),
  }),
};
