import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { TemplateError } from "../../lib/template.ts";
import type { Caller } from "../../model/keys.ts";
import type { Redaction } from "../../model/redaction.ts";
import { draftOf } from "../forms/draft.ts";
import { retrieveSubmission } from "../submissions/service.ts";
import { mailPreviewOf, pagePreviewOf } from "./preview.ts";
import { sourceOf } from "./preview-source.ts";

const Shown = z.strictObject({
  /** Changes of the form that need not be saved. */
  patch: z.record(z.string(), z.unknown()),
  /** The id of a submission; empty for a made-up one. */
  submission: z.string(),
});

const scopes = ["forms:read", "submissions:read", "forms:write"] as const;

/** The mails and pages of a form, with changes that need not be saved. A template that fails is told in `fault`. */
export const previewOperations = {
  previewMail: memberOperation({
    form: "live",
    scopes,
    redacts: true,
    body: Shown.extend({ kind: z.enum(["owner_email", "auto_response"]) }),
    handler: async ({ core, caller, form, redaction, body }) => {
      const { draft, source } = await shown(core, caller, form, redaction, body);
      try {
        return { fault: null, ...(await mailPreviewOf(core, draft, body.kind, source)) };
      } catch (error) {
        const isFault = error instanceof TemplateError;
        if (!isFault && !(error instanceof ApiError && error.code === "invalid_parameter")) throw error;
        return { fault: error.message };
      }
    },
  }),
  previewPage: memberOperation({
    form: "live",
    scopes,
    redacts: true,
    body: Shown.extend({ kind: z.enum(["page", "error"]), accepted: z.string().nullable() }),
    handler: async ({ core, caller, form, redaction, body }) => {
      const { draft, source } = await shown(core, caller, form, redaction, body);
      return pagePreviewOf(core, draft, body.kind, source, body.accepted);
    },
  }),
};

async function shown(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  redaction: Redaction | null,
  { patch, submission }: z.output<typeof Shown>,
) {
  const draft = await draftOf(core, form, patch);
  // The service says if this person may read it.
  if (submission !== "") await retrieveSubmission(core, caller, form.id, submission);
  return { draft, source: await sourceOf(core, draft, submission, redaction) };
}
