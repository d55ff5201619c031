import { createLru } from "../../lib/lru.ts";

/**
 * True if a request of the public zone gets JSON instead of a page or a redirect. `mediaType` is that of its body. Fetch
 * metadata distinguish a script's `fetch` from a navigation, even if `Accept` has its default.
 */
export function wantsJson(headers: Headers, mediaType: string): boolean {
  if (mediaType === "application/json" || headers.get("x-requested-with")?.toLowerCase() === "xmlhttprequest")
    return true;
  const { json, page } = preferences(headers.get("accept") ?? "");
  if (!page.named && isByScript(headers)) return true;
  // `application/json, */*`, which many clients send, means a preference for the named type.
  return json.weight > page.weight || (json.weight > 0 && json.weight === page.weight && json.named && !page.named);
}

/** True if the request comes from somebody who follows a link: HTML is named, and nothing asks for JSON. */
export const wantsPage = (headers: Headers): boolean =>
  preferences(headers.get("accept") ?? "").page.named && !wantsJson(headers, "");

const SCRIPT_MODES = new Set(["cors", "same-origin", "no-cors"]);

/** No page can set these headers itself, and every current browser sends them. */
const isByScript = (headers: Headers): boolean =>
  headers.get("sec-fetch-dest") === "empty" || SCRIPT_MODES.has(headers.get("sec-fetch-mode") ?? "");

/** The weight that `Accept` gives to a type, by its most specific range, and whether that names it. */
interface Preference {
  readonly weight: number;
  readonly named: boolean;
}

/** Browsers send a few dozen different headers. */
const known = createLru<{ readonly json: Preference; readonly page: Preference }>(500);
const MAX_KEPT = 300;

function preferences(accept: string): { readonly json: Preference; readonly page: Preference } {
  const before = known.get(accept);
  if (before) return before;
  const both = { json: preference(accept, "application/json"), page: preference(accept, "text/html") };
  if (accept.length <= MAX_KEPT) known.set(accept, both);
  return both;
}

function preference(accept: string, type: string): Preference {
  const ranges = ["*/*", type.replace(/\/.*/, "/*"), type];
  let best = -1;
  let weight = 0;
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const specific = ranges.indexOf(name);
    if (specific <= best) continue;
    best = specific;
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weight = q === undefined ? 1 : Number(q) || 0;
  }
  return { weight, named: best === 2 };
}
