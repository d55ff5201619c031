import type { Page } from "./_inbox.ts";

/** The fields and the address of the form by which a notice takes an act back; null where it has none. */
export function undoFormOf({ text }: Page): { at: string; body: Record<string, string | string[]> } | null {
  const form = /<form method="post" action="([^"]+)" class="undo"[^>]*>(.*?)<\/form>/.exec(text);
  if (!form) return null;
  const body: Record<string, string[]> = {};
  for (const [, name = "", value = ""] of (form[2] ?? "").matchAll(/name="(\w+)" value="([^"]*)"/g))
    body[name] = [
      ...(body[name] ?? []),
      value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
    ];
  return { at: (form[1] ?? "").replaceAll("&amp;", "&"), body };
}
