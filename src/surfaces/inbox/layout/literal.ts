import { type Html, html } from "../../../lib/html.ts";

/** Marks that turn the direction of all that follows in a paragraph. */
const TURNS = /([\u202a-\u202e\u2066-\u2069])/;

/** A text that is shown and copied exactly as it is. Each mark of direction in it ends where it stands, so that none turns the rest. */
export const literal = (text: string): Html =>
  html`${text.split(TURNS).map((part, at) => (at % 2 === 1 ? html`<bdi>${part}</bdi>` : html`${part}`))}`;
