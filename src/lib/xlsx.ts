import { escapeXml } from "./xml-text.ts";
import { type Entry, zipOf } from "./zip.ts";

/** A cell: text, which stays text whatever it looks like, or a time of the wall clock in ms since 1970. */
export type Cell = string | { readonly time: number };

/** A table for a spreadsheet. */
export interface Sheet {
  /** The name on its tab. */
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: AsyncIterable<readonly (() => readonly Cell[])[]>;
  /** Named in the error where the package for zips is missing. */
  readonly purpose: string;
  /** The most rows of a sheet, its header among them. Default: as many as Excel takes. */
  readonly most?: number;
}

/** Limits of Excel: it calls a file with more of either broken. */
const MOST_ROWS = 1_048_576;
const MOST_CHARACTERS = 32_767;
/** Characters of XML that are written at once. */
const CHUNK = 64 * 1024;
/** Days from the beginning of Excel's calendar to 1970, in which 1900 is a leap year. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

/**
 * A workbook of Office Open XML (ECMA-376), written row by row into a zip, so that a table of any length takes the memory of a
 * page. Rows beyond what a sheet can have are on further sheets. `done` is called once, at the end of the stream. Throws an
 * `Error` where the package for zips is missing.
 */
export const xlsxOf = (sheet: Sheet, done: () => void): Promise<ReadableStream<Uint8Array>> =>
  zipOf(parts(sheet), sheet.purpose, done);

async function* parts({ name, header, rows, most = MOST_ROWS }: Sheet): AsyncGenerator<Entry> {
  const pages = rows[Symbol.asyncIterator]();
  const rest: (() => readonly Cell[])[] = [];
  let isOver = false;
  const take = async (): Promise<boolean> => {
    while (rest.length === 0 && !isOver) {
      const next = await pages.next();
      if (next.done) isOver = true;
      // From the end, so that a row is taken without moving all others.
      else rest.push(...next.value.toReversed());
    }
    return rest.length > 0;
  };
  try {
    let sheets = 0;
    do {
      sheets++;
      yield { name: `xl/worksheets/sheet${sheets}.xml`, content: sheetXml(header, take, rest, most) };
    } while (await take());
    yield* frame(name, sheets);
  } finally {
    await pages.return?.(undefined);
  }
}

async function* sheetXml(
  header: readonly string[],
  take: () => Promise<boolean>,
  rest: (() => readonly Cell[])[],
  most: number,
): AsyncGenerator<string> {
  const columns = header.map((_, i) => `<col min="${i + 1}" max="${i + 1}" width="24" customWidth="1"/>`).join("");
  let text = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns}</cols><sheetData>${rowXml(header, 1, 3)}`;
  for (let n = 1; n < most && (await take()); n++) {
    text += rowXml((rest.pop() as () => readonly Cell[])(), n + 1, 1);
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  yield `${text}</sheetData></worksheet>`;
}

/** Cells have their addresses, which ECMA-376 lets a file leave out and some programs need. */
const rowXml = (cells: readonly Cell[], row: number, style: number): string =>
  `<row r="${row}">${cells.map((cell, at) => cellXml(cell, `${letters(at)}${row}`, style)).join("")}</row>`;

/** The name of a column: A, B … Z, AA. */
const letters = (at: number): string =>
  at < 26 ? String.fromCharCode(65 + at) : letters(Math.floor(at / 26) - 1) + letters(at % 26);

function cellXml(cell: Cell, address: string, style: number): string {
  if (typeof cell !== "string") return `<c r="${address}" s="2"><v>${EPOCH_DAYS + cell.time / DAY_MS}</v></c>`;
  if (cell === "") return "";
  return `<c r="${address}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(fitting(cell))}</t></is></c>`;
}

/** The text as far as a cell can have it, not cut inside a character. */
function fitting(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text
    .slice(0, MOST_CHARACTERS - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}

/** Everything but the sheets. */
function* frame(name: string, sheets: number): Generator<Entry> {
  const numbers = Array.from({ length: sheets }, (_, i) => i + 1);
  const tab = (n: number): string => escapeXml(n === 1 ? tabName(name) : `${tabName(name).slice(0, 25)} (${n})`);
  const type = (part: string, kind: string): string =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  yield {
    name: "xl/workbook.xml",
    content: `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${numbers.map((n) => `<sheet name="${tab(n)}" sheetId="${n}" r:id="rId${n}"/>`).join("")}</sheets></workbook>`,
  };
  yield {
    name: "xl/_rels/workbook.xml.rels",
    content: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${numbers.map((n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`).join("")}<Relationship Id="rIdStyles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  };
  // 1: text, which Excel keeps as such when somebody edits it. 2: a time. 3: the header.
  yield {
    name: "xl/styles.xml",
    content: `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
  };
  yield {
    name: "_rels/.rels",
    content: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  };
  yield {
    name: "[Content_Types].xml",
    content: `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type("/xl/workbook.xml", "sheet.main")}${type("/xl/styles.xml", "styles")}${numbers.map((n) => type(`/xl/worksheets/sheet${n}.xml`, "worksheet")).join("")}</Types>`,
  };
}

/** A name for the tab of a sheet: 31 characters, without those that Excel refuses. */
const tabName = (name: string): string =>
  name
    .replace(/[\\/?*[\]:]/g, " ")
    .replace(/^'+|'+$/g, "")
    .slice(0, 31)
    .toWellFormed()
    .replace(/\uFFFD/g, "")
    .trim() || "Sheet";
