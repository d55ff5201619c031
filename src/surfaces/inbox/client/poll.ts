import { follow } from "./follow.ts";
import { failed } from "./offline.ts";
import { show } from "./patch.ts";
import { saying, showThere, writes } from "./there.ts";
import { news } from "./told.ts";

const EVERY = 15_000;
const LONGEST = 5 * 60_000;

/** A page that nobody sees asks less often: only its title and its icon depend on it. */
const HIDDEN = 60_000;

interface Polled {
  readonly fresh: number;
  readonly says: string;
  /** Of all that the list has; it changes when somebody has done something to one of them. */
  readonly state?: string;
  /** The others at the submissions of the page. */
  readonly there?: Parameters<typeof showThere>[0];
  /** The number of unread ones, as a sentence. */
  readonly total: string;
  readonly unread: Readonly<Record<string, number>>;
}

/** Checks for new submissions, and for what others have done to those of the list. It moves no line under the cursor: a button over the list shows the new ones. */
export function polls(): void {
  let wait = EVERY;
  let etag = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    timer = setTimeout(ask, document.hidden ? Math.max(wait, HIDDEN) : wait);
  };
  /** Asks now in place of later. A request that is under way asks again in its time. */
  const hurry = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    void ask();
  };
  async function ask(): Promise<void> {
    timer = undefined;
    const url = document.body.dataset["poll"];
    if (url === undefined) return next();
    try {
      const response = await fetch(saying(url), {
        headers: etag === "" ? {} : { "if-none-match": etag },
        redirect: "manual",
      });
      if (response.ok) {
        etag = response.headers.get("etag") ?? "";
        tell((await response.json()) as Polled);
      }
      wait = response.ok || response.status === 304 ? EVERY : Math.min(wait * 2, LONGEST);
    } catch {
      wait = Math.min(wait * 2, LONGEST);
    }
    next();
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) wait = EVERY;
  });
  writes(hurry);
  next();
}

let state: string | undefined;

function tell({ fresh, says, unread, total, state: now, there }: Polled): void {
  const changed = state !== undefined && now !== undefined && now !== state && fresh === 0;
  state = now;
  if (changed) follow().catch(() => {});
  if (there) showThere(there);
  for (const link of document.querySelectorAll<HTMLElement>(".side a[data-form-id]")) {
    const n = unread[link.dataset["formId"] ?? ""] ?? 0;
    let badge = link.querySelector(".badge");
    if (n === 0) badge?.remove();
    else {
      if (!badge) {
        badge = document.createElement("span");
        badge.className = "badge";
        link.append(badge);
      }
      badge.textContent = String(n);
    }
  }
  news(
    Object.values(unread).reduce((sum, n) => sum + n, 0),
    total,
  );
  const known = document.querySelector(".fresh");
  if (fresh === 0) return;
  const pill = known ?? document.createElement("p");
  pill.className = "fresh";
  pill.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = says;
  button.addEventListener("click", () => {
    show(location.href, {}, true).catch((error: unknown) => failed(error, () => location.reload()));
  });
  pill.replaceChildren(button);
  const list = document.querySelector(".list, .empty");
  if (!known) list?.before(pill);
}
