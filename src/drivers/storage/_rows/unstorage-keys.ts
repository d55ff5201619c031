import { createHash } from "node:crypto";
import type { Stored } from "../types.ts";
import type { Change } from "./rows.ts";

export const ROWS = "form-backend:rows";
export const JOURNAL = "form-backend:journal";

/**
 * A key that every unstorage driver keeps distinct and intact, including file systems that fold case, forbid characters or
 * limit names to 255 bytes. Characters other than a-z, 0-9 or - become `_` and hex; a long id becomes its hash (`_h…`, no hex),
 * because the row itself contains its id.
 */
export function rowKey(collection: string, id: string): string {
  const name = id.replace(/[^a-z0-9-]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `_${code.toString(16).padStart(2, "0")}` : `_u${code.toString(16).padStart(4, "0")}`;
  });
  const short = name.length <= 150 ? name : `_h${createHash("sha256").update(id).digest("hex")}`;
  return `${ROWS}:${collection}:${short}`;
}

export const journalKey = (sequence: number): string => `${JOURNAL}:${String(sequence).padStart(12, "0")}`;

// unstorage parses any text that looks like JSON and drops keys such as `__proto__` in it; with the mark in front it stays
// text.
const MARK = "fb1 ";

export const packRow = (row: Stored): string => MARK + JSON.stringify([row.id, row.version, row.value]);

/** The row under a key; undefined when the key has just gone. Throws when the text is damaged. */
export function unpackRow(key: string, text: unknown): Change | undefined {
  if (text === null || text === undefined) return undefined;
  const parsed = unpack(text) as [string, number, Stored["value"]] | undefined;
  const collection = key.slice(ROWS.length + 1).split(":")[0]!;
  if (!parsed) {
    throw new Error(
      `[form-backend] unstorage: the row under "${key}" is damaged; restore it from a backup or remove the key`,
    );
  }
  const [id, version, value] = parsed;
  return { collection, id, row: { id, version, value } };
}

/** A journal contains its own digest: a half-written one after a crash was never acknowledged and must not be used. */
export function packChanges(changes: readonly Change[]): string {
  const body = JSON.stringify(changes);
  return `${MARK}${digest(body)} ${body}`;
}

/** Undefined for a journal that is not whole. */
export function unpackChanges(text: unknown): Change[] | undefined {
  if (typeof text !== "string" || !text.startsWith(MARK)) return undefined;
  const end = text.indexOf(" ", MARK.length);
  const body = text.slice(end + 1);
  return text.slice(MARK.length, end) === digest(body) ? (JSON.parse(body) as Change[]) : undefined;
}

/** Runs `each` for all items, 32 at a time, to the end even after an error; then throws the first error. */
export async function inTurns<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += 32) {
    const results = await Promise.allSettled(items.slice(i, i + 32).map(each));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
}

function unpack(text: unknown): unknown {
  if (typeof text !== "string" || !text.startsWith(MARK)) return undefined;
  try {
    return JSON.parse(text.slice(MARK.length));
  } catch {
    return undefined;
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
