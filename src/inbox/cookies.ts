import type { Options } from "../options/types.ts";

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
  /** The value of a header `Set-Cookie`. */
  write(what: string, value: string, options?: CookieOptions): string;
}

/** `what` is "" for the session. Over plain http browsers refuse both the prefix and `Secure`. */
export function createCookies({ baseUrl, brand }: Pick<Options, "baseUrl" | "brand">): Cookies {
  const secure = new URL(baseUrl).protocol === "https:";
  const slug = brand.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const nameOf = (what: string): string =>
    `${secure ? "__Host-" : ""}${slug || "inbox"}${what === "" ? "" : `-${what}`}`;
  return {
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
      return `${nameOf(what)}=${value}; Path=/${age}; SameSite=Lax${readable ? "" : "; HttpOnly"}${secure ? "; Secure" : ""}`;
    },
  };
}
