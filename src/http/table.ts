import { formRoutes } from "../forms/routes.ts";
import { intakeRoutes } from "../intake/routes.ts";

export { legacyErrors, legacyRoutes } from "../legacy/routes.ts";

/** Every operation of the management API. A reader reaches any behaviour from here in three jumps: row → service → driver. */
export const routes = {
  ...formRoutes,
};

/** What answers browsers that no credential was given to. */
export const publicRoutes = [...intakeRoutes];
