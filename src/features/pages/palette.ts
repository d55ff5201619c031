import { foreground, isGrey, mix, readable } from "../../lib/colour.ts";

export type Scheme = "light" | "dark";

/** The two colours of a form. */
export interface Colours {
  readonly primary: string;
  readonly secondary: string;
}

/** Surfaces that a theme defines: the background, the card, and its lines. */
export interface Surfaces {
  readonly backdrop: string;
  /** A second colour of the backdrop, for a gradient or a pattern; nothing is written on it. */
  readonly glow: string;
  readonly card: string;
  readonly line: string;
}

/** Every colour of one scheme; text and edges of controls have enough contrast to their background. */
export interface Palette extends Surfaces {
  readonly text: string;
  readonly muted: string;
  readonly error: string;
  /** The primary colour as text on the card. */
  readonly accent: string;
  readonly primary: string;
  readonly on_primary: string;
  readonly primary_edge: string;
  readonly secondary: string;
  readonly on_secondary: string;
  readonly secondary_edge: string;
}

/** WCAG 2.2: 4.5 for text (1.4.3), 3 for the edges of controls (1.4.11). */
const TEXT = 4.5;
const EDGE = 3;

const inks = {
  light: { text: "#111827", muted: "#4b5563", error: "#b42318" },
  dark: { text: "#f3f4f6", muted: "#b6bdca", error: "#fca5a5" },
} as const;

/** The colours of a page for any two colours of a form. */
export function paletteOf(scheme: Scheme, { primary, secondary }: Colours, surfaces: Surfaces): Palette {
  const { card } = surfaces;
  const ink = inks[scheme];
  return {
    ...surfaces,
    text: readable(ink.text, card, TEXT),
    muted: readable(ink.muted, card, TEXT),
    error: readable(ink.error, card, TEXT),
    accent: readable(primary, card, TEXT),
    primary,
    on_primary: foreground(primary),
    primary_edge: readable(primary, card, EDGE),
    ...(isGrey(secondary)
      ? // FieldValues with white or black, the second button would outshine the first in one of the schemes.
        {
          secondary: card,
          on_secondary: readable(ink.text, card, TEXT),
          secondary_edge: readable(ink.muted, card, EDGE),
        }
      : { secondary, on_secondary: foreground(secondary), secondary_edge: readable(secondary, card, EDGE) }),
  };
}

/** A tint of a colour for a large surface: light or dark enough to fit the scheme. */
export const tint = (scheme: Scheme, colour: string, share: number): string =>
  mix(scheme === "light" ? "#ffffff" : "#0b0f19", colour, share);
