import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { coverageOf, readers, sentencesOf, tagsOf, textsOf, typesFile, typesOf } from "../../../scripts/texts.mjs";
import { errors } from "../../../src/errors.ts";
import { reasons } from "../../../src/model/spam-reasons.ts";
import { entryFault } from "../../../src/texts/locales/_check.ts";

type Texts = Readonly<Record<string, unknown>>;

const inFolder = (reader: string, tag: string): string => `src/texts/${reader}/${tag}.json`;

/** The faults of a file beside the English one, with file and key. A sentence that is missing is no fault: English stands in for it. */
function faultsOf(reader: string, tag: string, texts: Texts): string[] {
  const ours = sentencesOf(textsOf(reader, "en"));
  const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories as string[];
  const groups = Object.keys(texts).filter((group) => !(group in textsOf(reader, "en")));
  const found = [...sentencesOf(texts)].flatMap(([key, entry]) => {
    const english = ours.get(key);
    if (english === undefined) return [`\`${key}\` is not a sentence of English`];
    const fault = entryFault(tag, english, entry);
    if (fault) return [`\`${key}\` ${fault}`];
    const odd = typeof entry === "string" ? undefined : Object.keys(entry).find((form) => !categories.includes(form));
    return odd === undefined ? [] : [`\`${key}\` has the form \`${odd}\`, which the language does not have`];
  });
  return [...groups.map((group) => `\`${group}\` is not a group of English`), ...found].map(
    (fault) => `${inFolder(reader, tag)}: ${fault}`,
  );
}

const files = readers.flatMap((reader) => tagsOf(reader).map((tag) => [reader, tag] as const));

describe.each(files)("the texts of the %s in %s", (reader, tag) => {
  const texts = textsOf(reader, tag);

  it("have no unknown key, and every placeholder and plural form", () => {
    expect(faultsOf(reader, tag, texts)).toEqual([]);
  });

  it("have no spaces around a sentence, two spaces in it, or a straight apostrophe, nor the inbox a straight quote", () => {
    const lines = [...sentencesOf(texts)].flatMap(([key, entry]) =>
      (typeof entry === "string" ? [entry] : Object.values(entry)).map((text) => [key, text] as const),
    );
    const odd = lines.filter(([key, text]) => {
      if (key === "validation.comma") return false;
      return (
        text !== text.trim() ||
        text.includes("  ") ||
        (tag !== "en" && (reader === "inbox" ? /[\p{L}]'|"/u : /[\p{L}]'/u).test(text))
      );
    });
    expect(odd, inFolder(reader, tag)).toEqual([]);
  });
});

it("has the same languages for both readers", () => {
  expect(tagsOf("inbox")).toEqual(tagsOf("visitors"));
});

it.each(readers)("has the types of the English texts of the %s as `npm run texts` writes them", (reader) => {
  expect(readFileSync(typesFile(reader), "utf8")).toBe(typesOf(reader));
});

describe("the words of the inbox", () => {
  type Groups = Record<string, Record<string, string>>;
  const inboxIn = (tag: string): Groups => textsOf("inbox", tag) as Groups;

  it.each(tagsOf("inbox"))("name a choice and a key as their buttons do, in %s", (tag) => {
    const { help = {}, choice = {}, shortcuts = {}, list = {} } = inboxIn(tag);
    for (const name of ["low", "high"]) expect(help["settings.spam.threshold"]).toContain(choice[name]);
    // A deletion asks only where a form has no trash.
    expect(shortcuts["delete"]).toBe(list["delete"]);
  });

  it.each([
    ["de", "act", /Etikett/],
    ["de", "help", /Dankesseite/],
    ["fr", "act", /Étiquette|Reporté/],
    ["ar", "act", /وسم/],
    ["es", "page", /Inténtelo/],
    ["es", "item", /\b(Su (respuesta|texto)|Adjunte|Archivos de su)\b/],
    ["es", "replies", /\b(Escriba|Inserte|cámbielo)\b/],
    ["es", "suppressions", /\b(su (servicio|dominio)|suyo|Quítela)\b/],
    ["es", "operator", /^Está en/],
  ])("say the same with the same word everywhere: %s, %s, not %s", (tag, group, other) => {
    const said = Object.values(inboxIn(tag)[group] ?? {}).map(String);
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((text) => other.test(text))).toEqual([]);
  });
});

describe("a fault in a file", () => {
  const english = textsOf("inbox", "en") as Record<string, Record<string, unknown>>;
  const broken = (tag: string, group: string, entries: object) => faultsOf("inbox", tag, { [group]: entries });

  it.each([
    ["de", "item", { title: "Einsendung" }, "`item.title` lacks the placeholder {"],
    ["de", "item", { title: "{nonsense}" }, "`item.title` "],
    ["pl", "keys", { formCount: { one: "{count}", other: "{count}" } }, "`keys.formCount` has no plural form `"],
    [
      "de",
      "keys",
      { formCount: { one: "{count}", few: "{count}", other: "{count}" } },
      "`keys.formCount` has the form `few`, which the language does not have",
    ],
    ["de", "keys", { formCount: "{count}" }, "`keys.formCount` must have a text for each plural form"],
    ["de", "keys", { nonsense: "x" }, "`keys.nonsense` is not a sentence of English"],
    ["de", "nonsense", {}, "`nonsense` is not a group of English"],
  ])("in %s is named by file and key: %s %j", (tag, group, entries, fault) => {
    expect(broken(tag, group, entries).join("\n")).toContain(`src/texts/inbox/${tag}.json: ${fault}`);
  });

  it("is none where a sentence is missing, which the coverage lists", () => {
    const { skip: _, ...page } = english["page"] as Record<string, unknown>;
    const partly = { ...english, page };
    expect(faultsOf("inbox", "nl", partly).filter((fault) => fault.includes("page.skip"))).toEqual([]);
    expect(coverageOf(english, partly).missing).toEqual(["page.skip"]);
  });

  it("names a file that is no JSON, or is not there", () => {
    expect(() => textsOf("inbox", "english.ts/../xx")).toThrow(/src\/texts\/inbox\/.*xx\.json: /);
  });
});

describe("the English words of an error", () => {
  const {
    errors: visitors,
    fault,
    reason,
  } = { ...textsOf("inbox", "en"), ...textsOf("visitors", "en") } as Record<string, Record<string, string>>;
  /** Codes that the visitors' pages say in words of their own. */
  const own = [
    "invalid_parameter",
    "plan_restricted",
    "request_timeout",
    "idempotency_in_progress",
    "payload_too_large",
    "unsupported_media_type",
    "idempotency_mismatch",
    "rate_limited",
    "unconfirmed",
    "form_opens",
  ];
  /** Codes that no page of the inbox names: they belong to posts of visitors and to credentials, or have a page of their own. */
  const elsewhere = [
    "empty_submission",
    "missing_bearer",
    "invalid_key",
    "wrong_audience",
    "insufficient_scope",
    "cross_site_request",
    "form_inactive",
    "form_locked",
    "form_closed",
    "form_full",
    "origin_not_allowed",
    "not_found",
    "form_not_found",
    "recipient_not_found",
    "webhook_not_found",
    "delivery_not_found",
    "submission_not_found",
    "idempotency_in_progress",
    "too_many_files",
    "file_type_not_allowed",
    "idempotency_mismatch",
    "validation_failed",
    "captcha_failed",
    "internal_error",
    "body_consumed",
  ];
  const messages = Object.fromEntries(Object.entries(errors).map(([code, { message }]) => [code, message]));

  it("are those of the error table", () => {
    const said = Object.entries(visitors ?? {}).filter(([code]) => !own.includes(code));
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(said.map(([code]) => [code, messages[code]])));
    expect(said.length).toBeGreaterThan(5);
    for (const code of elsewhere) delete messages[code];
    expect(fault).toEqual(messages);
  });

  it("are those of the checks of spam", () => {
    expect(reason).toEqual(Object.fromEntries(Object.entries(reasons).map(([name, [, words]]) => [name, words])));
  });
});
