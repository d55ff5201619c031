import type { MarkdownRenderer } from "vitepress";
import { repository } from "./repository.ts";

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

const ROLES: Readonly<Record<string, string>> = {
  table_open: "table",
  thead_open: "rowgroup",
  tbody_open: "rowgroup",
  tr_open: "row",
  th_open: "columnheader",
  td_open: "cell",
};

/** The anchor of a heading as GitHub makes it, so that a link works there and on the site. VitePress begins no anchor with a digit. */
export const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** What our pages need beside VitePress's own markdown. */
export function extend(md: MarkdownRenderer): void {
  plainCode(md);
  fileNames(md);
  md.core.ruler.push("tables", ({ tokens }) => labelCells(tokens));
  md.core.ruler.push("index-pages", ({ tokens }) => {
    for (const { children } of tokens) children?.forEach(leadToIndex);
  });
  md.core.ruler.push("repository", ({ tokens }) => {
    for (const { children } of tokens) children?.forEach(leadOut);
  });
}

/** Tags such as `{{name}}` are text of ours, and nothing for Vue to fill in. Paths may go on in the next line, or tables grow too wide. */
function plainCode(md: MarkdownRenderer): void {
  const plain = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet("v-pre", "");
    return (plain?.(tokens, index, ...rest) ?? "").replace(/(?<!<)\/(?=[\w{])/g, "/<wbr>");
  };
}

/** A block that says what it is saved as shows it; VitePress does so only where blocks are tabs. */
function fileNames(md: MarkdownRenderer): void {
  const plain = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const [, file] = /\[(.+)\]/.exec(tokens[index]?.info ?? "") ?? [];
    const block = plain?.(tokens, index, ...rest) ?? "";
    return file ? `<div class="file"><p class="file-name">${md.utils.escapeHtml(file)}</p>${block}</div>` : block;
  };
}

/**
 * On a narrow screen each row of a table stands as a block (theme/style.css). So each cell carries the heading of its column,
 * and everything the role that `display: block` takes away.
 */
function labelCells(tokens: readonly Token[]): void {
  let headings: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    const role = ROLES[token.type];
    if (role) token.attrSet("role", role);
    if (token.type === "table_open") headings = [];
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") headings.push(tokens[at + 1]?.children?.map(({ content }) => content).join("") ?? "");
    if (token.type === "td_open") token.attrSet("data-label", headings[column++] ?? "");
  }
}

/** The README of a folder, which is what GitHub shows, is the folder's own page on the site. */
function leadToIndex(token: Token): void {
  const href = token.attrGet("href");
  if (href && !/^\w+:/.test(href)) token.attrSet("href", href.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md"));
}

/** Files outside of `docs/` are in the repository. CHANGELOG.md, which is shown as a page, has its links from the root. */
function leadOut(token: Token): void {
  const href = token.attrGet("href");
  if (!href || /^\w+:/.test(href)) return;
  const outside = /^(?:\.\.\/)*((?:examples|test|src|scripts|\.github)\/.*|[A-Z][A-Z-]+\.md)$/.exec(href);
  if (outside && !href.startsWith("README")) token.attrSet("href", `${repository}/blob/main/${outside[1]}`);
  else token.attrSet("href", href.replace(/^docs\//, ""));
}
