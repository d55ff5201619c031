import { type Html, html } from "../../../lib/html.ts";
import { bar } from "../layout/bars.ts";
import { count } from "../layout/time.ts";
import type { Share } from "../stats.ts";
import type { MemberRequest } from "../visit.ts";

/** Characters of a key that a test or a script finds a line by. */
const SHOWN = 120;

/** A line of a table with bars. */
export interface BarLine extends Share {
  readonly text: string;
  /** All that is in no other line. */
  readonly rest?: boolean;
}

/** Shares as lines with a bar and their numbers. `of` is the whole. */
export function barTable(visit: MemberRequest, caption: string, lines: readonly BarLine[], of: number): Html {
  const s = visit.t.stats;
  const most = Math.max(1, ...lines.map((line) => line.count));
  return html`<table class="bars"><caption class="sr">${caption}</caption><colgroup><col class="name"><col><col class="amount"></colgroup><thead class="sr"><tr><th scope="col">${s.name()}</th><th scope="col">${s.share()}</th><th scope="col">${s.count()}</th></tr></thead><tbody>${lines.map(
    ({ key, text, count: n, rest = false }) =>
      html`<tr data-key="${key.slice(0, SHOWN)}"${rest && html` class="rest"`}><th scope="row"><bdi>${text}</bdi></th><td class="drawn">${bar(n / most)}<span class="muted">${percent(visit, of === 0 ? 0 : n / of)}</span></td><td class="num">${count(visit, n)}</td></tr>`,
  )}</tbody></table>`;
}

/** A share from 0 to 1 in the language. */
export const percent = ({ words }: MemberRequest, share: number): string =>
  new Intl.NumberFormat(words.tag, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);
