import { slugOf } from "../../lib/brand.ts";
import type { Options } from "../api/kernel.ts";

/** Attributes of a cookie. */
interface CookieOptions {
  /** Without it, the cookie lasts as long as the browser's session. 0 removes it. */
  readonly seconds?: number;
  /** True if the client script may read it. */
  readonly readable?: boolean;
}

/** The cookies of an inbox: named after the brand, bound to the host, and sent only with requests of its own pages. */
export interface Cookies {
  read(request: Request, what: string): string | null;
  /** The name of the session in a frame of another page, which has a cookie of its own there. */
  readonly framed: string;
  /** The value of a header `Set-Cookie`. */
  write(what: string, value: string, options?: CookieOptions): string;
}

const FRAMED = "frame";

/**
 * `what` is "" for the session. Over plain http browsers refuse both the prefix and `Secure`. `embeds` is true where frames need
 * cookies: those are kept apart for each page around (CHIPS), so blocked third-party cookies do not concern them.
 */
export function createCookies({ baseUrl, brand }: Pick<Options, "baseUrl" | "brand">, embeds: boolean): Cookies {
  const secure = new URL(baseUrl).protocol === "https:";
  const nameOf = (what: string): string =>
    `${secure ? "__Host-" : ""}${slugOf(brand.name) || "inbox"}${what === "" ? "" : `-${what}`}`;
  return {
    framed: FRAMED,
    read({ headers }, what) {
      const name = nameOf(what);
      for (const pair of (headers.get("cookie") ?? "").split(";")) {
        const at = pair.indexOf("=");
        if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
      }
      return null;
    },
    write(what, value, { seconds, readable = false } = {}) {
      const age = seconds === undefined ? "" : `; Max-Age=${seconds}`;
      // The session outside a frame stays with requests of its own pages.
      const site =
        embeds && what !== "" ? "SameSite=None; Secure; Partitioned" : `SameSite=Lax${secure ? "; Secure" : ""}`;
      return `${nameOf(what)}=${value}; Path=/${age}; ${site}${readable ? "" : "; HttpOnly"}`;
    },
  };
}
