import { type Html, html } from "../../../lib/html.ts";

const WIDTH = 90;
const HEIGHT = 20;

/** Counts of days, oldest first, as bars: `says` is the total, for screen readers. */
export function spark(days: readonly number[], says: string): Html {
  const top = Math.max(1, ...days);
  const step = WIDTH / Math.max(1, days.length);
  const bars = days.map((n, i) => {
    const height = n === 0 ? 1 : Math.max(2, Math.round((n / top) * HEIGHT));
    return `M${round(i * step + 0.5)} ${HEIGHT}v-${height}h${round(step - 1)}v${height}z`;
  });
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${says}"><title>${says}</title><path d="${bars.join("")}"/></svg>`;
}

const round = (n: number): number => Math.round(n * 100) / 100;
