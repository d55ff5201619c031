import { z } from "zod";
import { scopes } from "../../model/keys.ts";
import type { InboxUser } from "../api/inbox.ts";
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
  /** The theme. */
  theme?: InboxTheme;
  /** The time zone of the times shown, such as `Europe/Berlin`, until the browser reports its own. Default `UTC`. */
  time_zone?: string;
  /** Other origins whose pages may show the inbox in a frame. Default: none. */
  embed?: {
    /** Exact origins, such as `https://app.acme.example`, at most 100. */
    origins: string[];
  };
  /**
   * Hidden pages, by their names in the address, such as `export` or `new`, and hidden settings, such as
   * `settings.storage.keep_for`.
   */
  hide?: string[];
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

/** The look of the inbox. */
export interface InboxTheme {
  /** An image instead of the brand's name: an https URL, or a path of your site. */
  logo_url?: string;
  /** The same for dark mode. Default: `logo_url`. */
  logo_dark_url?: string;
  /** The accent color, `#rrggbb`. It is made darker or lighter where it would be hard to read. Default `#2563eb`. */
  primary?: string;
  /** Light, dark, or the setting of the reader's system. Default `system`. */
  mode?: "light" | "dark" | "system";
  /** A link back to your application. */
  back?: { text: string; url: string };
}

type Person = InboxUser | null | undefined | false;

/** The parts of the inbox that `hide` may name. */
const parts =
  "all bulk export deliveries webhooks settings preview spam stats install new team keys replies email-servers suppressions people audit shortcuts".split(
    " ",
  );

const HIDEABLE = `must be one of ${parts.join(", ")}, or settings. and the path of a setting, such as settings.storage.keep_for`;
const isHideable = (name: string): boolean =>
  parts.includes(name) || (name.startsWith("settings.") && allLeaves.some(({ path }) => hides(name, path)));

const zone = z.string().refine((name) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}, "must be a time zone such as Europe/Berlin");
const address = z
  .string()
  .refine(
    (url) => /^\/(?!\/)/.test(url) || /^https?:\/\//.test(url),
    "must be an https address, or a path such as /logo.svg",
  )
  .refine((url) => URL.canParse(url, "https://localhost"), "is not an address");
/** One that browsers can read in `frame-ancestors`: they drop a list with a wrong entry. */
const EmbedOrigin = z
  .string()
  .refine(
    (value) => /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value,
    "must be an exact origin such as https://app.example.com, without a path or a wildcard",
  )
  .refine((value) => !/[;,\s*'"]/.test(value), "must be an exact origin such as https://app.example.com");
const fn = <T>() => z.custom<T>((value) => typeof value === "function", "must be a function");

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
  theme: z
    .strictObject({
      logo_url: address.optional(),
      logo_dark_url: address.optional(),
      primary: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, "must be a color such as #2563eb")
        .default("#2563eb"),
      mode: z.enum(["light", "dark", "system"], "must be light, dark or system").default("system"),
      back: z.strictObject({ text: z.string().min(1).max(100), url: address }).optional(),
    })
    .prefault({}),
  time_zone: zone.default("UTC"),
  embed: z.strictObject({ origins: z.array(EmbedOrigin).min(1, "must name at least one origin").max(100) }).optional(),
  hide: z.array(z.string().refine(isHideable, HIDEABLE)).default([]),
  redact: z
    .strictObject({
      fields: z.array(z.string().min(1).max(200)).min(1).max(100),
      value: fn<NonNullable<InboxOptions["redact"]>["value"]>(),
    })
    .optional(),
});

/** The options with their defaults. */
export type Settings = z.output<typeof OptionsSchema>;

/** Checks the options and fills in defaults. Throws a TypeError that names the option. */
export function settingsOf(options: InboxOptions): Settings {
  const parsed = OptionsSchema.safeParse(options, { reportInput: true });
  if (!parsed.success) throw new TypeError(`[form-backend] inbox: ${faultOf(parsed.error, "option ")}`);
  return parsed.data;
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

const rights = ["export", "keys", "email_servers", "erase"] as const;
const member = {
  team_ids: z.array(z.string().min(1).max(64)).max(1_000),
  role: z.enum(["viewer", "agent", "editor", "admin"], "must be viewer, agent, editor or admin").optional(),
  scopes: z.union([z.literal("all"), z.array(z.enum(scopes))]).optional(),
  form_ids: z.array(z.string().min(1).max(64)).max(1_000).nullish(),
  can: z.array(z.enum(rights, `must be one of ${rights.join(", ")}`)).optional(),
  locale: z.string().max(64).optional(),
  time_zone: zone.optional(),
};
const named = { id: z.string().min(1).max(200), name: z.string().max(200) };
const ROLE = "must be viewer, agent, editor or admin, or left out where `scopes` is given";
const hasRights = (user: { role?: unknown; scopes?: unknown }) =>
  (user.role === undefined) !== (user.scopes === undefined);

/** The user that `authenticate` returns. */
export const UserSchema = z.object({ ...named, ...member }).refine(hasRights, { error: ROLE, path: ["role"] });
export type User = z.output<typeof UserSchema>;

/** A link for a frame is used at once, without a press of a button, so it lives shortly. */
export const EMBED_SECONDS = 60;

/** The input of `backend.inbox.link`. */
export const LinkSchema = z
  .strictObject({
    ...member,
    user: z.strictObject(named),
    to: z
      .string()
      .max(2_000)
      .regex(/^\/(?![/\\])[^\\\s]*$/, "must be a path below the inbox, such as /f/Ab3dE6gH9jK")
      .default("/"),
    embed: z.boolean().default(false),
    expires_in: z
      .number()
      .int()
      .min(1, "must be at least 1 second")
      .max(86_400, "must be at most 86,400 seconds")
      .optional(),
  })
  .refine(hasRights, { error: ROLE, path: ["role"] })
  .refine(({ embed, expires_in = 0 }) => !embed || expires_in <= EMBED_SECONDS, {
    error: `must be at most ${EMBED_SECONDS} seconds with \`embed\``,
    path: ["expires_in"],
  });
