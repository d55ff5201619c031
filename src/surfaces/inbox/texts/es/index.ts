import type { Catalogue } from "../_types.ts";
import admin from "./admin.ts";
import faults from "./faults.ts";
import insight from "./insight.ts";
import operations from "./operations.ts";
import people from "./people.ts";
import refusals from "./refusals.ts";
import reports from "./reports.ts";
import screens from "./screens.ts";
import settings from "./settings.ts";

/** The inbox in Spanish. */
const es: Catalogue = {
  ...admin,
  ...operations,
  ...people,
  ...insight,
  ...faults,
  ...refusals,
  ...reports,
  ...settings,
  ...screens,
  done: { ...screens.done, ...operations.done, ...settings.done, ...admin.done },
};

export default es;
