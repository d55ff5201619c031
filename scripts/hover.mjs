// Writes what the sources say of each member into the declarations that were built, so that an editor shows it. Runs after tsup.
// A description that OpenAPI shows as well is in `.describe(…)`, which no declaration has.
import { readFileSync, writeFileSync } from "node:fs";
import { commentOf, descriptionOf, documentedEntries, membersOf, programOf } from "./members.mjs";

const sources = Object.keys(documentedEntries);
const built = Object.values(documentedEntries);
const [written, shown] = [sources, built].map(programOf);
const said = membersOf(written, sources);

/** By file: position → text. */
const missing = new Map();
for (const [path, symbol] of membersOf(shown, built)) {
  const origin = said.get(path);
  const [declaration] = symbol.declarations ?? [];
  if (!origin || !declaration || commentOf(shown, symbol)) continue;
  const text = commentOf(written, origin) || descriptionOf(written, origin);
  if (!text) continue;
  const { fileName } = declaration.getSourceFile();
  if (!missing.has(fileName)) missing.set(fileName, new Map());
  missing.get(fileName).set(declaration.getStart(), text.replace(/\s+/g, " ").replaceAll("*/", "*\\/"));
}

let count = 0;
for (const [file, texts] of missing) {
  let text = readFileSync(file, "utf8");
  for (const [at, comment] of [...texts].sort(([a], [b]) => b - a)) {
    text = `${text.slice(0, at)}/** ${comment} */ ${text.slice(at)}`;
    count++;
  }
  writeFileSync(file, text);
}
console.log(`hover: ${count} comments in ${missing.size} files`);
