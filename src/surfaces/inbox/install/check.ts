import { canParseUrl } from "../../../lib/can-parse-url.ts";
import type { HostForm } from "../../../model/forms.ts";

const WAIT_MS = 5_000;

/** The result of a look at the endpoint from outside: `ok`, a status that is not ours, or null for none. */
export type EndpointState = "ok" | number | null;

/** Asks the endpoint as a script would, without posting anything. It goes to the address of this service alone. */
export async function endpointState({ endpoint }: HostForm): Promise<EndpointState> {
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    const response = await fetch(endpoint, { headers: { accept: "application/json" }, redirect: "manual", signal });
    await response.body?.cancel();
    return response.status === 405 && (response.headers.get("allow") ?? "").includes("POST") ? "ok" : response.status;
  } catch {
    return null;
  }
}

/** The origin of a page that somebody typed; null where it is none. */
export function originOfPage(typed: string): string | null {
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (typed.length > 2_000 || !canParseUrl(url)) return null;
  const { origin, hostname } = new URL(url);
  return hostname === "" || origin === "null" ? null : origin;
}

/** True if a form accepts posts from pages of an origin. */
export const accepts = ({ settings: { allowed_origins } }: HostForm, origin: string): boolean =>
  allowed_origins.length === 0 || allowed_origins.includes(origin);
