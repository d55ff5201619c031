import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../../../scripts/texts.mjs";
import { filled } from "../../../../src/texts/locales/_fill.ts";
import { type Groups, spokenOf } from "../../../../src/texts/locales/_words.ts";
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

const english = textsOf("inbox", "en");

describe.each([ar, de, es, fr, he, itLocale, ja, nl, pl, pt, tr, zh])("the inbox in $tag", (locale) => {
  it("says every sentence for every number and leaves no placeholder", () => {
    const groups = spokenOf(textsOf("inbox", locale.tag) as Groups, locale) as Record<
      string,
      Record<string, (values: object) => string>
    >;
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
    expect(text).toContain("3 ردود غير مقروءة");
    expect(text).toContain("3 ردود خلال 30 يومًا");
  });
});

it("loads a language with the first page that needs it, and none for a host in English", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const eager = files.filter((file) =>
    /from "[^"]*texts\/inbox\/(?!en\.json)[a-z]+\.json"/.test(readFileSync(join("src", file), "utf8")),
  );
  expect(eager).toEqual([]);
});

it("says in English a sentence that a language lacks, with its number", () => {
  const { page, keys } = textsOf("inbox", "pl") as Groups;
  const { skip: _, ...partOfPage } = page as Groups[string];
  const { formCount: __, ...partOfKeys } = keys as Groups[string];
  const texts = filled(english, { page: partOfPage, keys: partOfKeys }) as Groups;
  const said = spokenOf(texts, pl) as Record<string, Record<string, (values?: object) => string>>;
  expect(said["page"]?.["skip"]?.()).toBe("Skip to the content");
  expect(said["page"]?.["signOut"]?.()).toBe(partOfPage["signOut"]);
  expect([1, 3, 5].map((count) => said["keys"]?.["formCount"]?.({ count }))).toEqual(["1 form", "3 forms", "5 forms"]);
});
