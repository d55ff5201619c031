/** Shows content over the page until it is closed with Escape, a press beside it, or by the content. The browser gives the focus back. */
export function modal(label: string, kind: string, content: readonly Node[]): HTMLDialogElement {
  for (const open of document.querySelectorAll<HTMLDialogElement>("dialog.over")) {
    open.close();
    open.remove();
  }
  const dialog = document.createElement("dialog");
  dialog.className = `over ${kind}`;
  dialog.setAttribute("aria-label", label);
  dialog.append(...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
