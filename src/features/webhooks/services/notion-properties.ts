import { cut } from "../formats/text.ts";
import { cellsOf, normal } from "./sheet-columns.ts";
import type { Entry } from "./types.ts";

/** A text object takes no more characters, and a property no more of them. */
const MAX_PIECE = 2_000;
const MAX_PIECES = 100;
const MAX_TEXT = MAX_PIECE * MAX_PIECES;
const MAX_OPTION = 100;

/** A property of a database. */
export interface Property {
  readonly name: string;
  readonly type: string;
}

/** The properties of a submission's page, and the fields that none of them takes. The title gets the first field's value. */
export function contentOf(entry: Entry, properties: readonly Property[]) {
  const cells = cellsOf(entry, MAX_TEXT);
  const content = new Map<string, unknown>();
  const left: string[] = [];
  for (const [name, text] of cells) {
    const property = properties.find((one) => normal(one.name) === normal(name));
    const value = property && takenBy(property.type, text, entry.values[name]);
    if (value !== undefined) content.set((property as Property).name, value);
    else if (name !== "created_at") left.push(name);
  }
  const title = properties.find(({ type }) => type === "title");
  const [first] = [...cells].slice(2);
  if (title && first && !content.has(title.name)) {
    content.set(title.name, { title: piecesOf(first[1]) });
    const missed = left.indexOf(first[0]);
    if (missed !== -1) left.splice(missed, 1);
  }
  return { content: Object.fromEntries(content), left };
}

/** A text as a property of a type takes it; undefined where it can't. */
function takenBy(type: string, text: string, given: string | string[] | undefined): unknown {
  if (type === "title" || type === "rich_text") return { [type]: piecesOf(text) };
  const short = text.trim();
  if (short === "") return undefined;
  switch (type) {
    case "number":
      return Number.isFinite(Number(short)) ? { number: Number(short) } : undefined;
    case "email":
    case "phone_number":
    case "url":
      return { [type]: cut(short, type === "url" ? MAX_PIECE : 200) };
    case "checkbox":
      return { checkbox: /^(?:true|on|yes|1|checked)$/i.test(short) };
    case "date":
      return /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(short) ? { date: { start: short } } : undefined;
    case "select":
      return { select: optionOf(short) };
    case "multi_select":
      return {
        multi_select: [given ?? short]
          .flat()
          .filter((one) => one.trim() !== "")
          .map(optionOf),
      };
    default:
      return undefined;
  }
}

/** An option's name has no comma. */
const optionOf = (text: string) => ({ name: cut(text.toWellFormed().trim().replaceAll(",", " "), MAX_OPTION) });

function piecesOf(text: string) {
  const pieces: string[] = [];
  let piece = "";
  for (const char of text) {
    if (piece.length + char.length > MAX_PIECE) {
      pieces.push(piece);
      piece = "";
    }
    piece += char;
  }
  if (piece !== "") pieces.push(piece);
  return pieces.slice(0, MAX_PIECES).map((content) => ({ type: "text", text: { content } }));
}
