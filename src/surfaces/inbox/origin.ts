/** Names of this machine, for which browsers send `Sec-Fetch-Site` also over plain http. */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

/**
 * True if a request that changes something comes from one of our own pages. `Sec-Fetch-Site` has to say so, and `Origin` must not
 * say otherwise: no script can write either. Over plain http in a local network browsers leave the first one out, and the
 * second decides.
 */
export function isOwn({ headers }: Request, baseUrl: string): boolean {
  const { origin, protocol, hostname } = new URL(baseUrl);
  const site = headers.get("sec-fetch-site");
  const from = headers.get("origin");
  if (site === null) return protocol === "http:" && !LOCAL.test(hostname) && from === origin;
  return site === "same-origin" && (from === null || from === origin);
}

/** True if a person opened the page, not another site and not the browser in advance. */
export function isOpenedByPerson({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return (site === "same-origin" || site === "none") && !isAhead({ headers });
}

/** True if the browser fetches a page before anybody has asked for it. */
export const isAhead = ({ headers }: Pick<Request, "headers">): boolean =>
  headers.has("sec-purpose") || headers.has("purpose") || headers.has("x-purpose");
