import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The texts of people, a file for each reader and language. `npm run texts` prints the coverage and writes the types of the English ones. */

export const readers = ["inbox", "visitors"];
const folderOf = (reader) => resolve(import.meta.dirname, "../src/texts", reader);

/** The languages of a reader. */
export const tagsOf = (reader) =>
  readdirSync(folderOf(reader))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -5))
    .sort();

/** The texts of a file; one that is no JSON is named. */
export function textsOf(reader, tag) {
  const file = resolve(folderOf(reader), `${tag}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`src/texts/${reader}/${tag}.json: ${error.message}`);
  }
}

/** Every sentence by its key, such as `page.skip`. */
export const sentencesOf = (texts) =>
  new Map(
    Object.entries(texts).flatMap(([group, entries]) =>
      typeof entries === "object" ? Object.entries(entries).map(([name, entry]) => [`${group}.${name}`, entry]) : [],
    ),
  );

/** The keys that a language lacks, and those that it says in the English words. */
export function coverageOf(english, texts) {
  const [ours, theirs] = [sentencesOf(english), sentencesOf(texts)];
  const keys = [...ours.keys()];
  const sameAs = (key) => JSON.stringify(theirs.get(key)) === JSON.stringify(ours.get(key));
  return {
    sentences: keys.length,
    missing: keys.filter((key) => !theirs.has(key)),
    same: keys.filter((key) => theirs.has(key) && sameAs(key)),
  };
}

export const typesFile = (reader) => resolve(folderOf(reader), "english.ts");

/** The English texts as a type: each placeholder of a sentence is part of it. */
export const typesOf = (reader) =>
  `/** Written by \`npm run texts\` from en.json. */\nexport type English = ${JSON.stringify(textsOf(reader, "en"), null, 2)};\n`;

function main(listed) {
  const rows = [];
  const missing = [];
  const same = [];
  for (const reader of readers) {
    writeFileSync(typesFile(reader), typesOf(reader));
    const english = textsOf(reader, "en");
    for (const tag of tagsOf(reader)) {
      if (tag === "en") continue;
      const found = coverageOf(english, textsOf(reader, tag));
      rows.push([tag, reader, found.sentences, found.missing.length, found.same.length]);
      missing.push(...found.missing.map((key) => `src/texts/${reader}/${tag}.json lacks ${key}`));
      if (tag === listed)
        same.push(...found.same.map((key) => `src/texts/${reader}/${tag}.json says ${key} as English does`));
    }
  }
  const head = ["language", "reader", "sentences", "missing", "same as English"];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => String(row[at]).length)));
  for (const row of [head, ...rows.sort()])
    console.log(
      row.map((cell, at) => (at < 2 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]))).join("  "),
    );
  for (const line of [...missing, ...same]) console.log(line);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv[2]);
