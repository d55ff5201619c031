import { showAvailability } from "./availability.ts";
import { keepDraft } from "./draft.ts";
import { report } from "./report.ts";
import { sendSource } from "./source.ts";

/** Optional features of a form besides sending it. */
export interface Extras {
  /**
   * Stores input until it is sent, for seven days: `local` in this browser, `server` at the endpoint of a form with drafts.
   * Default: neither.
   */
  draft?: "local" | "server" | undefined;
  /** Reports to a form with statistics that it was seen, now, and begun, with the first input. Default: false. */
  statistics?: boolean | undefined;
  /** Sends where the visit began, for forms that keep it: campaign, click ids, first page and referrer. Default: false. */
  source?: boolean | undefined;
  /**
   * Says how many places are left, and disables the form while it takes nothing, for forms whose `availability` is public. The
   * sentence is in the element `data-form-backend-availability`, or at the end of the form. Default: false.
   */
  availability?: boolean | undefined;
}

/** Begins them; answers a function that ends them. */
export function attend(form: HTMLFormElement, { draft, statistics, source, availability }: Extras): () => void {
  const ends = [
    draft && keepDraft(form, draft),
    statistics && report(form),
    source && sendSource(form),
    availability && showAvailability(form),
  ];
  return () => {
    for (const end of ends) if (end) end();
  };
}

/** The part of a form's store that tells when it was sent. */
interface Sends {
  get(): { readonly state: string };
  subscribe(listener: () => void): () => void;
}

interface Followed {
  readonly form: HTMLFormElement;
  end(): void;
}

const followed = new WeakMap<object, Followed>();

/** The same for a form of a framework, which calls this whenever it renders, and with null when the form leaves the page. */
export function follow(store: Sends, form: HTMLFormElement | null, extras: Extras): void {
  const before = followed.get(store);
  if (form === before?.form) return;
  before?.end();
  followed.delete(store);
  if (!form) return;
  const leave = attend(form, extras);
  let { state } = store.get();
  const unsubscribe = store.subscribe(() => {
    const now = store.get().state;
    // A draft of what was sent is of no more use, also where the fields keep their values; either answer tells of the places left.
    const type = now === "succeeded" ? "success" : now === "failed" && "error";
    if (now !== state && type) form.dispatchEvent(new Event(`form-backend:${type}`));
    state = now;
  });
  followed.set(store, {
    form,
    end() {
      leave();
      unsubscribe();
    },
  });
}
