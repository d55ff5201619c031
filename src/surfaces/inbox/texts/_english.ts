import admin from "./_admin.ts";
import faults from "./_faults.ts";
import insight from "./_insight.ts";
import operations from "./_operations.ts";
import people from "./_people.ts";
import refusals from "./_refusals.ts";
import reports from "./_reports.ts";
import settings from "./_settings.ts";
import en from "./en.ts";

/** Every text of the inbox in English. */
export const english = {
  ...admin,
  ...operations,
  ...people,
  ...insight,
  ...faults,
  ...refusals,
  ...reports,
  ...settings,
  ...en,
  done: { ...en.done, ...operations.done, ...settings.done, ...admin.done },
} as const;
