import { webhookRoutes } from "../deliveries/routes.ts";
import { emailRoutes } from "../deliveries/routes-emails.ts";
import { emailServerRoutes } from "../email-servers/routes.ts";
import { formRoutes } from "../forms/routes.ts";
import { imageFileRoute, imageRoutes } from "../images/routes.ts";
import { intakeRoutes } from "../intake/routes.ts";
import { beaconRoutes } from "../intake/routes-beacons.ts";
import { consentRoutes } from "../intake/routes-consent.ts";
import { draftRoutes } from "../intake/routes-drafts.ts";
import { postRoutes } from "../intake/routes-post.ts";
import { keyRoutes, resourceRoute } from "../keys/routes.ts";
import { mailRoutes } from "../mail/routes.ts";
import { confirmationRoutes } from "../mail/routes-confirmation.ts";
import { dataSubjectRoutes } from "../retention/routes.ts";
import { statisticsRoutes } from "../statistics/routes.ts";
import { submissionRoutes } from "../submissions/routes.ts";
import { healthRoutes } from "./health.ts";
import { openapiRoutes } from "./openapi.ts";

export { fileErrors, fileRoute } from "../files/routes.ts";
export { legacyErrors, legacyRoutes } from "../legacy/routes.ts";

/** Every operation of the management API. A reader reaches any behaviour from here in three jumps: row → service → driver. */
export const routes = {
  ...healthRoutes,
  ...openapiRoutes,
  ...keyRoutes,
  ...formRoutes,
  ...emailServerRoutes,
  ...imageRoutes,
  ...mailRoutes,
  ...submissionRoutes,
  ...statisticsRoutes,
  ...webhookRoutes,
  ...emailRoutes,
  ...dataSubjectRoutes,
};

/** Addresses for browsers that need no credential. */
export const publicRoutes = [
  ...postRoutes,
  ...intakeRoutes,
  ...draftRoutes,
  ...beaconRoutes,
  ...confirmationRoutes,
  ...consentRoutes,
];

/** All addresses below these respond to browsers, including unknown ones. */
export const publicPrefixes = ["/f", "/p", "/s", "/c"];

/** Addresses that anyone may fetch, from any page. */
export const openRoutes = [resourceRoute, imageFileRoute];
