/** Text as HTML text or attribute value. */
export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  // One sign after the other: a function called for each of a million signs takes twice as long.
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Markup that is already safe, so that the tag below does not escape it again. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[] | false | null | undefined;

/** Template tag that escapes every value which is not markup itself; `false`, `null` and `undefined` become nothing. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  let out = strings[0] ?? "";
  for (const [i, value] of values.entries()) out += render(value) + (strings[i + 1] ?? "");
  return { html: out };
}

function render(value: Part): string {
  if (value === false || value === null || value === undefined) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  return "html" in value ? value.html : value.map((part) => part.html).join("");
}
