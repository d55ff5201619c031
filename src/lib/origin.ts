import { canParseUrl } from "./can-parse-url.ts";

/** True for the origin of a web page, as browsers send it: no path, no trailing slash. */
export const isOrigin = (value: string): boolean => canParseUrl(value) && new URL(value).origin === value;

export const ORIGIN = "must be an origin such as https://example.com";

/** Characters that the host of a URL may have, and that a policy reads as syntax: `https://a.example;sandbox` is two directives. */
const POLICY_SIGNS = /[;,*'"]/;

/** The origins of URLs as sources of a Content-Security-Policy. Those that would say more there than an origin are left out. */
export const policySources = (urls: readonly string[]): string[] => [
  ...new Set(
    urls
      .filter((url) => canParseUrl(url))
      .map((url) => new URL(url).origin)
      .filter((origin) => !POLICY_SIGNS.test(origin)),
  ),
];
