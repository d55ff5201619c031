const PREFIX = "inbox-draft:";
/** Texts that a browser keeps at most, the characters of one, and for how long. */
const MOST = 20;
const MOST_CHARACTERS = 50_000;
const DAYS = 7;
const TYPING_MS = 300;

interface Kept {
  readonly text: string;
  readonly at: number;
}

type Composer = HTMLTextAreaElement;
const composerOf = (target: EventTarget | null): Composer | null =>
  target instanceof HTMLTextAreaElement && target.dataset["draft"] !== undefined ? target : null;
const onPage = (): Composer | null => document.querySelector<Composer>("textarea[data-draft]");

let isLeaving = false;
/** The text that was changed in this window: another window may have changed it since this one was opened. */
let changed: Composer | null = null;

/** Keeps what is typed in this browser, so that neither an expired session nor a closed window loses it. */
export function composers(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("input", ({ target }) => {
    const area = composerOf(target);
    if (!area) return;
    changed = area;
    clearTimeout(timer);
    timer = setTimeout(() => keep(area), TYPING_MS);
  });
  addEventListener("pagehide", () => {
    const area = onPage();
    if (area && area === changed && !isLeaving) keep(area);
  });
  document.addEventListener("keydown", (event) => {
    const area = composerOf(event.target);
    if (!area || event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    area.form?.requestSubmit(area.form.querySelector<HTMLButtonElement>("button[value=send]"));
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("[data-insert]") : null;
    if (button) insert(button, event);
  });
  document.addEventListener("submit", ({ target }) => {
    // The next person at this browser finds nothing.
    if (!(target instanceof HTMLFormElement) || !/\/sign-out$/.test(target.getAttribute("action") ?? "")) return;
    isLeaving = true;
    forgetAll();
  });
}

/** Removes what was sent, and brings back what was not. Runs again after each patch of the page. */
export function restoreDrafts(): void {
  const sent = document.querySelector<HTMLElement>("[data-sent]");
  const area = onPage();
  const typed = area?.defaultValue ?? "";
  if (sent) {
    const name = PREFIX + sent.dataset["sent"];
    attempt(() => localStorage.removeItem(name));
    delete sent.dataset["sent"];
    setTimeout(() => sent.remove(), Number(sent.dataset["seconds"]) * 1000);
  }
  forgetOld();
  if (!area) return;
  if (typed !== "") keep(area);
  const kept = read(nameOf(area));
  if (!kept || area.value !== "") return;
  area.value = kept.text;
  area.form?.querySelector("[data-restored]")?.removeAttribute("hidden");
}

const nameOf = ({ dataset }: Composer): string => PREFIX + dataset["draft"];

/** Without storage, or without room in it, the page works as it does without a script. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function keep(area: Composer): void {
  const name = nameOf(area);
  const text = area.value.slice(0, MOST_CHARACTERS);
  if (text.trim() === "") return void attempt(() => localStorage.removeItem(name));
  if (read(name)?.text === text) return;
  const value = JSON.stringify({ text, at: Date.now() } satisfies Kept);
  const others = names().filter((other) => other !== name);
  const oldest = others.sort((a, b) => (read(a)?.at ?? 0) - (read(b)?.at ?? 0));
  for (const other of oldest.slice(0, Math.max(0, oldest.length + 1 - MOST))) localStorage.removeItem(other);
  attempt(() => localStorage.setItem(name, value));
}

const names = (): string[] => attempt(() => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) ?? [];

function read(name: string): Kept | null {
  const value: unknown = attempt(() => JSON.parse(localStorage.getItem(name) ?? "null"));
  const { text, at } = (value ?? {}) as Partial<Kept>;
  return typeof text === "string" && typeof at === "number" ? { text, at } : null;
}

const forgetAll = (): void => {
  for (const name of names()) localStorage.removeItem(name);
};

function forgetOld(): void {
  const since = Date.now() - DAYS * 86_400_000;
  for (const name of names()) if ((read(name)?.at ?? 0) < since) localStorage.removeItem(name);
}

/** Puts a saved reply where the cursor is. On any error, the button does the same as without a script. */
function insert(button: HTMLButtonElement, event: Event): void {
  const { form } = button;
  const area = form?.querySelector<Composer>("textarea[data-draft]");
  const id = form?.querySelector<HTMLSelectElement>("select[name=saved]")?.value;
  if (!form || !area || !id) return;
  event.preventDefault();
  put().catch(() => {
    // The press of a button that a script makes is not stopped again.
    delete button.dataset["insert"];
    form.requestSubmit(button);
  });

  async function put(): Promise<void> {
    const response = await fetch(`${button.dataset["insert"]}/${encodeURIComponent(id as string)}`, {
      redirect: "error",
    });
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/plain")) throw new Error("no text");
    const to = area as Composer;
    to.setRangeText(await response.text(), to.selectionStart, to.selectionEnd, "end");
    to.focus();
    changed = to;
    keep(to);
  }
}
