import { shortcuts } from "./shortcuts.ts";

const rows = (): HTMLTableRowElement[] => [...document.querySelectorAll<HTMLTableRowElement>("tr[data-submission-id]")];
const current = (): HTMLTableRowElement | null => document.querySelector("tr.cursor");

/** Puts the cursor back on its line after the page has changed, or on the one that took its place. */
export function keepCursor(): () => void {
  const at = rows().indexOf(current() as HTMLTableRowElement);
  const id = current()?.dataset["submissionId"];
  return () => {
    if (at < 0) return;
    const all = rows();
    const row = all.find(({ dataset }) => dataset["submissionId"] === id) ?? all[Math.min(at, all.length - 1)];
    row?.classList.add("cursor");
  };
}

/** Puts the cursor on the line that the address names, which the browser scrolls to. */
export function cursorFromAddress(): void {
  const row = rows().find(({ id }) => id !== "" && id === location.hash.slice(1));
  if (!row) return;
  row.classList.add("cursor");
  row.querySelector<HTMLElement>("th a")?.focus({ preventScroll: true });
}

/** Switched off by a cookie, which each key press reads: another window may have written it. */
const isOff = (): boolean => /(^|; )[^=]*-keys=off(;|$)/.test(document.cookie);
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));

let wentFor = 0;

/** The keys of the lists and of a submission. They do nothing in a field, and nothing with Ctrl, Alt or Meta. */
export function keys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (event.key === "Escape" && isTyping(event.target)) (event.target as HTMLElement).blur();
    if (isTyping(event.target) || isOff() || document.querySelector("dialog[open]")) return;
    if (act(event)) event.preventDefault();
  });
}

function act({ key, target }: KeyboardEvent): boolean {
  const form = document.body.dataset["form"];
  if (Date.now() - wentFor < 1500) {
    wentFor = 0;
    const place = { i: "", s: "?status=spam", d: "/deliveries" }[key];
    if (form !== undefined && place !== undefined) return go(form + place);
  }
  switch (key) {
    case "g":
      wentFor = Date.now();
      return true;
    case "j":
    case "k":
      return rows().length > 0 ? move(key === "j" ? 1 : -1) : press(key);
    case "o":
      return open();
    case "Enter":
      return target === document.body || target instanceof HTMLTableRowElement ? open() : false;
    case "x":
      return select();
    case "/":
      return focus("main input[type=search]") || focus(".top input[type=search]");
    case "?":
      return shortcuts();
    case "u":
      return press("u") || (document.body.dataset["back"] !== undefined && go(document.body.dataset["back"]));
    case "e":
    case "a":
    case "l":
    case "z":
    case "U":
    case "!":
    case "#":
    case "r":
      return press(key);
    default:
      return false;
  }
}

function go(url: string): boolean {
  location.assign(url);
  return true;
}

/** The first `j` lands on the first row. */
function move(by: 1 | -1): boolean {
  const all = rows();
  const at = all.indexOf(current() as HTMLTableRowElement);
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  for (const row of all) row.classList.toggle("cursor", row === next);
  const link = next?.querySelector<HTMLElement>("th a");
  link?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
  return true;
}

function open(): boolean {
  const link = current()?.querySelector<HTMLAnchorElement>("th a");
  link?.click();
  return link !== undefined && link !== null;
}

function select(): boolean {
  const box = current()?.querySelector<HTMLInputElement>("input[name=ids]");
  box?.click();
  return box !== undefined && box !== null;
}

function focus(selector: string): boolean {
  const field = document.querySelector<HTMLInputElement>(selector);
  field?.focus();
  field?.select();
  return field !== null;
}

const isSelecting = (): boolean => document.querySelector("input[name=ids]:checked, input[name=all]:checked") !== null;

/** False for a button that acts on lines while none is selected, and none has the cursor. */
export const isReady = (control: HTMLElement): boolean =>
  control.getAttribute("form") !== "bulk" || isSelecting() || current() !== null;

/** The button or link of a key. In a list it acts on the selected lines, otherwise on the line with the cursor. */
function press(key: string): boolean {
  const control = [...document.querySelectorAll<HTMLElement>("[data-key]")].find(
    ({ dataset }) => dataset["key"] === key,
  );
  if (!control || !isReady(control)) return false;
  use(control);
  return true;
}

/** Presses a button, for the line with the cursor where it acts on lines and none is selected. */
export function use(control: HTMLElement): void {
  const box = current()?.querySelector<HTMLInputElement>("input[name=ids]");
  const isForLine = box && control.getAttribute("form") === "bulk" && !isSelecting();
  if (isForLine) box.checked = true;
  control.click();
  // The form has been read: the next key is for the line that has the cursor by then.
  if (isForLine) box.checked = false;
}
