import { z } from "zod";
import { USUAL_PRIMARY } from "../../lib/brand.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";

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
  /** The names of fonts that the reader's system or `css_url` has, such as `"Inter", sans-serif`. */
  font?: string;
  /** The radius of corners, in pixels from 0 to 24. Default 7. */
  radius?: number;
  /** The distance of lines. Default `comfortable`. */
  density?: "comfortable" | "compact";
  /** The color that greys lean towards, `#rrggbb`. Default: a cool grey. */
  neutral?: string;
  /** The icon of the browser's tab: an https URL, or a path of your site. */
  favicon?: string;
  /** A style sheet of yours, loaded last: a path of your site, or a URL of one of `embed.origins`. */
  css_url?: string;
}

/** An address of the web, or a path of the host's site. */
export const address = z
  .string()
  .refine(
    (url) => /^\/(?!\/)/.test(url) || /^https?:\/\//.test(url),
    "must be an https address, or a path such as /logo.svg",
  )
  .refine((url) => canParseUrl(url, "https://localhost"), "is not an address");
const colour = z.string().regex(/^#[0-9a-f]{6}$/i, "must be a color such as #2563eb");

/** The look of an inbox, from the options or a function of the host's. */
export const ThemeSchema = z
  .strictObject({
    logo_url: address.optional(),
    logo_dark_url: address.optional(),
    primary: colour.default(USUAL_PRIMARY),
    mode: z.enum(["light", "dark", "system"], "must be light, dark or system").default("system"),
    back: z.strictObject({ text: z.string().min(1).max(100), url: address }).optional(),
    // It goes into a style sheet as it is.
    font: z
      .string()
      .max(200)
      .regex(/^[\p{L}\p{N} ,"'-]+$/u, "must be names of fonts, with commas between them")
      .refine((names) => !/^[^"]*"[^"]*$|^[^']*'[^']*$/.test(names), "must be names of fonts, with commas between them")
      .optional(),
    radius: z.number().min(0).max(24).default(7),
    density: z.enum(["comfortable", "compact"], "must be comfortable or compact").default("comfortable"),
    neutral: colour.optional(),
    favicon: address.optional(),
    css_url: address.optional(),
  })
  .prefault({});
export type Theme = z.output<typeof ThemeSchema>;

/** Throws a TypeError for a style sheet of an origin that the host has not named. */
export function assertListed(
  { css_url }: Theme,
  { embed }: { readonly embed?: { readonly origins: readonly string[] } | undefined },
): void {
  if (css_url === undefined || css_url.startsWith("/") || embed?.origins.includes(new URL(css_url).origin)) return;
  throw new TypeError(
    "[form-backend] inbox: option `theme.css_url` must be a path of your site, or a URL of one of `embed.origins`",
  );
}
