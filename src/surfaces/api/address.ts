import { nodeRequest } from "../../core/http/body.ts";
import { ApiError } from "../../errors.ts";

/** Matches the parts that a URL parser rewrites: a backslash that becomes a slash, and segments of one or two dots. */
const REWRITTEN = /\\|\/\.{1,2}(?:\/|$)/;
/** Letters, digits, `-`, `.` and `_` in code, which no encoder writes: RFC 3986, 2.3 says not to. */
const NEEDLESS = /%(?:3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|2[de])/i;

/** Is in every target that one of those two matches; plain paths have none of it. */
const SUSPECT = /[%\\]|\/\./;

/** A request's URL, and the error if it can't be served. */
export interface Address {
  readonly url: URL;
  readonly fault: ApiError | null;
}

/**
 * The URL of a request. A path that means another one than it shows, such as `/x/../v1` or `/%76%31`, is `not_found`: a host's
 * guard or a proxy in front has judged it as it shows. A `Host` that makes no URL is `invalid_parameter` (RFC 9112, 3.2).
 */
export function requestUrl(request: Request, baseUrl: string): Address {
  const { url: asked } = request;
  const url = parsed(asked);
  if (!url) {
    const message = "The header `Host` is not a host name with a port.";
    return { url: new URL(baseUrl), fault: new ApiError("invalid_parameter", { param: "Host", message }) };
  }
  const node = nodeRequest(request) as { url?: string; originalUrl?: string } | undefined;
  const disguised = isDisguised(asked) || isDisguised(node?.url) || isDisguised(node?.originalUrl);
  return { url, fault: disguised ? new ApiError("not_found") : null };
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isDisguised(target: string | undefined): boolean {
  if (typeof target !== "string" || !SUSPECT.test(target)) return false;
  const path = pathOf(target);
  return REWRITTEN.test(path) || NEEDLESS.test(path);
}

/** The path of a URL, or of a request's target, as it was written. */
const pathOf = (target: string): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*/i, "").replace(/[?#].*$/s, "");
