import { webhookRoutes } from "../../features/deliveries/routes.ts";
import { emailRoutes } from "../../features/deliveries/routes-emails.ts";
import { emailServerRoutes } from "../../features/email-servers/routes.ts";
import { formRoutes } from "../../features/forms/routes.ts";
import { olderFormRoutes } from "../../features/forms/routes-older.ts";
import { imageFileRoute, imageRoutes } from "../../features/images/routes.ts";
import { intakeRoutes } from "../../features/intake/routes.ts";
import { beaconRoutes } from "../../features/intake/routes-beacons.ts";
import { consentRoutes } from "../../features/intake/routes-consent.ts";
import { draftRoutes } from "../../features/intake/routes-drafts.ts";
import { editRoutes } from "../../features/intake/routes-edit.ts";
import { postRoutes } from "../../features/intake/routes-post.ts";
import { reportRoutes } from "../../features/intake/routes-report.ts";
import { uploadRoutes } from "../../features/intake/routes-uploads.ts";
import { keyRoutes, resourceRoute } from "../../features/keys/routes.ts";
import { mailRoutes } from "../../features/mail/routes.ts";
import { confirmationRoutes } from "../../features/mail/routes-confirmation.ts";
import { messageRoutes } from "../../features/messages/routes.ts";
import { dataSubjectRoutes } from "../../features/retention/routes.ts";
import { savedReplyRoutes } from "../../features/saved/routes.ts";
import { spamModelRoutes } from "../../features/spam/routes.ts";
import { statisticsRoutes } from "../../features/statistics/routes.ts";
import { submissionRoutes } from "../../features/submissions/routes.ts";
import { noteRoutes } from "../../features/submissions/routes-notes.ts";
import { olderSubmissionRoutes } from "../../features/submissions/routes-older.ts";
import { suppressionRoutes } from "../../features/suppressions/routes.ts";
import { senderDomainRoutes } from "../../features/teams/routes.ts";
import { healthRoutes } from "./health.ts";
import { openapiRoutes } from "./openapi.ts";
import { tlsRoutes } from "./tls-allowed.ts";

export { fileErrors, fileRoute } from "../../features/files/routes.ts";
export { imageFileRoute };

/** Every operation of the management API. docs/internals/floors.md follows a request from here to the store. */
export const routes = {
  ...healthRoutes,
  ...openapiRoutes,
  ...tlsRoutes,
  ...keyRoutes,
  ...formRoutes,
  ...emailServerRoutes,
  ...imageRoutes,
  ...mailRoutes,
  ...submissionRoutes,
  ...noteRoutes,
  ...savedReplyRoutes,
  ...spamModelRoutes,
  ...statisticsRoutes,
  ...webhookRoutes,
  ...emailRoutes,
  ...messageRoutes,
  ...suppressionRoutes,
  ...senderDomainRoutes,
  ...dataSubjectRoutes,
};

/** Operations that only the older API has; `surfaces/legacy` gives it an address and a shape. */
export const olderRoutes = { ...olderFormRoutes, ...olderSubmissionRoutes };

/** Addresses for browsers that need no credential. */
export const publicRoutes = [
  ...postRoutes,
  ...intakeRoutes,
  ...draftRoutes,
  ...uploadRoutes,
  ...beaconRoutes,
  ...reportRoutes,
  ...confirmationRoutes,
  ...consentRoutes,
  ...editRoutes,
];

/** All addresses below these respond to browsers, including unknown ones. */
export const publicPrefixes = ["/f", "/p", "/s", "/c"];

/** Addresses that anyone may fetch, from any page. */
export const openRoutes = [resourceRoute, imageFileRoute];
