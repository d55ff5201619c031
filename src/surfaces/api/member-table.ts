import { auditOperations } from "../../features/audit/member-operations.ts";
import { answerOperations } from "../../features/composing/member-operations.ts";
import { deliveryOperations } from "../../features/deliveries/member-operations.ts";
import { emailServerOperations } from "../../features/email-servers/member-operations.ts";
import { trialOperations } from "../../features/intake/member-operations.ts";
import { usageOperations } from "../../features/jobs/member-operations.ts";
import { keyOperations } from "../../features/keys/member-operations.ts";
import { previewOperations } from "../../features/mail/member-operations.ts";
import { markupOperations } from "../../features/markup/member-operations.ts";
import { presenceOperations } from "../../features/presence/member-operations.ts";
import { personOperations } from "../../features/retention/member-operations.ts";
import { viewOperations } from "../../features/saved/member-operations.ts";
import { blockOperations } from "../../features/submissions/block-operations.ts";
import { fileOperations } from "../../features/submissions/file-operations.ts";
import {
  formNameOperations,
  formOperations,
  selectionOperations,
} from "../../features/submissions/member-operations.ts";
import { readingOperations } from "../../features/submissions/reading-operations.ts";
import { ruleOperations } from "../../features/submissions/rule-operations.ts";
import { suppressionOperations } from "../../features/suppressions/member-operations.ts";
import { teamOperations } from "../../features/teams/member-operations.ts";

/**
 * Operations of the inbox's screens beyond the management API. An operation here has no address, no key can call it, and
 * neither OpenAPI nor the MCP server knows it.
 */
export const memberOperations = {
  ...deliveryOperations,
  ...answerOperations,
  ...auditOperations,
  ...emailServerOperations,
  ...formNameOperations,
  ...formOperations,
  ...keyOperations,
  ...markupOperations,
  ...personOperations,
  ...presenceOperations,
  ...selectionOperations,
  ...suppressionOperations,
  ...teamOperations,
  ...usageOperations,
  ...previewOperations,
  ...blockOperations,
  ...ruleOperations,
  ...fileOperations,
  ...readingOperations,
  ...trialOperations,
  ...viewOperations,
};
