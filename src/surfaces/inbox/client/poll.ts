import { failed } from "./offline.ts";
import { show } from "./patch.ts";

const EVERY = 15_000;
const LONGEST = 5 * 60_000;

interface Polled {
  readonly fresh: number;
  readonly says: string;
  readonly unread: Readonly<Record<string, number>>;
}

/** Checks for new submissions while the page is visible. It moves no line under the cursor: a button over the list shows the new ones. */
export function polls(): void {
  let wait = EVERY;
  let etag = "";
  const next = (): void => {
    setTimeout(ask, wait);
  };
  async function ask(): Promise<void> {
    const url = document.body.dataset["poll"];
    if (url === undefined || document.hidden) return next();
    try {
      const response = await fetch(url, { headers: etag === "" ? {} : { "if-none-match": etag }, redirect: "manual" });
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
  next();
}

function tell({ fresh, says, unread }: Polled): void {
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
  if (document.body.dataset["unread"] !== undefined)
    document.body.dataset["unread"] = String(Object.values(unread).reduce((sum, n) => sum + n, 0));
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
