const boxes = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>('input[type=checkbox][name=ids][form="bulk"]'),
];

let last: HTMLInputElement | null = null;

/** The box that selects every line, ranges with Shift, and the box for all that match. */
export function selection(): void {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.matches("[data-all]")) for (const box of boxes()) box.checked = target.checked;
    show();
  });
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target instanceof HTMLElement && target.closest("[data-print]")) print();
    if (target instanceof Element && target.closest("[data-close]")) {
      event.preventDefault();
      target.closest(".toast")?.remove();
    }
    if (!(target instanceof HTMLInputElement) || target.name !== "ids") return;
    if (event.shiftKey && last) {
      const all = boxes();
      const [from, to] = [all.indexOf(last), all.indexOf(target)].sort((a, b) => a - b) as [number, number];
      if (from >= 0) for (const box of all.slice(from, to + 1)) box.checked = target.checked;
      show();
    }
    last = target;
  });
}

/** The number of selected lines, on the box for all of them. */
function show(): void {
  const all = boxes();
  const chosen = all.filter(({ checked }) => checked).length;
  const box = document.querySelector<HTMLInputElement>("[data-all]");
  if (!box) return;
  box.checked = chosen > 0 && chosen === all.length;
  box.indeterminate = chosen > 0 && chosen < all.length;
}
