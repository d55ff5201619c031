import { z } from "zod";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import type { InboxUser } from "../api/inbox.ts";
import { zone } from "./options-people.ts";
import { address, assertListed, type InboxTheme, type Theme, ThemeSchema } from "./options-theme.ts";
import { textAt } from "./own-texts.ts";
import { allLeaves, hides } from "./settings/leaves.ts";

/** Options of `inbox`. */
export interface InboxOptions {
  /** Its path below `baseUrl`. Default `/inbox`. */
  path?: string;
  /**
   * Returns the person who is signed in at your application, or null. It is called for every page. For a request that changes
   * something, it is called only once the request is known to come from a page of the inbox itself.
   */
  authenticate?: (request: Request) => Person | Promise<Person>;
  /** Returns where to send somebody who is not signed in. Without it, that person gets a page that says "not found". */
  signIn?: (request: Request) => string | Promise<string>;
  /** Lets people sign in with an API key. Default false. */
  apiKeys?: boolean;
  /**
   * The theme, or a function that returns it for a person. Pages without a person, such as the one to sign in, then have the default.
   * Without a function, somebody who sees one team alone gets that team's logo and color.
   */
  theme?: InboxTheme | ((person: InboxUser) => InboxTheme);
  /** The time zone of the times shown, such as `Europe/Berlin`, until the browser reports its own. Default `UTC`. */
  time_zone?: string;
  /** Other origins whose pages may show the inbox in a frame. Default: none. */
  embed?: {
    /** Exact origins, such as `https://app.acme.example`, at most 100. */
    origins: string[];
    /** False leaves out the bar and the menu in frames, whose page then leads through the inbox itself. Default true. */
    chrome?: boolean;
  };
  /**
   * Hidden pages, by their names in the address, such as `export` or `new`, hidden settings, such as
   * `settings.storage.keep_for`, and `presence`, which tells who else is at a submission; or a function that returns them for a person.
   */
  hide?: string[] | ((person: InboxUser) => string[]);
  /** Returns the fields that a list of this form shows, at most 4, in place of what is found first in a submission. */
  columns?: (form: { id: string; name: string; team_id: string }) => string[];
  /** Returns links that are shown with a submission, at most 10, such as one to the customer in your application. */
  links?: (submission: HostSubmission, person: InboxUser) => { text: string; url: string }[];
  /** Texts of the inbox in your own words, by language and name, such as `{ en: { "list.inbox": "Messages" } }`. */
  texts?: Record<string, Record<string, string>> | ((person: InboxUser) => Record<string, Record<string, string>>);
  /**
   * Fields whose values and files nobody sees or exports here, and what is shown in place of the values. They can't be searched
   * either.
   */
  redact?: {
    /** Names of fields, with `*` for any characters, such as `iban` or `card_*`. */
    fields: string[];
    /** Returns what to show. */
    value: (of: { user: InboxUser; form_id: string; key: string; value: string }) => string;
  };
}

type Person = InboxUser | null | undefined | false;

/** The parts of the inbox that `hide` may name. */
const parts =
  "all bulk export deliveries webhooks settings preview spam stats install new team keys replies email-servers suppressions people audit shortcuts views presence".split(
    " ",
  );

const HIDEABLE = `must be one of ${parts.join(", ")}, or settings. and the path of a setting, such as settings.storage.keep_for`;
const isHideable = (name: string): boolean =>
  parts.includes(name) || (name.startsWith("settings.") && allLeaves.some(({ path }) => hides(name, path)));

/** One that browsers can read in `frame-ancestors`: they drop a list with a wrong entry. */
const EmbedOrigin = z
  .string()
  .refine(
    (value) => /^https?:\/\//.test(value) && canParseUrl(value) && new URL(value).origin === value,
    "must be an exact origin such as https://app.example.com, without a path or a wildcard",
  )
  .refine((value) => !/[;,\s*'"]/.test(value), "must be an exact origin such as https://app.example.com");
type ThemeOf = (person: InboxUser) => InboxTheme;
type HideOf = (person: InboxUser) => string[];
/** Texts of the host's, by language and name. */
export type OwnTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;
type TextsOf = (person: InboxUser) => OwnTexts;

export const TextsSchema = z.record(
  z.string().min(2).max(35),
  z.record(z.string(), z.string().max(2_000)).superRefine((texts, context) => {
    const unknown = Object.keys(texts).find((name) => textAt(name) === undefined);
    if (unknown !== undefined)
      context.addIssue({ code: "custom", path: [unknown], message: "is no text of the inbox" });
  }),
);
export const LinksSchema = z
  .array(z.strictObject({ text: z.string().min(1).max(100), url: address }))
  .max(10, "must be at most 10 links");
const MAX_COLUMNS = 4;
export const ColumnsSchema = z.array(z.string().min(1).max(128)).transform((names) => names.slice(0, MAX_COLUMNS));

/** A function of the host's, or what the schema says; its faults keep their places, which those of a union lose. */
const orFunction = <F, S extends z.ZodType>(schema: S) =>
  z
    .unknown()
    .optional()
    .transform((value, context): F | z.output<S> => {
      if (typeof value === "function") return value as F;
      const parsed = schema.safeParse(value, { reportInput: true });
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as never);
      return z.NEVER;
    });

const fn = <T>() => z.custom<T>((value) => typeof value === "function", "must be a function");

/** Hidden parts, from the options or a function of the host's. */
export const HideSchema = z.array(z.string().refine(isHideable, HIDEABLE)).default([]);

const OptionsSchema = z.strictObject({
  path: z
    .string()
    .regex(/^(\/[a-z0-9_-]+)+$/i, "must be a path such as /inbox, of letters, digits, - and _")
    .refine(
      (path) => !/^\/(f|p|s|c|v1|api|files|images)(\/|$)/i.test(path),
      "is taken by the backend; choose another one",
    )
    .default("/inbox"),
  authenticate: fn<NonNullable<InboxOptions["authenticate"]>>().optional(),
  signIn: fn<NonNullable<InboxOptions["signIn"]>>().optional(),
  apiKeys: z.boolean().default(false),
  theme: orFunction<ThemeOf, typeof ThemeSchema>(ThemeSchema),
  time_zone: zone.default("UTC"),
  embed: z
    .strictObject({
      origins: z.array(EmbedOrigin).min(1, "must name at least one origin").max(100),
      chrome: z.boolean().default(true),
    })
    .optional(),
  hide: orFunction<HideOf, typeof HideSchema>(HideSchema),
  columns: fn<NonNullable<InboxOptions["columns"]>>().optional(),
  links: fn<NonNullable<InboxOptions["links"]>>().optional(),
  texts: orFunction<TextsOf, z.ZodOptional<typeof TextsSchema>>(TextsSchema.optional()),
  redact: z
    .strictObject({
      fields: z.array(z.string().min(1).max(200)).min(1).max(100),
      value: fn<NonNullable<InboxOptions["redact"]>["value"]>(),
    })
    .optional(),
});

type Parsed = z.output<typeof OptionsSchema>;

/** The options with their defaults, and as they are for everybody; for one person, `per-person.ts` has them. */
export interface Settings extends Omit<Parsed, "theme" | "hide" | "texts"> {
  readonly theme: Theme;
  readonly hide: readonly string[];
  readonly texts: OwnTexts | undefined;
  readonly themeOf: ThemeOf | undefined;
  readonly hideOf: HideOf | undefined;
  readonly textsOf: TextsOf | undefined;
}

/** Checks the options and fills in defaults. Throws a TypeError that names the option. */
export function settingsOf(options: InboxOptions): Settings {
  const parsed = OptionsSchema.safeParse(options, { reportInput: true });
  if (!parsed.success) throw new TypeError(`[form-backend] inbox: ${faultOf(parsed.error, "option ")}`);
  const { theme, hide, texts, ...rest } = parsed.data;
  const settings: Settings = {
    ...rest,
    theme: typeof theme === "function" ? ThemeSchema.parse({}) : theme,
    hide: typeof hide === "function" ? [] : hide,
    texts: typeof texts === "function" ? undefined : texts,
    themeOf: typeof theme === "function" ? theme : undefined,
    hideOf: typeof hide === "function" ? hide : undefined,
    textsOf: typeof texts === "function" ? texts : undefined,
  };
  assertListed(settings.theme, settings);
  return settings;
}

/** Checks the value that a function of the host's has returned. Throws a TypeError that names the option. */
export function answered<T extends z.ZodType>(name: string, schema: T, ask: () => unknown): z.output<T> {
  const parsed = schema.safeParse(ask(), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new TypeError(`[form-backend] inbox: \`${name}\` returned a value whose ${faultOf(parsed.error, "member ")}`);
}

/** Throws a TypeError where a frame could not keep its cookie: browsers want https, but for this machine. */
export function assertEmbeddable({ embed }: Settings, baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (!embed || protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/.test(hostname)) return;
  throw new TypeError("[form-backend] inbox: option `embed` needs a `baseUrl` with https, for its cookie");
}

/** The first fault, with the name of the member. */
export function faultOf(error: z.ZodError, what: string): string {
  const [issue] = error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const name = [...(issue?.path ?? []), ...unknown].join(".");
  return `${what}\`${name}\` ${unknown.length > 0 ? "is not known" : /^(must|is)\b/.test(issue?.message ?? "") ? issue?.message : `is wrong: ${issue?.message}`}`;
}
