import type { InboundMail } from "../../model/inbound.ts";

/**
 * True for a mail that no person wrote to us: a vacation notice, a list, a notice of a mail server (RFC 3834). It must be answered by
 * nothing and nobody, or two machines would write to each other for ever.
 */
export function isAutomatic({ headers, returnPath }: InboundMail): boolean {
  const of = (name: string): string | undefined =>
    headers
      .find(([key]) => key === name)?.[1]
      .trim()
      .toLowerCase();
  const submitted = of("auto-submitted");
  if (submitted !== undefined && !/^no\b/.test(submitted)) return true;
  if (/^(bulk|junk|list|auto_reply)\b/.test(of("precedence") ?? "")) return true;
  const named = ["x-auto-response-suppress", "list-id", "x-autoreply", "x-autorespond", "x-loop"];
  return returnPath === "" || named.some((name) => of(name) !== undefined);
}
