/** An address below the endpoint of a form. The page of an endpoint has no query of its own. */
export function below(form: HTMLFormElement, what: string): string {
  const { origin, pathname } = new URL(form.getAttribute("action") ?? "", location.href);
  return `${origin}${pathname.replace(/\/$/, "")}/${what}`;
}

/**
 * Reports to the endpoint that the form is on the page, and, with the first input, that somebody has started it. Returns a
 * function that stops it.
 */
export function report(form: HTMLFormElement): () => void {
  const tell = (what: string): void => void navigator.sendBeacon?.(below(form, what));
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
