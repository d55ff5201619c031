/** In a frame without bars: tells the page around it of the height, the path and what is unread, and goes where that page says. */
export function frames(): void {
  const { frame, base = "/" } = document.body.dataset;
  if (frame === undefined || window.parent === window) return;
  const around = originAround(frame.split(" "));
  if (around === null) return;
  const inbox = new URL(base).pathname.replace(/\/$/, "");
  let last = "";
  const tell = (): void => {
    const said = {
      type: "form-backend",
      height: Math.ceil(document.body.getBoundingClientRect().height),
      path: (location.pathname.slice(inbox.length) || "/") + location.search,
      unread: Number(document.body.dataset["unread"] ?? 0),
    };
    if (JSON.stringify(said) === last) return;
    last = JSON.stringify(said);
    window.parent.postMessage(said, around);
  };
  new ResizeObserver(tell).observe(document.body);
  new MutationObserver(tell).observe(document.body, { attributes: true, attributeFilter: ["data-unread"] });
  addEventListener("message", ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== window.parent || origin !== around || typeof data !== "object" || data === null) return;
    const { type, path } = data as { type?: unknown; path?: unknown };
    // A path below the inbox: no other page, no script.
    if (type !== "form-backend:go" || typeof path !== "string" || !/^\/(?![/\\])/.test(path)) return;
    const to = new URL(inbox + path, location.origin);
    if (to.pathname === inbox || to.pathname.startsWith(`${inbox}/`)) location.assign(to.href);
  });
  tell();
}

/** The origin of the page around the frame, if it is listed. Firefox tells it by the referrer of the first page alone. */
function originAround(listed: readonly string[]): string | null {
  const KEY = "frame-origin";
  const referrer = URL.canParse(document.referrer) ? new URL(document.referrer).origin : "";
  const candidates = [location.ancestorOrigins?.[0], referrer, sessionStorage.getItem(KEY)];
  const found = candidates.find((origin) => origin != null && listed.includes(origin)) ?? null;
  if (found !== null) sessionStorage.setItem(KEY, found);
  return found;
}
