import { escapeHtml } from "./html.ts";

/**
 * Text for XML of Office. Characters that XML can't have are written as Office does, `_x0007_`, and so is the underscore of a text
 * that only looks like one. Line breaks are `\n`, because XML would make them so anyway.
 */
export const escapeXml = (text: string): string =>
  escapeHtml(
    text
      .toWellFormed()
      .replace(/\r\n?/g, "\n")
      .replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, codeOf),
  );

const codeOf = (sign: string): string => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
