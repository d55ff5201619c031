import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLanguages } from "../../../src/texts/locales/_languages.ts";
import { known, negotiated } from "../../../src/texts/locales/_negotiate.ts";
import ar from "../../../src/texts/locales/ar.ts";
import de from "../../../src/texts/locales/de.ts";

const tags = ["en", "de", "pt", "zh", "he", "fr-CA"];

describe("Accept-Language", () => {
  it.each([
    ["de", "de"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["DE-at", "de"],
    ["sv, fr-CH;q=0.9, en;q=0.5", "fr-CA"],
    ["en;q=0.2, de;q=0.7", "de"],
    ["de;q=0, en;q=0.1", "en"],
    ["pt-BR", "pt"],
    ["zh-Hans-CN, zh;q=0.9", "zh"],
    ["iw-IL", "he"],
    ["de ; q = 0.5 , en ; q=0.4", "de"],
    ["sv", null],
    ["*", null],
    ["sv, *;q=0.5, de;q=0.1", null],
    ["", null],
    [null, null],
    ["de;q=2", null],
    ["de;q=abc, en", "en"],
    ["../../etc/passwd, en;q=0.1", "en"],
    ["d\u00e9, de", "de"],
    ["-, --, de", "de"],
    [`${"x-".repeat(5_000)}, de`, null],
    [`${"sv,".repeat(60)}de`, null],
  ])("%j asks for %j", (header, wanted) => {
    expect(negotiated(header, tags)).toBe(wanted);
  });

  it("answers one of the languages or null, whatever is sent", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("de", "en-US", "*", ";q=", "0.5", ",", "-", "x-", "iw", "1.000", ";", " "),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const found = negotiated(pieces.join(""), tags);
        expect(found === null || tags.includes(found)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("looks at no more than 50 ranges, however long the header is", () => {
    const lookups = (length: number): number => {
      let count = 0;
      // Each range that was understood looks at the languages once.
      const counted = new Proxy(tags, {
        get(all, name) {
          if (name === "map") count++;
          return Reflect.get(all, name);
        },
      });
      negotiated("sv,".repeat(length), counted);
      return count;
    };
    expect([10, 1_000, 100_000].map(lookups)).toEqual([10, 50, 50]);
  });
});

describe("a tag", () => {
  it.each([
    ["auto", null],
    ["de_AT", null],
    ["__proto__", null],
    ["x".repeat(10_000), null],
    ["fr", "fr-CA"],
    ["constructor", null],
  ])("%s is %j", (tag, wanted) => {
    expect(known(tag.slice(0, 70), tags)).toBe(wanted);
  });
});

describe("the language of a visitor", () => {
  const languages = createLanguages([de, ar], "de");
  const tagOf = (wishes: { form?: string; field?: string; header: string | null }) => languages.choose(wishes).tag;

  it("is the form's, the field's, the browser's, English, in this order", () => {
    expect(tagOf({ form: "ar", field: "de", header: "de" })).toBe("ar");
    expect(tagOf({ form: "auto", field: "de", header: "ar" })).toBe("de");
    expect(tagOf({ form: "auto", field: "tlh", header: "ar" })).toBe("ar");
    expect(tagOf({ form: "auto", header: "tlh" })).toBe("en");
    expect(tagOf({ header: null })).toBe("en");
  });

  it("goes on where the form's language is no longer loaded", () => {
    expect(tagOf({ form: "ja", header: "ar" })).toBe("ar");
    expect(languages.of("ja").tag).toBe("en");
  });

  it("is not that of the owner, who has the form's or the option's", () => {
    expect(languages.ofOwner("auto").tag).toBe("de");
    expect(languages.ofOwner("ar").tag).toBe("ar");
  });
});
