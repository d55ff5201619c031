import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { english } from "../../../../src/surfaces/inbox/texts/_english.ts";
import type { Catalogue } from "../../../../src/surfaces/inbox/texts/_types.ts";
import arabic from "../../../../src/surfaces/inbox/texts/ar/index.ts";
import german from "../../../../src/surfaces/inbox/texts/de/index.ts";
import spanish from "../../../../src/surfaces/inbox/texts/es/index.ts";
import french from "../../../../src/surfaces/inbox/texts/fr/index.ts";
import hebrew from "../../../../src/surfaces/inbox/texts/he/index.ts";
import italian from "../../../../src/surfaces/inbox/texts/it/index.ts";
import japanese from "../../../../src/surfaces/inbox/texts/ja/index.ts";
import dutch from "../../../../src/surfaces/inbox/texts/nl/index.ts";
import polish from "../../../../src/surfaces/inbox/texts/pl/index.ts";
import portuguese from "../../../../src/surfaces/inbox/texts/pt/index.ts";
import turkish from "../../../../src/surfaces/inbox/texts/tr/index.ts";
import chinese from "../../../../src/surfaces/inbox/texts/zh/index.ts";
import { groupsFault } from "../../../../src/texts/locales/_check.ts";
import { spokenOf } from "../../../../src/texts/locales/_words.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import es from "../../../../src/texts/locales/es.ts";
import fr from "../../../../src/texts/locales/fr.ts";
import he from "../../../../src/texts/locales/he.ts";
import itLocale from "../../../../src/texts/locales/it.ts";
import ja from "../../../../src/texts/locales/ja.ts";
import nl from "../../../../src/texts/locales/nl.ts";
import pl from "../../../../src/texts/locales/pl.ts";
import pt from "../../../../src/texts/locales/pt.ts";
import tr from "../../../../src/texts/locales/tr.ts";
import zh from "../../../../src/texts/locales/zh.ts";
import { inboxHarness } from "./_inbox.ts";

type Sentences = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Every sentence with its path, plural forms one by one. */
function sentencesOf(node: unknown, path = ""): [string, string][] {
  if (typeof node === "string") return [[path, node]];
  return Object.entries(node as object).flatMap(([name, inner]) => sentencesOf(inner, `${path}.${name}`));
}

const ours = new Map(sentencesOf(english));

describe.each([
  ["ar", arabic, ar],
  ["de", german, de],
  ["es", spanish, es],
  ["fr", french, fr],
  ["he", hebrew, he],
  ["it", italian, itLocale],
  ["ja", japanese, ja],
  ["nl", dutch, nl],
  ["pl", polish, pl],
  ["pt", portuguese, pt],
  ["tr", turkish, tr],
  ["zh", chinese, zh],
] as const)("the inbox in %s", (tag, catalogue, locale) => {
  it("has each sentence, each plural form and each placeholder", () => {
    expect(groupsFault(tag, english, catalogue)).toBeNull();
    const names = (of: Sentences) => Object.entries(of).map(([group, all]) => [group, Object.keys(all).sort()]);
    expect(new Map(names(catalogue) as never)).toEqual(new Map(names(english) as never));
  });

  it("has no sentence with spaces around it, two spaces in it, or straight quotes", () => {
    const odd = sentencesOf(catalogue).filter(
      ([, text]) => text !== text.trim() || text.includes("  ") || /[\p{L}]'|"/u.test(text),
    );
    expect(odd).toEqual([]);
  });

  it("leaves no sentence of more than one word in English", () => {
    const same = sentencesOf(catalogue).filter(
      ([path, text]) => ours.get(path) === text && /\p{L}+ \p{L}+/u.test(text.replace(/\{\w+\}/g, "")),
    );
    expect(same).toEqual([]);
  });

  it("says every sentence for every number and leaves no placeholder", () => {
    const groups = spokenOf(catalogue, locale) as Record<string, Record<string, (values: object) => string>>;
    for (const count of [0, 1, 2, 3, 11, 100, 1_000]) {
      const values = new Proxy({}, { get: (_, name) => (name === "count" ? count : `<${String(name)}>`) });
      for (const [group, entries] of Object.entries(groups)) {
        for (const [name, say] of Object.entries(entries)) {
          const text = say(values);
          expect(text, `${group}.${name}`).toMatch(/\S/);
          expect(text, `${group}.${name}`).not.toMatch(/\{\w+\}/);
        }
      }
    }
  });
});

describe("the language of a person", () => {
  const open = () => inboxHarness({}, { locales: [de, ar, { ...fr, tag: "sv" }] });
  const langOf = ({ text }: { text: string }): string => /<html lang="([^"]+)" dir="[^"]+">/.exec(text)?.[1] ?? "";

  it("is the user's own, whatever the browser speaks", async () => {
    const { as } = open();
    const page = await as({ locale: "ar" }).get("/", { "accept-language": "de" });
    expect(page.text).toContain('<html lang="ar" dir="rtl">');
    expect(page.text).toContain("النماذج");
    expect(langOf(await as({ locale: "de-AT" }).get("/"))).toBe("de");
  });

  it("is otherwise the browser's best one that the inbox is written in", async () => {
    const ann = open().as({});
    expect(langOf(await ann.get("/", { "accept-language": "de-CH, en;q=0.5" }))).toBe("de");
    // The host has written a language of its own for visitors, but the inbox is not written in it.
    expect(langOf(await ann.get("/", { "accept-language": "sv, ar;q=0.9" }))).toBe("ar");
    expect(langOf(await ann.get("/"))).toBe("en");
  });

  it("is English where the host has not loaded the wished one", async () => {
    const { as } = inboxHarness();
    expect(langOf(await as({ locale: "de" }).get("/", { "accept-language": "ar" }))).toBe("en");
    expect(langOf(await open().as({ locale: "no such tag" }).get("/"))).toBe("en");
  });

  it("holds on error pages, in links and at the door", async () => {
    const backend = open();
    const user = backend.as({ locale: "de", role: "viewer" });
    expect((await user.get("/f/nothing")).text).toContain("Nicht gefunden");
    expect((await user.post("/new", { name: "x" })).text).toContain("Nicht erlaubt");
    const guest = await backend.guest({ locale: "ar" });
    expect(langOf(await guest.get("/"))).toBe("ar");
    const { url } = await backend.inbox.link({ team_ids: ["default"], role: "admin", user: { id: "g", name: "G" } });
    expect((await backend.stranger().get(url, { "accept-language": "de" })).text).toContain("Posteingang öffnen");
  });

  it("counts by the rules of the language", async () => {
    const backend = open();
    const form = await backend.forms.create({ name: "Contact" });
    await backend.forms.create({ name: "Another" });
    for (let i = 0; i < 3; i++) await backend.submit(form.id, { fields: { n: String(i) } });
    const { text } = await backend.as({ locale: "ar" }).get("/");
    expect(text).toContain("3 إرسالات غير مقروءة");
    expect(text).toContain("3 إرسالات خلال 30 يومًا");
  });
});

it("loads a language with the first page that needs it, and none for a host in English", () => {
  const files = readdirSync("src/surfaces/inbox", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const eager = files
    .filter((file) => !/^texts\/[a-z]{2}\//.test(file))
    .filter((file) => /from "[^"]*texts\/[a-z]{2}\//.test(readFileSync(join("src/surfaces/inbox", file), "utf8")));
  expect(eager).toEqual([]);
});

it("refuses to compile a language that lacks a sentence or a placeholder", () => {
  const { done: _, ...withoutGroup } = german;
  // @ts-expect-error: a group is missing
  const group: Catalogue = withoutGroup;
  const { signIn: __, ...withoutSentence } = german.gate;
  // @ts-expect-error: a sentence is missing
  const sentence: Catalogue["gate"] = withoutSentence;
  // @ts-expect-error: {name} is missing
  const placeholder: Catalogue["item"] = { ...german.item, title: "Einsendung" };
  // @ts-expect-error: the number is missing
  const plural: Catalogue["done"] = { ...german.done, delete: { one: "gelöscht", other: "gelöscht" } };
  for (const broken of [group, { gate: sentence }, { item: placeholder }, { done: plural }]) {
    expect(groupsFault("de", english, { ...german, done: undefined, ...broken } as never)).not.toBeNull();
  }
});
