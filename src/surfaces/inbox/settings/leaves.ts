import type { z } from "zod";
import { HostFormPatch } from "../../../model/form-input.ts";
import { formLeaf, settingsOf } from "../../../model/form-record.ts";
import type { HostForm } from "../../../model/forms.ts";

/** The pages of a form's settings, by their names in the address. */
export const sections = [
  "general",
  "spam",
  "validation",
  "notification",
  "routing",
  "reply",
  "after-submit",
  "storage",
] as const;
export type Section = (typeof sections)[number];

/** The dot paths of the leaves of an object. A list, a record, and an object that may be null are one leaf. */
type PathOf<T> = {
  [K in keyof T & string]-?: null extends T[K]
    ? K
    : NonNullable<T[K]> extends readonly unknown[] | string | number | boolean
      ? K
      : string extends keyof NonNullable<T[K]>
        ? K
        : `${K}.${PathOf<NonNullable<T[K]>>}`;
}[keyof T & string];

/** Places from before there were settings. Their leaves have a control in `settings`. */
export const older = ["allowed_origins", "spam.require_token", "auto_response.from_email"] as const;

/** Every leaf of a form that somebody can set. */
export type LeafPath = Exclude<PathOf<z.output<typeof HostFormPatch>>, (typeof older)[number]>;

/** The control of a leaf. */
export type Kind =
  | "line"
  | "area"
  | "code"
  | "flag"
  | "choice"
  | "number"
  | "count"
  | "moment"
  | "lines"
  | "days"
  | "secret"
  | "server"
  | "language"
  | "labels"
  | "policies"
  | "rules"
  | "routing"
  | "target";

/** A leaf, where it is shown, and how it is set. */
export interface Leaf {
  readonly path: LeafPath;
  readonly section: Section;
  readonly kind: Kind;
  /** True if only somebody with every scope may set it: it concerns more than the form's team. */
  readonly admin: boolean;
}

type Row = readonly [Section, Kind, "admin"?];

/** Every leaf in the order of its page. A leaf that is missing here does not compile. */
const table: Readonly<Record<LeafPath, Row>> = {
  name: ["general", "line"],
  active: ["general", "flag"],
  avatar: ["general", "line"],
  folder_id: ["general", "line"],
  "settings.language": ["general", "language"],
  "settings.columns": ["general", "lines"],
  "settings.labels": ["general", "labels"],
  "settings.statistics.enabled": ["general", "flag"],
  "settings.source.enabled": ["general", "flag"],
  "settings.drafts.enabled": ["general", "flag"],
  "settings.drafts.keep_for": ["general", "days"],
  "settings.availability.opens_at": ["general", "moment"],
  "settings.availability.closes_at": ["general", "moment"],
  "settings.availability.limit": ["general", "count"],
  "settings.availability.message": ["general", "area"],
  "settings.availability.public": ["general", "flag"],
  "settings.key": ["general", "line"],
  "settings.dialect": ["general", "choice"],
  "settings.aliases": ["general", "lines", "admin"],
  "spam.protection": ["spam", "flag"],
  "spam.captcha.provider": ["spam", "choice"],
  "spam.captcha.secret_key": ["spam", "secret"],
  "settings.spam.threshold": ["spam", "choice"],
  "settings.spam.learn": ["spam", "flag"],
  "settings.spam.words": ["spam", "lines"],
  "settings.spam.senders": ["spam", "lines"],
  "settings.spam.ips": ["spam", "lines"],
  "settings.spam.countries": ["spam", "lines"],
  "settings.spam.allow.senders": ["spam", "lines"],
  "settings.spam.allow.ips": ["spam", "lines"],
  "settings.allowed_origins": ["spam", "lines"],
  "settings.require_token": ["spam", "flag"],
  "settings.double_opt_in.enabled": ["spam", "flag"],
  "settings.double_opt_in.field": ["spam", "line"],
  "settings.double_opt_in.subject": ["spam", "line"],
  "settings.double_opt_in.message": ["spam", "area"],
  "settings.double_opt_in.expires": ["spam", "days"],
  "validation.enabled": ["validation", "flag"],
  "validation.rules": ["validation", "rules"],
  "settings.unique.fields": ["validation", "lines"],
  "settings.unique.message": ["validation", "line"],
  "self_email_notification.enabled": ["notification", "flag"],
  "self_email_notification.recipients": ["notification", "lines"],
  "self_email_notification.include_spam": ["notification", "flag"],
  "self_email_notification.subject": ["notification", "line"],
  "self_email_notification.template.theme": ["notification", "choice"],
  "self_email_notification.logo_url": ["notification", "line"],
  "self_email_notification.logo_height": ["notification", "number"],
  "self_email_notification.sender.server_id": ["notification", "server"],
  "self_email_notification.sender.name": ["notification", "line"],
  "self_email_notification.sender.email": ["notification", "line"],
  "self_email_notification.template.html": ["notification", "code"],
  "settings.digest.interval": ["notification", "choice"],
  "settings.digest.at": ["notification", "line"],
  "settings.digest.time_zone": ["notification", "line"],
  "settings.routing.rules": ["routing", "routing"],
  "settings.routing.otherwise": ["routing", "target"],
  "auto_response.enabled": ["reply", "flag"],
  "auto_response.subject": ["reply", "line"],
  "auto_response.template.message": ["reply", "area"],
  "auto_response.template.theme": ["reply", "choice"],
  "auto_response.from_name": ["reply", "line"],
  "settings.from_email": ["reply", "line"],
  "auto_response.logo_url": ["reply", "line"],
  "auto_response.logo_height": ["reply", "number"],
  "auto_response.template.html": ["reply", "code"],
  "settings.reply_attachments": ["reply", "lines"],
  "after_submit.page.headline": ["after-submit", "line"],
  "after_submit.page.message": ["after-submit", "area"],
  "after_submit.page.theme": ["after-submit", "choice"],
  "after_submit.page.mode": ["after-submit", "choice"],
  "after_submit.page.primary_color": ["after-submit", "line"],
  "after_submit.page.secondary_color": ["after-submit", "line"],
  "after_submit.page.logo_url": ["after-submit", "line"],
  "after_submit.page.logo_dark_url": ["after-submit", "line"],
  "after_submit.page.logo_size": ["after-submit", "choice"],
  "after_submit.page.return_button.text": ["after-submit", "line"],
  "after_submit.page.return_button.url": ["after-submit", "line"],
  "after_submit.page.download_button.text": ["after-submit", "line"],
  "after_submit.page.download_button.url": ["after-submit", "line"],
  "after_submit.redirect.success_url": ["after-submit", "line"],
  "after_submit.redirect.fail_url": ["after-submit", "line"],
  "after_submit.redirect.append_submission_to_url": ["after-submit", "flag"],
  "settings.edit.enabled": ["after-submit", "flag"],
  "settings.edit.until": ["after-submit", "days"],
  "storage.store_submissions": ["storage", "flag"],
  "storage.keep_for": ["storage", "days"],
  "settings.fields": ["storage", "policies"],
};

/** Every leaf. */
export const allLeaves: readonly Leaf[] = (Object.entries(table) as [LeafPath, Row][]).map(
  ([path, [section, kind, admin]]) => ({ path, section, kind, admin: admin === "admin" }),
);

/** The value at a dot path. */
export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);

/** A patch with one leaf. */
export const patchAt = (path: string, value: unknown): object =>
  path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

/** The value of a leaf in a form. */
export const storedOf = (form: HostForm, { path }: Leaf): unknown => valueAt(form, path);

const fresh = formLeaf.read({ team_id: "" });
const defaults = { ...fresh, settings: settingsOf(fresh) };

/** The value of a leaf until somebody sets it. */
export const defaultOf = ({ path }: Leaf): unknown => valueAt(defaults, path);

interface Def {
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, string>>;
}

/** The values that a leaf may have, if they are listed. */
export function optionsOf({ path }: Leaf): string[] {
  let def = HostFormPatch.def as unknown as Def;
  for (const name of path.split(".")) def = inside(def.shape?.[name]);
  return Object.values(def.entries ?? {});
}

function inside(schema: z.ZodType | undefined): Def {
  const def = (schema?.def ?? {}) as unknown as Def;
  return def.innerType ? inside(def.innerType) : def;
}

/** True if `hide` names a leaf, or a block that it is in, after `settings.`. */
export const hides = (hidden: string, path: string): boolean =>
  ["", "settings."].some((at) => `${path}.`.startsWith(`${at}${hidden.replace(/^settings\./, "")}.`));

/** The leaves of a page that a host does not hide. */
export const leavesOf = (section: Section, hide: readonly string[]): Leaf[] =>
  allLeaves.filter(
    (leaf) => leaf.section === section && !hide.some((one) => one.startsWith("settings.") && hides(one, leaf.path)),
  );
