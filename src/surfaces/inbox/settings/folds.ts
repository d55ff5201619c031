import type { Texts } from "../texts.ts";
import type { LeafPath } from "./leaves.ts";

/** A part of a page of settings that folds. */
export type Fold = keyof Texts["fold"];

/** The parts that fold, by the beginning of their leaves' paths. Every other leaf stands on its page itself. */
const folds: readonly (readonly [begin: string, fold: Fold])[] = [
  ["settings.columns", "names"],
  ["settings.labels", "names"],
  ["settings.statistics.", "statistics"],
  ["settings.source.", "statistics"],
  ["settings.drafts.", "drafts"],
  ["settings.availability.", "availability"],
  ["settings.key", "technical"],
  ["settings.dialect", "technical"],
  ["settings.aliases", "technical"],
  ["spam.captcha.", "captcha"],
  ["settings.spam.words", "lists"],
  ["settings.spam.senders", "lists"],
  ["settings.spam.ips", "lists"],
  ["settings.spam.countries", "lists"],
  ["settings.spam.allow.", "lists"],
  ["settings.allowed_origins", "websites"],
  ["settings.require_token", "websites"],
  ["settings.double_opt_in.", "confirm"],
  ["self_email_notification.template.", "look"],
  ["self_email_notification.logo_", "look"],
  ["self_email_notification.sender.", "sender"],
  ["settings.digest.", "digest"],
  ["auto_response.template.theme", "look"],
  ["auto_response.template.html", "look"],
  ["auto_response.logo_", "look"],
  ["auto_response.from_name", "sender"],
  ["settings.from_email", "sender"],
  ["after_submit.page.theme", "look"],
  ["after_submit.page.mode", "look"],
  ["after_submit.page.primary_color", "look"],
  ["after_submit.page.secondary_color", "look"],
  ["after_submit.page.logo_", "look"],
  ["after_submit.page.return_button.", "buttons"],
  ["after_submit.page.download_button.", "buttons"],
  ["after_submit.redirect.", "redirect"],
  ["settings.edit.", "edit"],
];

/** The part that a leaf stands in; null for one that does not fold. */
export const foldOf = (path: LeafPath): Fold | null => folds.find(([begin]) => path.startsWith(begin))?.[1] ?? null;
