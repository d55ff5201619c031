const KEY = "form-backend-source";
const NAME = /^(utm_\w{1,60}|gclid|fbclid|msclkid)$/;
const MAX_VALUE = 500;

/**
 * Where this visit began, as JSON: its first page and referrer, and the latest campaign. It is kept in the tab's session storage, so
 * that later pages of the visit know it, and in no cookie.
 */
function sourceOf(): string {
  const { origin, pathname, search } = location;
  const { referrer } = document;
  let source: Record<string, string> | null = null;
  try {
    source = JSON.parse(sessionStorage.getItem(KEY) as string);
  } catch {}
  source ??= { landing_page: origin + pathname, ...(!referrer.startsWith(origin) && referrer && { referrer }) };
  for (const [name, value] of new URLSearchParams(search))
    if (NAME.test(name)) source[name] = value.slice(0, MAX_VALUE);
  const text = JSON.stringify(source);
  // A browser that keeps nothing knows this page at least.
  try {
    sessionStorage.setItem(KEY, text);
  } catch {}
  return text;
}

const add = ({ formData }: FormDataEvent): void => formData.set("_source", sourceOf());

/** Sends along where the visit began, beginning with this page. Returns a function that stops it. */
export function sendSource(form: HTMLFormElement): () => void {
  sourceOf();
  form.addEventListener("formdata", add);
  return () => form.removeEventListener("formdata", add);
}

/** The same for all forms with the attribute `data-source`, and for pages with such an element, which need no form. */
export function watchSources(): void {
  if (document.querySelector("[data-source]")) sourceOf();
  document.addEventListener("formdata", (event) => {
    if ((event.target as HTMLFormElement).hasAttribute("data-source")) add(event);
  });
}
