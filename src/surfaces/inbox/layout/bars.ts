import { type Html, html } from "../../../lib/html.ts";

const HEIGHT = 100;
const STEP = 10;
const WIDE = 8;

/** One place of a chart: parts that stand on each other, the first one at the bottom. */
export interface Column {
  /** The numbers in words, for whoever points at it. */
  readonly says: string;
  readonly parts: readonly number[];
}

/** Columns in the order of time as a picture. `says` is its summary, because the numbers stand in a table beside it. */
export function columnChart(columns: readonly Column[], says: string): Html {
  const sums = columns.map(({ parts }) => parts.reduce((sum, n) => sum + n, 0));
  const top = Math.max(1, ...sums);
  const width = Math.max(1, columns.length) * STEP;
  const drawn = columns.map((column, at) => {
    let foot = HEIGHT;
    const rects = column.parts.map((n, part) => {
      const height = n === 0 ? 0 : Math.max(1, round((n / top) * HEIGHT));
      foot -= height;
      return height === 0
        ? html``
        : html`<rect class="part-${part}" x="${at * STEP + 1}" y="${round(foot)}" width="${WIDE}" height="${height}"/>`;
    });
    return html`<g><title>${column.says}</title><rect class="hit" x="${at * STEP}" y="0" width="${STEP}" height="${HEIGHT}"/>${rects}</g>`;
  });
  return html`<svg class="columns" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${says}">${drawn}</svg>`;
}

/** A share from 0 to 1 as a bar; the number stands beside it. */
export const bar = (share: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="part-0" width="${share <= 0 ? 0 : Math.max(1, round(Math.min(1, share) * 100))}" height="8"/></svg>`;

const round = (n: number): number => Math.round(n * 100) / 100;
