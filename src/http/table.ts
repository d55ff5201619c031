import { fileRoute } from "../files/routes.ts";
import { formRoutes } from "../forms/routes.ts";
import { imageFileRoute, imageRoutes } from "../images/routes.ts";
import { intakeRoutes } from "../intake/routes.ts";
import { keyRoutes, resourceRoute } from "../keys/routes.ts";
import { mailRoutes } from "../mail/routes.ts";
import { dataSubjectRoutes } from "../retention/routes.ts";
import { submissionRoutes } from "../submissions/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { healthRoutes } from "./health.ts";
import { openapiRoutes } from "./openapi.ts";

export { legacyErrors, legacyRoutes } from "../legacy/routes.ts";

/** Every operation of the management API. A reader reaches any behaviour from here in three jumps: row → service → driver. */
export const routes = {
  ...healthRoutes,
  ...openapiRoutes,
  ...keyRoutes,
  ...formRoutes,
  ...imageRoutes,
  ...mailRoutes,
  ...submissionRoutes,
  ...webhookRoutes,
  ...dataSubjectRoutes,
};

/** What answers browsers that no credential was given to. */
export const publicRoutes = [...intakeRoutes];

/** What anybody may fetch, from any page. */
export const openRoutes = [resourceRoute, imageFileRoute, fileRoute];
