import { Idiomorph } from "idiomorph";
import { times } from "./time.ts";

/**
 * Shows what others have done to the lines of this list, each in its place: a line that has left the list stays, dimmed, until the
 * page changes, so that no line moves under the cursor.
 */
export async function follow(): Promise<void> {
  const response = await fetch(location.href, { headers: { "x-fragment": "main" }, redirect: "manual" });
  if (!response.ok) return;
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const row of document.querySelectorAll<HTMLElement>("tr[data-submission-id]")) {
    const id = row.dataset["submissionId"] ?? "";
    const now = next.querySelector(`tr[data-submission-id="${CSS.escape(id)}"]`);
    row.classList.toggle("gone", !now);
    if (!now) continue;
    const box = row.querySelector<HTMLInputElement>("input[name=ids]");
    const isChecked = box?.checked === true;
    if (row.classList.contains("cursor")) now.classList.add("cursor");
    Idiomorph.morph(row, now, { morphStyle: "outerHTML", restoreFocus: true });
    const after = document.querySelector<HTMLInputElement>(
      `tr[data-submission-id="${CSS.escape(id)}"] input[name=ids]`,
    );
    if (after) after.checked = isChecked;
  }
  times();
}
