import { isReady, use } from "./keys.ts";
import { modal } from "./modal.ts";

interface Command {
  readonly text: string;
  /** The key that does the same. */
  readonly key: string;
  readonly run: () => void;
}

/** Commands that the menu shows at once. */
const SHOWN = 50;

/** The menu of Ctrl K or ⌘ K. It is made of the links and buttons of the page when it is opened, so that it costs nothing before. */
export function commandMenu(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const { commands } = document.body.dataset;
    if (commands === undefined) return;
    event.preventDefault();
    const open = document.querySelector<HTMLDialogElement>("dialog.commands[open]");
    if (open) open.close();
    else openMenu(commands);
  });
}

/** First what can be done here, then where one can go. */
function commandsOf(): Command[] {
  const found = new Map<string, Command>();
  const controls = ["main [data-key]", ".side nav a", ".tabs a", ".menu .drop :is(a, button)"].flatMap((selector) => [
    ...document.querySelectorAll<HTMLElement>(selector),
  ]);
  for (const control of controls) {
    const key = control.dataset["key"] ?? "";
    const text = textOf(control);
    if (text === "" || found.has(text) || control.getAttribute("aria-current") === "page" || !isReady(control))
      continue;
    found.set(text, { text, key, run: () => use(control) });
  }
  return [...found.values()];
}

/** Without the number of unread ones. */
const textOf = (control: HTMLElement): string =>
  (control.getAttribute("aria-label") ?? (control.querySelector(".name") ?? control).textContent ?? "")
    .replace(/\s+/g, " ")
    .trim();

function openMenu(label: string): void {
  const { none = "" } = document.body.dataset;
  const all = commandsOf();
  const input = document.createElement("input");
  const list = document.createElement("ul");
  const empty = document.createElement("p");
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-label": label,
    "aria-autocomplete": "list",
    "aria-expanded": "true",
    "aria-controls": "commands",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: label,
    maxlength: "200",
  }))
    input.setAttribute(name, value);
  list.id = "commands";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", label);
  empty.setAttribute("role", "status");
  let shown: Command[] = [];
  let at = 0;
  const mark = (to: number): void => {
    at = shown.length === 0 ? 0 : (to + shown.length) % shown.length;
    const options = [...list.children];
    for (const [n, option] of options.entries()) option.setAttribute("aria-selected", String(n === at));
    options[at]?.scrollIntoView({ block: "nearest" });
    if (options[at]) input.setAttribute("aria-activedescendant", `command-${at}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const fill = (): void => {
    const typed = input.value.toLocaleLowerCase().trim();
    const words = typed.split(/\s+/);
    const fitting = all.filter(({ text }) => words.every((word) => text.toLocaleLowerCase().includes(word)));
    const begins = ({ text }: Command): number => Number(typed !== "" && !text.toLocaleLowerCase().startsWith(typed));
    shown = fitting.sort((a, b) => begins(a) - begins(b)).slice(0, SHOWN);
    list.replaceChildren(...shown.map(optionOf));
    empty.textContent = shown.length === 0 ? none : "";
    mark(0);
  };
  // Filled before it is in the page, whose layout is then made once.
  fill();
  const dialog = modal(label, "commands", [input, list, empty]);
  const run = (n: number): void => {
    const command = shown[n];
    if (!command) return;
    dialog.close();
    command.run();
  };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.isComposing || (to === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (to === undefined) run(at);
    else mark(to);
  });
  list.addEventListener("click", ({ target }) => {
    run([...list.children].indexOf((target as Element).closest("li") as Element));
  });
}

function optionOf({ text, key }: Command, n: number): HTMLLIElement {
  const option = document.createElement("li");
  option.id = `command-${n}`;
  option.setAttribute("role", "option");
  const name = document.createElement("bdi");
  name.textContent = text;
  option.append(name);
  if (key !== "") {
    const hint = document.createElement("kbd");
    hint.textContent = key;
    hint.setAttribute("aria-hidden", "true");
    option.append(hint);
  }
  return option;
}
