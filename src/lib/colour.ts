type Rgb = readonly [r: number, g: number, b: number];

const BLACK = "#000000";
const WHITE = "#ffffff";

/** Black or white, whichever reads better on a colour; the better one always has a contrast of at least 4.58. */
export function foreground(background: string): typeof BLACK | typeof WHITE {
  return contrast(BLACK, background) >= contrast(WHITE, background) ? BLACK : WHITE;
}

/** The contrast of two colours as WCAG 2.2 defines it, from 1 to 21. Colors are `#rgb` or `#rrggbb`. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** `share` of `over` (0 to 1) mixed into `colour`. */
export function mix(colour: string, over: string, share: number): string {
  const [a, b] = [channels(colour), channels(over)];
  return `#${a.map((value, i) => hex(value + ((b[i] ?? 0) - value) * share)).join("")}`;
}

/**
 * Returns the colour itself if it has the contrast `ratio` to the background, otherwise the nearest lighter or darker shade
 * that has.
 */
export function readable(colour: string, background: string, ratio: number): string {
  const towards = foreground(background);
  for (let share = 0; share < 1; share += 0.04) {
    const shade = mix(colour, towards, share);
    if (contrast(shade, background) >= ratio) return shade;
  }
  return towards;
}

/** True if a colour has almost no hue: white, black and the greys between them. */
export function isGrey(colour: string): boolean {
  const values = channels(colour);
  return Math.max(...values) - Math.min(...values) < 32;
}

function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function channels(colour: string): Rgb {
  const full = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, "$&$&") : colour;
  return [1, 3, 5].map((at) => Number.parseInt(full.slice(at, at + 2), 16)) as unknown as Rgb;
}

const hex = (value: number): string => Math.round(value).toString(16).padStart(2, "0");
