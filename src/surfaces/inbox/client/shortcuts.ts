import { modal } from "./modal.ts";

/** Shows the page of the keys over this one. False where there is no link to it. */
export function shortcuts(): boolean {
  const link = document.querySelector<HTMLAnchorElement>('a[data-key="?"]');
  if (!link) return false;
  if (!document.querySelector("dialog.over[open]")) open(link).catch(() => location.assign(link.href));
  return true;
}

async function open(link: HTMLAnchorElement): Promise<void> {
  const response = await fetch(link.href);
  if (!response.ok) throw new Error("no page");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = page.querySelector("main > .narrow");
  if (!content) throw new Error("no page");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet";
  close.textContent = document.body.dataset["leave"] ?? "";
  content.querySelector(".actions")?.append(close);
  const dialog = modal(link.textContent ?? "", "wide", [content]);
  close.addEventListener("click", () => dialog.close());
  // The browser gives the focus to the first control, which is at the end.
  dialog.tabIndex = -1;
  dialog.focus();
  dialog.scrollTop = 0;
}
