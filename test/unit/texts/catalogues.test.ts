import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFormBackend, type Locale } from "../../../src/index.ts";
import { localeFault } from "../../../src/texts/locales/_check.ts";
import { type Words, wordsOf } from "../../../src/texts/locales/_words.ts";
import ar from "../../../src/texts/locales/ar.ts";
import de from "../../../src/texts/locales/de.ts";
import en from "../../../src/texts/locales/en.ts";

const folder = "src/texts/locales";
const tags = readdirSync(folder)
  .filter((file) => !file.startsWith("_"))
  .map((file) => file.slice(0, -3));
const locales = new Map<string, Locale>();
for (const tag of tags) {
  const module = (await import(join(process.cwd(), folder, `${tag}.ts`))) as { default: Locale };
  locales.set(tag, module.default);
}

it("ships the languages of the contract", () => {
  expect(tags.sort()).toEqual(["ar", "de", "en", "es", "fr", "he", "it", "ja", "nl", "pl", "pt", "tr", "zh"]);
});

describe.each([...locales])("%s", (tag, locale) => {
  it("has each sentence, each plural form and each placeholder", () => {
    expect(locale.tag).toBe(tag);
    expect(localeFault(locale)).toBeNull();
  });

  it("is written from the side that Intl names", () => {
    const known = new Intl.Locale(tag) as Intl.Locale & { textInfo?: { direction: string } };
    expect(locale.dir).toBe(known.textInfo?.direction);
  });

  it("says every sentence with its values and leaves no placeholder", () => {
    const words = wordsOf(locale);
    const values = new Proxy({}, { get: (_, name) => (name === "count" ? 5 : `<${String(name)}>`) });
    for (const group of Object.keys(en).filter((name) => name !== "tag" && name !== "dir")) {
      for (const [name, say] of Object.entries(words[group as keyof Words])) {
        expect(say(values), `${group}.${name}`).not.toMatch(/\{\w+\}/);
      }
    }
  });

  it("counts from 0 to 105 without falling into another form", () => {
    const words = wordsOf(locale);
    for (let count = 0; count <= 105; count++) {
      expect(words.summary.subject({ count })).toMatch(/\S/);
      expect(words.validation.min_length({ field: "x", count })).toContain("x");
    }
  });
});

describe("words", () => {
  const says = (locale: Locale) => wordsOf(locale);

  it("take the plural form of the number", () => {
    const polish = says(locales.get("pl") as Locale);
    expect([1, 2, 5, 22, 25].map((count) => polish.summary.subject({ count }))).toEqual([
      "1 nowe zgłoszenie",
      "2 nowe zgłoszenia",
      "5 nowych zgłoszeń",
      "22 nowe zgłoszenia",
      "25 nowych zgłoszeń",
    ]);
    expect([1, 2, 3, 11, 100].map((count) => says(ar).files.bytes({ count }))).toEqual([
      "بايت واحد",
      "2 بايت",
      "3 بايت",
      "11 بايت",
      "100 بايت",
    ]);
  });

  it("write times, days and sizes as the language does", () => {
    const at = "2026-11-21T04:16:05.000Z";
    expect(wordsOf(en).time(at)).toBe("21 November 2026 at 04:16 UTC");
    expect(says(de).time(at)).toBe("21. November 2026 um 04:16 UTC");
    expect(says(locales.get("ja") as Locale).day(at)).toBe("2026年11月21日");
    expect(says(de).size(1_600_000)).toBe("1,5 MB");
    expect(says(locales.get("fr") as Locale).size(2048)).toBe("2\u00a0Ko");
  });

  it("fill in values once, whatever they hold", () => {
    const hostile = "{field} $& {wanted}";
    expect(wordsOf(en).validation.contains({ field: hostile, wanted: "w" })).toBe(`The ${hostile} must contain “w”.`);
  });

  it("let a value of the other direction run by itself, and no value end that early", () => {
    expect(says(ar).validation.required({ field: "email" })).toBe("الحقل «\u2068email\u2069» مطلوب.");
    expect(says(ar).validation.required({ field: "البريد" })).toBe("الحقل «البريد» مطلوب.");
    expect(says(ar).validation.required({ field: "e\u2069\u2067mail" })).toContain("\u2068email\u2069");
    expect(wordsOf(en).validation.required({ field: "email" })).toBe("The email field is required.");
    expect(wordsOf(en).validation.required({ field: "اسم" })).toBe("The \u2068اسم\u2069 field is required.");
  });
});

describe("the option `locales`", () => {
  const build = (options: object) => () =>
    createFormBackend({ baseUrl: "https://app.example.com/forms", ...options } as never);
  const without = { ...de, validation: { ...de.validation, required: undefined } };

  it.each([
    [{ locales: [without] }, "`locales.0`: `validation.required` is missing"],
    [
      { locales: [ar, { ...de, validation: { ...de.validation, required: "Pflichtfeld." } }] },
      "`locales.1`: `validation.required` lacks the placeholder {field}",
    ],
    [
      { locales: [{ ...de, reply: { ...de.reply, title: "{name} {nonsense}" } }] },
      "`locales.0`: `reply.title` has the placeholder {nonsense}, which nothing fills",
    ],
    [{ locales: [{ ...de, tag: "pl" }] }, "`locales.0`: `page.choose_again` has no plural form `"],
    [{ locales: [{ ...de, tag: "no tag" }] }, "`locales.0`: must have a `tag`, such as de or pt-BR"],
    [{ locales: [{ ...de, dir: "up" }] }, "`locales.0`: must have a `dir`, ltr or rtl"],
    [{ locales: ["de"] }, "`locales.0`: must be a language, such as the default export of form-backend/locales/de"],
    [{ language: "de" }, '`language`: "de" is not among `locales`; loaded are en'],
  ])("refuses %j and names it", (options, sentence) => {
    expect(build(options)).toThrow(`[form-backend] option ${sentence}`);
  });

  it("takes languages of one's own, and another English", async () => {
    const sv = { ...de, tag: "sv" };
    const british = { ...en, defaults: { ...en.defaults, headline: "Cheers!" } } satisfies Locale;
    const backend = build({ locales: [de, sv, british], language: "sv" })();
    await expect(backend.close()).resolves.toBeUndefined();
  });
});

it("does not compile without a sentence or a placeholder", () => {
  const entries: readonly Locale[] = [
    // @ts-expect-error: a group is missing
    { ...de, validation: undefined },
    // @ts-expect-error: a sentence is missing
    { ...de, titles: { other: "x" } },
    // @ts-expect-error: {field} is missing
    { ...de, validation: { ...de.validation, email: "Keine Adresse." } },
    // @ts-expect-error: of two placeholders one is missing
    { ...de, validation: { ...de.validation, contains: "„{field}“ ist falsch." } },
    // @ts-expect-error: the number is missing where the form does not say it
    { ...de, summary: { ...de.summary, subject: { one: "eine", other: "viele" } } },
    // @ts-expect-error: a plural form is not a text
    { ...de, summary: { ...de.summary, subject: "{count}" } },
  ];
  expect(entries.map((entry) => localeFault(entry)).filter((fault) => fault === null)).toEqual([]);
});
