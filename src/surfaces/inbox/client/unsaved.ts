type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isChanged = (control: Control): boolean => {
  if (control instanceof HTMLSelectElement) {
    const first = [...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0];
    return control.value !== first?.value;
  }
  if (control instanceof HTMLInputElement && /checkbox|radio/.test(control.type)) {
    return control.checked !== control.defaultChecked;
  }
  return control.value !== control.defaultValue;
};

const DELAY_MS = 150;

/** Says beside "Save" how many settings of the page were changed and are not saved. */
export function unsaved(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element ? target.closest("form") : null;
    const said = form?.querySelector<HTMLElement>("[data-changes]");
    if (!form || !said) return;
    clearTimeout(timer);
    // Not with each key: a page may have hundreds of controls.
    timer = setTimeout(() => say(form, said), DELAY_MS);
  });
}

function say(form: HTMLFormElement, said: HTMLElement): void {
  // A rule, or a list with rows, is one setting however many of its controls were changed.
  const changed = new Set<string | undefined>();
  for (const control of form.querySelectorAll<Control>(".field :is(input:not([type=hidden]), select, textarea)")) {
    if (isChanged(control)) changed.add(control.closest("fieldset[id]")?.id ?? control.name);
  }
  said.hidden = changed.size === 0;
  said.textContent = (said.dataset["changes"] ?? "").replace("{n}", String(changed.size));
}
