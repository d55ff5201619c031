import { controlsOf, region } from "./notes.ts";
import { below } from "./report.ts";

/** The longest time that a timer can wait. */
const MAX_WAIT = 2 ** 31 - 1;

interface Availability {
  open: boolean;
  opens_at: string | null;
  closes_at: string | null;
  text: string;
}

/**
 * Shows the places left of a form, or why it takes nothing, and disables it for so long: now, after each answer to a post, and when
 * it opens or closes. Returns a function that stops it. Where the endpoint does not tell, the form stays as it is.
 */
export function showAvailability(form: HTMLFormElement): () => void {
  const closed = new Set<HTMLInputElement>();
  const ended = new AbortController();
  const { signal } = ended;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;

  const reopen = (): void => {
    for (const control of closed) control.disabled = false;
    closed.clear();
  };
  const ask = async (cache: RequestCache): Promise<void> => {
    const mine = ++asked;
    const told: Availability | null = await fetch(below(form, "availability?text"), {
      cache,
      signal,
      credentials: "omit",
    })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null);
    // A later question has the later answer.
    if (!told || mine !== asked || signal.aborted) return;
    const focused = form.contains(document.activeElement);
    const place = region(form, "availability");
    if (place.textContent !== told.text) place.textContent = told.text;
    reopen();
    if (!told.open) {
      for (const control of controlsOf(form) as Iterable<HTMLInputElement>)
        if (!control.disabled) {
          control.disabled = true;
          closed.add(control);
        }
      // A control that is disabled loses the focus, and keyboard users would lose their place.
      if (focused) {
        place.setAttribute("tabindex", "-1");
        (place as HTMLElement).focus();
      }
    }
    const now = Date.now();
    const next = [told.opens_at, told.closes_at].map((time) => Date.parse(time as string) - now).filter((ms) => ms > 0);
    clearTimeout(timer);
    if (next.length) timer = setTimeout(again, Math.min(MAX_WAIT, Math.min(...next) + 100));
  };
  const again = (): void => void ask("no-store");
  void ask("default");
  for (const type of ["success", "error"]) form.addEventListener(`form-backend:${type}`, again, { signal });
  return () => {
    ended.abort();
    clearTimeout(timer);
    reopen();
  };
}
