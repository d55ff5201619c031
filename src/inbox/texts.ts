import type { Spoken } from "../locales/_types.ts";
import { spokenOf } from "../locales/_words.ts";
import operations from "./texts/_operations.ts";
import reports from "./texts/_reports.ts";
import settings from "./texts/_settings.ts";
import en from "./texts/en.ts";

const catalogue = {
  ...operations,
  ...reports,
  ...settings,
  ...en,
  done: { ...en.done, ...operations.done, ...settings.done },
} as const;
type English = typeof catalogue;

/** The texts of the inbox in one language, as functions of their placeholders. */
export type Texts = {
  readonly [Group in keyof English]: { readonly [Name in keyof English[Group]]: Spoken<English[Group][Name]> };
};

const english = spokenOf(catalogue, { tag: "en", dir: "ltr" }) as Texts;

/** The texts of a language; English for those that are not written yet. */
export const textsOf = (_tag: string): Texts => english;
