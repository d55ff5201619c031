/**
 * Reports to the endpoint that the form is on the page, and, with the first input, that somebody has started it. Returns a
 * function that stops it.
 */
export function report(form: HTMLFormElement): () => void {
  const tell = (what: string): void => {
    const url = new URL(form.getAttribute("action") ?? "", location.href);
    // The page of an endpoint has no query of its own.
    navigator.sendBeacon?.(`${url.origin}${url.pathname.replace(/\/$/, "")}/${what}`);
  };
  const ended = new AbortController();
  const begin = ({ isTrusted }: Event): void => {
    // A draft that is put back is not typed.
    if (!isTrusted) return;
    ended.abort();
    tell("start");
  };
  tell("view");
  form.addEventListener("input", begin, { signal: ended.signal });
  return () => ended.abort();
}
