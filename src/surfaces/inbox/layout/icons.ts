import { type Html, html } from "../../../lib/html.ts";

/** Strokes of 16 × 16; the pages bring those they use once and refer to them. */
const shapes = {
  clip: "M10.5 4.5 5.6 9.4a1.6 1.6 0 0 0 2.3 2.3l5-5a3 3 0 0 0-4.3-4.3l-5 5a4.5 4.5 0 0 0 6.4 6.4l4-4",
  warn: "M8 2 1.5 13.5h13zM8 6.5v3.2M8 11.8v.2",
  pause: "M5.5 3v10M10.5 3v10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14",
  plus: "M8 3v10M3 8h10",
  check: "m3 8.5 3.2 3.2L13 5",
  back: "M9.5 3.5 5 8l4.5 4.5",
  next: "M6.5 3.5 11 8l-4.5 4.5",
  filter: "M2 4h12M4.5 8h7M7 12h2",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  close: "m4 4 8 8M12 4l-8 8",
  tray: "M2 9.5 3.6 3h8.8L14 9.5V13H2zM2 9.5h3.5l1 1.7h3l1-1.7H14",
} as const;

export type IconName = keyof typeof shapes;

/** The shapes, once in a page. */
export const iconSheet: Html = html`<svg class="sheet" aria-hidden="true" width="0" height="0">${Object.entries(
  shapes,
).map(
  ([name, path]) =>
    html`<symbol id="i-${name}" viewBox="0 0 16 16"><path d="${path}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></symbol>`,
)}</svg>`;

/** An icon next to a text, or with its own text if it is alone. */
export const icon = (name: IconName, says?: string): Html =>
  says === undefined
    ? html`<svg class="i" aria-hidden="true"><use href="#i-${name}"/></svg>`
    : html`<svg class="i" role="img" aria-label="${says}"><title>${says}</title><use href="#i-${name}"/></svg>`;
