import { canParseUrl } from "../../../lib/can-parse-url.ts";
import type { Place } from "../formats/types.ts";

const MAX_LENGTH = 2_048;

/** A URL of https as people copy it, without control characters. */
function urlOf(sent: string): URL | null {
  if (sent.length > MAX_LENGTH || /\p{Cc}/u.test(sent) || !canParseUrl(sent)) return null;
  const url = new URL(sent);
  return url.protocol === "https:" && !url.username && !url.password ? url : null;
}

const SPREADSHEET = /^\/spreadsheets\/(?:u\/\d+\/)?d\/([\w-]{6,200})(?:\/|$)/;

/** The address of a spreadsheet in the browser; a `gid` in it names the sheet. */
export function placeOfSheet(sent: string): Place {
  const url = urlOf(sent);
  if (!url) return { fault: "It is not the https address of a spreadsheet, as the browser shows it." };
  if (/^\/spreadsheets\/d\/e\//.test(url.pathname))
    return { fault: "It is the address of a published copy. Open the spreadsheet itself and copy its address." };
  if (SPREADSHEET.test(url.pathname)) return { url: url.href };
  return {
    fault:
      "It is not the address of a spreadsheet, which looks like https://docs.google.com/spreadsheets/d/<id>/edit; a document, a form and a file in Drive are none.",
  };
}

/** The id of a spreadsheet, and the sheet that its address names. */
export function sheetAt(address: string): { readonly id: string; readonly gid: number | null } {
  const { pathname, search, hash } = new URL(address);
  const gid = /[?#&]gid=(\d{1,10})(?:&|$)/.exec(hash)?.[1] ?? /[?&]gid=(\d{1,10})(?:&|$)/.exec(search)?.[1];
  return { id: SPREADSHEET.exec(pathname)?.[1] ?? "", gid: gid === undefined ? null : Number(gid) };
}

const TABLE = /^\/(app[A-Za-z0-9]{1,40})\/(tbl[A-Za-z0-9]{1,40})(?:\/|$)/;

/** The address of a table of Airtable; the view in it makes no difference. */
export function placeOfTable(sent: string): Place {
  const url = urlOf(sent);
  if (url && TABLE.test(url.pathname)) return { url: url.href };
  const shape = "which looks like https://airtable.com/app…/tbl…";
  if (url && /\/(?:shr|embed)/.test(url.pathname))
    return { fault: `It is the address of a shared view. Open the table itself and copy its address, ${shape}.` };
  return { fault: `It is not the address of a table in Airtable, ${shape}.` };
}

/** The base and the table of an address. */
export function tableAt(address: string): { readonly base: string; readonly table: string } {
  const [, base = "", table = ""] = TABLE.exec(new URL(address).pathname) ?? [];
  return { base, table };
}

const DATABASE = /([0-9a-f]{32})$/;

/** The address of a database of Notion, as the browser or "Copy link" gives it. */
export function placeOfDatabase(sent: string): Place {
  const url = urlOf(sent);
  if (url && databaseAt(url.href) !== "") return { url: url.href };
  return {
    fault:
      "It is not the address of a database in Notion. Open the database as a page, choose Copy link, and send that.",
  };
}

/** The id of a database; `""` if the address has none. */
export function databaseAt(address: string): string {
  const last = new URL(address).pathname.split("/").filter(Boolean).at(-1) ?? "";
  return DATABASE.exec(last.replaceAll("-", "").toLowerCase())?.[1] ?? "";
}
