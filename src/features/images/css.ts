/** Style with its escapes undone, as browsers do; comments stay, as they split words. */
export const unescapedCss = (css: string): string =>
  css
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, hex: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
    )
    .replaceAll("\\", "");
