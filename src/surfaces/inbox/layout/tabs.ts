import { type Html, html } from "../../../lib/html.ts";

/** A tab to another page. */
export interface Tab {
  readonly text: string;
  readonly href: string;
  readonly current: boolean;
  /** A number after the text, already formatted, and its unit. */
  readonly badge?: string | undefined;
}

/** Links to the pages of one thing. */
export const tabs = (label: string, all: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${all.map(
    ({ text, href, current, badge }) =>
      html`<a href="${href}"${current && html` aria-current="page"`}>${text}${badge !== undefined && html` <span class="n">${badge}</span>`}</a>`,
  )}</nav>`;
