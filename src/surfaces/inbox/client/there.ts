/** Somebody who stopped typing for so long writes no more. */
const WRITES_MS = 60_000;

interface There {
  readonly says: string;
  readonly letter: string;
}

let typedAt = Number.NEGATIVE_INFINITY;

/** The act of this person at the submission that is open: the name of the text that is being written, or else a look. */
function doing(): string {
  const area = document.activeElement;
  const isWriting =
    area instanceof HTMLTextAreaElement && area.value.trim() !== "" && performance.now() - typedAt < WRITES_MS;
  return (isWriting && area.dataset["doing"]) || "looks";
}

/** The address to poll. The page of a submission says that somebody is there, unless nobody sees it. */
export function saying(url: string): string {
  const asked = new URL(url, location.href);
  if (asked.searchParams.has("item") && !document.hidden) asked.searchParams.set("doing", doing());
  return asked.href;
}

/** Calls `hurry` when this person begins to write, so that colleagues learn of it at once. */
export function writes(hurry: () => void): void {
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || target.dataset["doing"] === undefined) return;
    const before = typedAt;
    typedAt = performance.now();
    if (typedAt - before >= WRITES_MS) hurry();
  });
}

/** Shows who else is there: in a sentence at an open submission, by a letter in a list. */
export function showThere(there: Readonly<Record<string, There>>): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-there]")) {
    const says = there[place.dataset["there"] ?? ""]?.says ?? "";
    // A reader of the screen says again what is set again.
    if (place.textContent !== says) place.textContent = says;
  }
  for (const row of document.querySelectorAll<HTMLElement>("tr[data-submission-id]")) {
    const found = there[row.dataset["submissionId"] ?? ""];
    const known = row.querySelector(".there");
    if (!found) {
      known?.remove();
      continue;
    }
    const mark = known ?? document.createElement("span");
    mark.className = "there";
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", found.says);
    mark.setAttribute("title", found.says);
    mark.textContent = found.letter;
    if (!known) row.querySelector(".marks")?.prepend(mark);
  }
}
