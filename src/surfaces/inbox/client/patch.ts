import { Idiomorph } from "idiomorph";
import { keepCursor } from "./keys.ts";
import { failed } from "./offline.ts";

/** The page that is being fetched, which the next one ends. */
let reading: AbortController | null = null;
/** The acts under way: each waits for the one before, and none is ended. */
let acts: Promise<void> = Promise.resolve();
const withoutPlace = (): string => location.href.split("#", 1)[0] as string;
/** The address of the page that is shown. */
let shownAt = withoutPlace();
let dressed: () => void = () => {};

/** Sends marked forms without leaving the page. On any error, the browser does the same as without a script. */
export function patches(dress: () => void): void {
  dressed = dress;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute("data-patch")) return;
    const { submitter } = event;
    // A download, which the browser does best.
    if (submitter instanceof HTMLButtonElement && submitter.formMethod === "get") return;
    event.preventDefault();
    const data = new FormData(form, submitter);
    const body = new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));
    show(addressOf(form), { method: "POST", body }).catch((error: unknown) => {
      // Without a second press: the act may have been done, and the page will tell. Acts that wait are done before.
      failed(error, () => void acts.then(() => location.reload()));
    });
  });
  let typed: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches("[data-search]") || !target.form) return;
    const { form } = target;
    clearTimeout(typed);
    typed = setTimeout(() => {
      const params = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (value !== "") params.append(name, String(value));
      const url = new URL(addressOf(form));
      url.search = params.toString();
      // Not by the form, whose policy refuses a login page on another site.
      show(url.href, {}, true).catch((error: unknown) => failed(error, () => location.assign(url)));
    }, 350);
  });
}

/** Not `form.action`, which is the button of that name where there is one. */
const addressOf = (form: HTMLFormElement): string => new URL(form.getAttribute("action") ?? "", location.href).href;

/** Fetches a page and replaces this one: focus, scroll position and open parts stay as they are. */
export function show(url: string, init: RequestInit = {}, replace = false): Promise<void> {
  reading?.abort();
  reading = init.method === "POST" ? null : new AbortController();
  const signal = reading?.signal ?? null;
  const shown = acts.then(() => patch(url, { ...init, signal }, replace));
  if (!signal) acts = shown.catch(() => {});
  return shown.catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

async function patch(url: string, init: RequestInit, replace: boolean): Promise<void> {
  const response = await fetch(url, { ...init, headers: { "x-fragment": "main" } });
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!response.ok || !isPage || new URL(response.url).origin !== location.origin) throw new Error("no page");
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const [main, side] = [next.querySelector("main"), next.querySelector(".side nav")];
  if (!main || !next.querySelector(".app, body.bare")) throw new Error("no page");
  const options = { morphStyle: "outerHTML", ignoreActiveValue: true, restoreFocus: true } as const;
  const old = document.querySelector("main");
  if (!old) throw new Error("no page");
  const restore = keepCursor();
  Idiomorph.morph(old, main, options);
  restore();
  const nav = document.querySelector(".side nav");
  if (side && nav) Idiomorph.morph(nav, side, options);
  for (const { name, value } of [...next.body.attributes]) document.body.setAttribute(name, value);
  for (const box of document.querySelectorAll<HTMLInputElement>("main input[type=checkbox]")) {
    if (init.method === "POST") box.checked = false;
  }
  document.title = next.title;
  if (response.url !== shownAt) history[replace ? "replaceState" : "pushState"](null, "", response.url);
  shownAt = response.url;
  dressed();
}

// A link to a place of this page comes here too.
addEventListener("popstate", () => {
  if (withoutPlace() !== shownAt) location.reload();
});
