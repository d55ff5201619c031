import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import { parse as parseDiscord } from "discord-markdown-parser";
import { marked } from "marked";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { expect } from "vitest";
import { schemas } from "./_schemas.ts";

// The package's main file is for bundlers; this one has what it needs.
const adaptive = createRequire(import.meta.url)(
  "adaptivecards/dist/adaptivecards.js",
) as typeof import("adaptivecards");

/** What a reader of a message sees: fields in order, and how many are said to be missing. */
export interface Seen {
  readonly fields: readonly { readonly key: string; readonly value: string }[];
  readonly more: number;
}

const ajv = new Ajv({ allErrors: true, strict: true });
const validators = new Map<string, ValidateFunction>();

/** Throws where a body is not by the limits that the service documents. */
function valid(name: keyof typeof schemas, body: unknown): void {
  const validate = validators.get(name) ?? ajv.compile(schemas[name]);
  validators.set(name, validate);
  if (!validate(body)) throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`);
}

const more = (line: string | undefined): number => Number(/^\+(\d+) more(?: · |$|\n)/.exec(line ?? "")?.[1] ?? 0);

type Block = { type: string; text?: { text: string }; elements?: { type: string; text: string }[] };

/** Slack: the schema allows markup in our own link alone; the rest is literal but for three entities. */
export function slack(body: string): Seen {
  const { text, blocks } = JSON.parse(body) as { text: string; blocks: Block[] };
  valid("slack", JSON.parse(body));
  expect(JSON.stringify(blocks).length).toBeLessThan(11_000);
  const literal = (written: string): string => {
    expect(written.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toMatch(/[&<>]/);
    return written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  };
  literal(text);
  const said = blocks.map(({ type, text: own, elements = [] }) => ({
    type,
    text: literal(own?.text ?? elements[0]?.text ?? ""),
    linked: elements.length > 1,
  }));
  const inner = said.slice(1, -1);
  const fields: { key: string; value: string }[] = [];
  const roomy =
    inner.length % 2 === 0 && inner.every(({ type }, at) => type === (at % 2 === 0 ? "context" : "section"));
  if (roomy) {
    for (let at = 0; at < inner.length; at += 2)
      fields.push({ key: inner[at]?.text ?? "", value: inner[at + 1]?.text ?? "" });
  } else {
    for (const { text: joined, linked } of inner) fields.push(split(joined, linked ? ": " : "\n"));
  }
  return { fields, more: more(said.at(-1)?.text) };
}

function split(joined: string, by: string): { key: string; value: string } {
  const at = joined.indexOf(by);
  return at < 0 ? { key: joined, value: "" } : { key: joined.slice(0, at), value: joined.slice(at + by.length) };
}

interface Embed {
  readonly title?: string;
  readonly fields: readonly { name: string; value: string }[];
  readonly footer?: { text: string };
}

type Node = { type: string; content?: unknown; name?: unknown };

/** What Discord shows of markdown that is to be plain text. Throws on any other node. */
function discordText(markdown: string): string {
  const nodes = parseDiscord(markdown, "extended") as Node[];
  return nodes
    .map(({ type, content, name }) => {
      if (type === "twemoji") return String(name);
      if (type === "br" || type === "newline") return "\n";
      expect(type, markdown).toBe("text");
      return String(content);
    })
    .join("");
}

/** Discord: the schema, 6,000 characters over all embeds, and its markdown as text alone. */
export function discord(body: string): Seen {
  const message = JSON.parse(body) as { embeds: Embed[] };
  valid("discord", message);
  let total = 0;
  const fields = message.embeds.flatMap((embed) => {
    total += (embed.title?.length ?? 0) + (embed.footer?.text.length ?? 0);
    if (embed.title !== undefined) discordText(embed.title);
    return embed.fields.map(({ name, value }) => {
      total += name.length + value.length;
      expect(value.trim()).not.toBe("");
      expect(name.trim()).not.toBe("");
      return { key: discordText(name), value: discordText(value.replace(/\n\[Open\]\(https:\/\/[^\s()]+\)$/, "")) };
    });
  });
  expect(total).toBeLessThanOrEqual(6_000);
  return { fields, more: more(message.embeds.at(-1)?.footer?.text) };
}

interface TextBlock {
  readonly type: string;
  readonly spacing?: string;
  readonly inlines: readonly { text: string; weight?: string; selectAction?: { url: string } }[];
}

/** Teams: Microsoft's own parser has nothing to remark, and no text computes a date. */
export function teams(body: string): Seen {
  const message = JSON.parse(body) as { attachments: { content: { body: TextBlock[] } }[] };
  valid("teams", message);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28_000);
  expect(Buffer.byteLength(body, "utf16le")).toBeLessThanOrEqual(28_672);
  const content = message.attachments[0]?.content;
  const context = new adaptive.SerializationContext(adaptive.Versions.v1_4);
  const card = new adaptive.AdaptiveCard();
  card.parse(content, context);
  const remarks = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  expect(remarks).toEqual([]);
  const lines = (content?.body ?? []).map(({ inlines, spacing }) => {
    const text = inlines.map((run) => run.text).join("");
    expect(text).not.toMatch(/\{\{(?:DATE|TIME)\(/i);
    return { text, label: spacing === "medium" && inlines[0]?.weight === "Bolder" };
  });
  const fields: { key: string; value: string }[] = [];
  for (const { text, label } of lines.slice(1, -1)) {
    const last = fields.at(-1);
    if (label) fields.push({ key: text, value: "" });
    else if (last) last.value += `${text}\n`;
  }
  const tail = fields.at(-1);
  if (tail && tail.value === "" && more(tail.key) > 0) return { fields: fields.slice(0, -1), more: more(tail.key) };
  return { fields, more: 0 };
}

type Html = DefaultTreeAdapterTypes.ChildNode;

const textOf = (node: Html): string =>
  "value" in node
    ? node.value
    : node.nodeName === "br"
      ? "\n"
      : "childNodes" in node
        ? node.childNodes.map(textOf).join("")
        : "";
const tagsOf = (nodes: readonly Html[]): string[] =>
  nodes.flatMap((node) =>
    node.nodeName === "#text" ? [] : [node.nodeName, ...("childNodes" in node ? tagsOf(node.childNodes) : [])],
  );

/** Telegram: its HTML parsed as HTML has our tags alone, and the text holds nothing that it would link by itself. */
export function telegram(body: string): Seen {
  const message = JSON.parse(body) as { text: string };
  valid("telegram", message);
  const { childNodes: nodes } = parseFragment(message.text);
  const shown = nodes.map(textOf).join("");
  expect(shown.length).toBeLessThanOrEqual(4_096);
  const tags = tagsOf(nodes);
  expect(tags.filter((tag) => tag !== "b" && tag !== "i" && tag !== "a")).toEqual([]);
  expect(tags.length).toBeLessThanOrEqual(100);
  expect(tags.filter((tag) => tag === "i")).toHaveLength(1);
  expect(shown).not.toMatch(/(?<![\p{L}\p{N}_])@[A-Za-z0-9_]/u);
  expect(shown).not.toMatch(/(?<![\p{L}\p{N}_/])[#/][\p{L}\p{N}_]/u);
  const fields: { key: string; value: string }[] = [];
  for (const node of nodes.slice(1, -1)) {
    const last = fields.at(-1);
    if (node.nodeName === "b") fields.push({ key: textOf(node), value: "" });
    else if (last) last.value += textOf(node);
  }
  return { fields, more: more(textOf(nodes.at(-1) as Html)) };
}

/** Who Mattermost's server would notify: its words are letters, digits and `:.-_@`, taken apart again at `.-:`. */
function mentionsIn(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}:.\-_@]+/u)
    .map((word) => word.replace(/^[:.\-_]+/, ""))
    .flatMap((word) => [word, ...word.split(/[.\-:]+/)])
    .filter((word) => /^@./.test(word));
}

/** Mattermost: its markdown is paragraphs of text and our labels; no emoji, hashtag or mention is left to the client or server. */
export function mattermost(body: string): Seen {
  const { text } = JSON.parse(body) as { text: string };
  valid("mattermost", { text });
  expect(text).not.toMatch(/:[a-z0-9_+-]+:/i);
  expect(text).not.toMatch(/(?<![&\w])#\p{L}/u);
  const { childNodes } = parseFragment(marked.parse(text, { gfm: true, breaks: true, async: false }));
  const nodes = childNodes.filter((node) => node.nodeName !== "#text" || textOf(node).trim() !== "");
  expect(nodes.filter(({ nodeName }) => nodeName !== "p")).toEqual([]);
  const tags = tagsOf(nodes);
  expect(tags.filter((tag) => !["p", "strong", "br", "a"].includes(tag))).toEqual([]);
  expect(mentionsIn(nodes.map(textOf).join("\n"))).toEqual([]);
  const fields: { key: string; value: string }[] = [];
  for (const node of nodes.slice(1, -1)) {
    const inner = "childNodes" in node ? node.childNodes : [];
    const labelled = inner[0]?.nodeName === "strong";
    const said = inner.filter(({ nodeName }, at) => nodeName !== "a" && !(labelled && at === 0));
    const value = said.map(textOf).join("");
    const last = fields.at(-1);
    if (labelled) fields.push({ key: textOf(inner[0] as Html), value });
    else if (last) last.value += `\n${value}`;
  }
  return { fields, more: more(textOf(nodes.at(-1) as Html)) };
}

interface Widget {
  readonly decoratedText?: { topLabel: string; text: string };
  readonly textParagraph?: { text: string };
}

/** Google Chat: the schema, 32,000 bytes, and texts of widgets as HTML with nothing but line breaks. */
export function google_chat(body: string): Seen {
  const message = JSON.parse(body) as { text: string; cardsV2: { card: { sections: { widgets: Widget[] }[] } }[] };
  valid("google_chat", message);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(32_000);
  expect(message.text).not.toMatch(/<(?:users|https?)|[*_~`](?!\u200b)/);
  const read = (written: string): string => {
    const { childNodes } = parseFragment(written);
    expect(tagsOf(childNodes).filter((tag) => tag !== "br")).toEqual([]);
    return childNodes.map(textOf).join("");
  };
  const widgets = message.cardsV2[0]?.card.sections[0]?.widgets ?? [];
  return {
    fields: widgets.flatMap(({ decoratedText: said }) =>
      said ? [{ key: read(said.topLabel), value: read(said.text) }] : [],
    ),
    more: more(widgets.at(-1)?.textParagraph?.text),
  };
}

/** ntfy: plain text; a message of 4,096 bytes, a request of twice that. */
export function ntfy(body: string): { message: string; more: number } {
  const message = JSON.parse(body) as { message: string };
  valid("ntfy", message);
  expect(Buffer.byteLength(message.message)).toBeLessThanOrEqual(4_096);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
  return { message: message.message, more: more(message.message.split("\n").at(-2)) };
}
