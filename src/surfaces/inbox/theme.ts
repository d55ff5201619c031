import { foreground, mix, readable } from "../../lib/colour.ts";
import type { Settings } from "./options.ts";

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

function variables(scheme: Scheme, primary: string): string {
  const grey = greys[scheme];
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

/** The colours of an inbox as a style sheet. Paper is light, whatever the screen is. */
export function themeSheet({ primary, mode }: Settings["theme"]): string {
  const look = (scheme: Scheme): string => `:root{${variables(scheme, primary)}}${logo(scheme)}`;
  if (mode === "light") return `:root{color-scheme:light}${look("light")}`;
  const [schemes, when] = mode === "dark" ? ["dark", ""] : ["light dark", " and (prefers-color-scheme:dark)"];
  return `${look("light")}@media screen{:root{color-scheme:${schemes}}}@media screen${when}{${look("dark")}}`;
}

const logo = (scheme: Scheme): string =>
  `.logo-${scheme}{display:block}.logo-${scheme === "light" ? "dark" : "light"}{display:none}`;
