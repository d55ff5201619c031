/**
 * True if a request of the public zone gets JSON instead of a page or a redirect. `mediaType` is that of its body. Fetch
 * metadata distinguish a script's `fetch` from a navigation, even if `Accept` has its default.
 */
export function wantsJson(headers: Headers, mediaType: string): boolean {
  if (mediaType === "application/json" || headers.get("x-requested-with")?.toLowerCase() === "xmlhttprequest")
    return true;
  const accept = headers.get("accept") ?? "";
  const [json, page] = [preference(accept, "application/json"), preference(accept, "text/html")];
  if (!page.named && isByScript(headers)) return true;
  // `application/json, */*`, which many clients send, means a preference for the named type.
  return json.weight > page.weight || (json.weight > 0 && json.weight === page.weight && json.named && !page.named);
}

const SCRIPT_MODES = new Set(["cors", "same-origin", "no-cors"]);

/** No page can set these headers itself, and every current browser sends them. */
const isByScript = (headers: Headers): boolean =>
  headers.get("sec-fetch-dest") === "empty" || SCRIPT_MODES.has(headers.get("sec-fetch-mode") ?? "");

/** The weight that `Accept` gives to a type, by its most specific range, and whether that names it. */
function preference(accept: string, type: string): { weight: number; named: boolean } {
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
