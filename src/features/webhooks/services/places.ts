import type { Place } from "../formats/types.ts";

const MAX_LENGTH = 2_048;

/** A URL of https as people copy it, without control characters. */
function urlOf(sent: string): URL | null {
  if (sent.length > MAX_LENGTH || /\p{Cc}/u.test(sent) || !URL.canParse(sent)) return null;
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
