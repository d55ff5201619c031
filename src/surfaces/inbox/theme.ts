import { foreground, mix, readable } from "../../lib/colour.ts";
import type { Theme } from "./options-theme.ts";

/** WCAG 2.2: 4.5 for text (1.4.3), 3 for the edges of controls (1.4.11). */
const TEXT = 4.5;
const EDGE = 3;

/** Greys of one scheme: the page, surfaces on it, lines, and inks. */
const greys = {
  light: {
    bg: "#f7f7f8",
    panel: "#ffffff",
    hover: "#f2f3f5",
    line: "#e4e6ea",
    edge: "#8a919e",
    text: "#16181d",
    muted: "#5b6270",
    danger: "#b42318",
    warn: "#8a5300",
    ok: "#1a7f4b",
    mark: "#fff3bf",
  },
  dark: {
    bg: "#101114",
    panel: "#17191d",
    hover: "#1f2228",
    line: "#2a2d34",
    edge: "#757d8b",
    text: "#eceef2",
    muted: "#a3aab8",
    danger: "#ff9c92",
    warn: "#f0b866",
    ok: "#6fd3a0",
    mark: "#4d4213",
  },
} as const;

type Scheme = keyof typeof greys;

/** The share of the neutral colour in each grey: surfaces a little, so that text on them stays as readable. */
const SHARES: Readonly<Record<string, number>> = {
  bg: 0.05,
  panel: 0,
  hover: 0.07,
  line: 0.14,
  edge: 0.25,
  muted: 0.2,
};

/** The greys of a scheme, leaning towards a colour; text and edges stay as readable as they have to be. */
function greysOf(scheme: Scheme, neutral: string | undefined): Readonly<Record<keyof (typeof greys)[Scheme], string>> {
  const plain = greys[scheme];
  if (neutral === undefined) return plain;
  const leaning = { ...plain } as Record<keyof typeof plain, string>;
  for (const [name, share] of Object.entries(SHARES) as [keyof typeof plain, number][])
    leaning[name] = mix(plain[name], neutral, share);
  return {
    ...leaning,
    edge: readable(leaning.edge, leaning.hover, EDGE),
    muted: readable(leaning.muted, leaning.hover, TEXT),
  };
}

function variables(scheme: Scheme, { primary, neutral }: Pick<Theme, "primary" | "neutral">): string {
  const grey = greysOf(scheme, neutral);
  const tint = mix(grey.panel, primary, scheme === "light" ? 0.08 : 0.2);
  const all = {
    ...grey,
    accent: readable(primary, tint, TEXT),
    fill: readable(primary, grey.panel, EDGE),
    "on-fill": foreground(readable(primary, grey.panel, EDGE)),
    tint,
  };
  return Object.entries(all)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

const FONTS = 'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';

/** Letters, lines and corners. A font of the host's comes before ours, which has every script. */
function measures({ font, radius, density }: Pick<Theme, "font" | "radius" | "density">): string {
  const [size, leading, gap] = density === "compact" ? ["13px", "1.4", "0.7"] : ["14px", "1.5", "1"];
  const round = [4 / 7, 1, 10 / 7]
    .map((share, at) => `--r${at + 1}:${Math.round(radius * share * 10) / 10}px`)
    .join(";");
  return `:root{--font:${font === undefined ? FONTS : `${font},${FONTS}`};--size:${size};--leading:${leading};--gap:${gap};${round}}`;
}

/** The look of an inbox as a style sheet. Paper is light, whatever the screen is. */
export function themeSheet(theme: Theme): string {
  const { mode } = theme;
  const look = (scheme: Scheme): string => `:root{${variables(scheme, theme)}}${logo(scheme)}`;
  const base = measures(theme);
  if (mode === "light") return `${base}:root{color-scheme:light}${look("light")}`;
  const [schemes, when] = mode === "dark" ? ["dark", ""] : ["light dark", " and (prefers-color-scheme:dark)"];
  return `${base}${look("light")}@media screen{:root{color-scheme:${schemes}}}@media screen${when}{${look("dark")}}`;
}

const logo = (scheme: Scheme): string =>
  `.logo-${scheme}{display:block}.logo-${scheme === "light" ? "dark" : "light"}{display:none}`;
