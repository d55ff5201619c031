const DELAY_MS = 500;

/** Keeps the frame of a preview up to date with what is typed. Without a script, its buttons do the same. */
export function previews(): void {
  let button: HTMLButtonElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("click", ({ target }) => {
    const pressed = target instanceof Element ? target.closest<HTMLButtonElement>("[data-preview]") : null;
    if (pressed) button = pressed;
  });
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element ? target.closest("form") : null;
    const first = form?.querySelector<HTMLButtonElement>("[data-preview]");
    if (!form || !first) return;
    clearTimeout(timer);
    timer = setTimeout(() => form.requestSubmit(button?.form === form ? button : first), DELAY_MS);
  });
  document.addEventListener(
    "load",
    ({ target }) => {
      if (target instanceof HTMLIFrameElement && target.name === "preview") styled(target);
    },
    true,
  );
  narrowFirst();
  // It may have come before the script.
  const frame = document.querySelector<HTMLIFrameElement>("iframe[name=preview]");
  if (frame) styled(frame);
}

/** On a phone, a mail of 600 px would begin outside of the screen in one of the two directions of writing. */
function narrowFirst(): void {
  const narrow = document.querySelector<HTMLInputElement>('[name="preview.width"][value="320"]');
  if (narrow && matchMedia("(max-width: 480px)").matches) narrow.checked = true;
}

/**
 * Sets the styles of a mail again. A proxy may have added a policy that forbids styles inside a document; what a script of the
 * page sets is not concerned.
 */
function styled(frame: HTMLIFrameElement): void {
  const { contentDocument: page, contentWindow: view } = frame;
  if (!page || !view) return;
  for (const element of page.querySelectorAll<HTMLElement>("[style]")) {
    const text = element.getAttribute("style") ?? "";
    if (element.style.length === 0 && text !== "") element.style.cssText = text;
  }
  for (const sheet of page.querySelectorAll("style")) {
    if (sheet.sheet || !sheet.textContent) continue;
    const made = new (view as Window & typeof globalThis).CSSStyleSheet();
    made.replaceSync(sheet.textContent);
    page.adoptedStyleSheets.push(made);
  }
  for (const inner of page.querySelectorAll("iframe")) {
    inner.addEventListener("load", () => styled(inner));
    styled(inner);
  }
}
