/** A copy button next to each useful value. */
export function copies(): void {
  const { copy, copied } = document.body.dataset;
  if (!navigator.clipboard || copy === undefined) return;
  for (const element of document.querySelectorAll<HTMLElement>("[data-copy]:not(body)")) {
    if (element.nextElementSibling?.classList.contains("copy")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet copy";
    button.textContent = copy;
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(element.textContent ?? "").then(() => {
        button.textContent = copied ?? copy;
        setTimeout(() => (button.textContent = copy), 1500);
      });
    });
    element.after(button);
  }
}
