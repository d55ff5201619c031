import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ApiError } from "../../errors.ts";
import type { RawRoute } from "../api/kernel.ts";
import { bundled } from "./bundled.ts";
import type { Settings } from "./options.ts";
import { type Theme, ThemeSchema } from "./options-theme.ts";
import { themeSheet } from "./theme.ts";

/** The files of an inbox. Each address contains a hash of the content, so browsers can cache it forever. */
export interface Assets {
  /** The path of a file below the inbox. */
  readonly css: string;
  readonly js: string;
  readonly theme: string;
  /** The icon of a page without one of the host's, and the same with a dot. */
  readonly icon: string;
  readonly badge: string;
  /** The address of another theme's style sheet. It holds the whole theme, so that any process can make the sheet. */
  themeAt(theme: Theme): string;
  readonly route: RawRoute;
}

interface File {
  readonly type: string;
  readonly body: string;
  /** Made at the first use, once in a process. */
  zipped?: Uint8Array<ArrayBuffer>;
}

const hashed = (body: string): string => createHash("sha256").update(body).digest("hex").slice(0, 12);

/**
 * The files for a theme. Anyone may fetch them: they contain no data of a team, and browsers request some of them without a
 * cookie.
 */
export function createAssets(settings: Settings): Assets {
  const theme = themeSheet(settings.theme);
  const files = new Map<string, File>();
  const added = (name: string, kind: string, file: File): string => {
    const full = `${name}-${hashed(file.body)}.${kind}`;
    files.set(full, file);
    return `/assets/${full}`;
  };
  return {
    css: added("inbox", "css", { ...bundled.css }),
    js: added("inbox", "js", { ...bundled.js }),
    theme: added("theme", "css", { type: bundled.css.type, body: theme }),
    icon: added("icon", "svg", { type: "image/svg+xml", body: iconOf("") }),
    badge: added("unread", "svg", {
      type: "image/svg+xml",
      body: iconOf('<circle cx="24" cy="8" r="8" fill="#d92d20"/>'),
    }),
    themeAt: (own) => `/assets/look-${Buffer.from(JSON.stringify(sheetOf(own))).toString("base64url")}.css`,
    route: {
      method: "GET",
      path: `${settings.path}/assets/:name`,
      unopened: true,
      async handler({ request }, { name = "" }) {
        const file = files.get(name) ?? themeFile(name);
        if (!file) throw new ApiError("not_found");
        const zips = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
        if (zips) file.zipped ??= new Uint8Array(gzipSync(file.body));
        return new Response(zips ? (file.zipped ?? null) : file.body, {
          headers: {
            "content-type": file.type,
            "cache-control": "public, max-age=31536000, immutable",
            vary: "Accept-Encoding",
            "x-content-type-options": "nosniff",
            ...(zips && { "content-encoding": "gzip" }),
          },
        });
      },
    },
  };
}

/** A tray, with something over it. */
const iconOf = (over: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#475467"/><path d="M6 17h5l2 4h6l2-4h5M6 17l4-9h12l4 9v7H6z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/>${over}</svg>`;

/** The members of a theme that its style sheet depends on. */
const sheetOf = ({ primary, mode, font, radius, density, neutral }: Theme) => ({
  primary,
  mode,
  font,
  radius,
  density,
  neutral,
});

/** The style sheet of a theme that stands in its address; anybody may write one, so it is checked like an option. */
function themeFile(name: string): File | null {
  const held = /^look-([A-Za-z0-9_-]{1,700})\.css$/.exec(name)?.[1];
  if (held === undefined) return null;
  try {
    const parsed = ThemeSchema.safeParse(JSON.parse(Buffer.from(held, "base64url").toString()));
    return parsed.success ? { type: bundled.css.type, body: themeSheet(parsed.data) } : null;
  } catch {
    return null;
  }
}
