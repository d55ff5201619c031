import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

/** A fenced block of a page. */
export interface Block {
  /** The page, from the repository's root. */
  readonly page: string;
  /** Where its first line stands. */
  readonly line: number;
  readonly language: string;
  /** Words behind the language: `run` or `start`. */
  readonly words: readonly string[];
  /** The name in square brackets: what the reader saves it as. */
  readonly file: string | null;
  /** Why nothing is checked. */
  readonly ignore: string | null;
  readonly code: string;
}

/** Every page that a reader may open. */
export const pages: readonly string[] = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules") && !file.startsWith(".vitepress"))
    .map((file) => join("docs", file))
    .sort(),
];

/** The fenced blocks of a page; one may stand indented in a list. */
export function blocksOf(page: string): Block[] {
  const lines = readFileSync(join(root, page), "utf8").split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", fence = "", info = ""] = /^( *)(`{3,})(.*)$/.exec(lines[at] ?? "") ?? [];
    if (!fence) continue;
    const end = lines.findIndex((line, i) => i > at && line.trim() === fence);
    if (end === -1) throw new Error(`${page}:${at + 1}: the block is never closed`);
    const ignore = /\bignore="([^"]+)"/.exec(info)?.[1] ?? null;
    const file = /\[([^\]]+)\]/.exec(info)?.[1] ?? null;
    const [language = "", ...words] = info
      .replace(/\bignore="[^"]*"|\[[^\]]*\]/g, "")
      .trim()
      .split(/\s+/);
    const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ page, line: at + 2, language, words, file, ignore, code: `${code.join("\n")}\n` });
    at = end;
  }
  return blocks;
}

export const blocks: readonly Block[] = pages.flatMap(blocksOf);
export const whereIs = ({ page, line }: Block): string => `${page}:${line}`;
