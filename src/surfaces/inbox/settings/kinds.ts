import { createHash } from "node:crypto";
import type { Kind } from "./leaves.ts";
import { routingRows, targetRows } from "./routing-rows.ts";
import { labelRows, policyRows, type RowsKind, ruleRows } from "./rows.ts";
import { tidy } from "./tidy.ts";

/** A leaf's value as text, and back. */
interface TextKind {
  text(value: unknown): string;
  value(text: string): unknown;
}

const plain: TextKind = { text: (value) => tidy(String(value ?? "")), value: (text) => text };

const optional = (value: unknown): string => (value === null ? "" : String(value));
/** An empty control stands for no value. */
const orNull = (text: string): string | null => text.trim() || null;

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Kinds whose value is in one control. */
const textKinds: Readonly<Record<Exclude<Kind, RowsName>, TextKind>> = {
  line: plain,
  area: plain,
  code: plain,
  choice: plain,
  server: plain,
  language: plain,
  secret: { text: () => "", value: (text) => text.trim() },
  flag: { text: (value) => (value === true ? "on" : ""), value: (text) => text === "on" },
  number: {
    text: (value) => String(value),
    // Anything else is left to the schema, which says what is wrong with it.
    value: (text) => (/^\s*-?[\d.]+\s*$/.test(text) ? Number(text) : text),
  },
  count: { text: optional, value: (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : orNull(text)) },
  moment: { text: optional, value: orNull },
  lines: {
    text: (value) => linesOf(tidy((value as readonly string[]).join("\n"))).join("\n"),
    value: linesOf,
  },
  days: {
    text: (value) => (value === "forever" ? "" : String(value).replace(/_days$/, "")),
    value: (text) => (text.trim() === "" ? "forever" : `${text.trim()}_days`),
  },
};

const rowsKinds = {
  labels: labelRows,
  policies: policyRows,
  rules: ruleRows,
  routing: routingRows,
  target: targetRows,
} satisfies Readonly<Partial<Record<Kind, RowsKind>>>;
type RowsName = keyof typeof rowsKinds;

/** True for a kind whose value is in several controls. */
export const isRows = (kind: Kind): kind is RowsName => Object.hasOwn(rowsKinds, kind);

/** A kind whose value is in several controls; null for the others. */
export const rowsKindOf = (kind: Kind): RowsKind | null => (isRows(kind) ? rowsKinds[kind] : null);

/** A stored value as the controls show it. */
export function shownText(kind: Kind, value: unknown): string {
  const rows = rowsKindOf(kind);
  return rows ? rows.text(value) : textKinds[kind as keyof typeof textKinds].text(value);
}

/** What a page posted for a leaf, as `shownText` would show it. */
export function postedText(kind: Kind, path: string, body: URLSearchParams): string {
  const rows = rowsKindOf(kind);
  if (rows) return rows.posted(body, path);
  const text = tidy(body.get(path) ?? "");
  return kind === "lines" ? linesOf(text).join("\n") : text;
}

/** The value that a text stands for. */
export function valueMeant(kind: Kind, text: string): unknown {
  const rows = rowsKindOf(kind);
  return rows ? rows.value(text) : textKinds[kind as keyof typeof textKinds].value(text);
}

/** A short name of a text. A page carries it, so that the server knows which leaves were changed there. */
export const printOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);
