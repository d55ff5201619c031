import { describe, expect, it } from "vitest";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import en from "../../../../src/texts/locales/en.ts";
import pl from "../../../../src/texts/locales/pl.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const open = (options: object = {}): Harness => harness({ locales: [de, ar, pl], rateLimit: false, ...options });
const RULES = {
  validation: {
    rules: [
      { field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] },
      { field: "text", checks: [{ type: "min_length" as const, value: "1000" }] },
      { field: "colour", checks: [{ type: "one_of" as const, value: "red, blue" }] },
      { field: "code", checks: [{ type: "equals" as const, value: "42", message: "Ask us for the code." }] },
    ],
  },
};
const WRONG = { email: "x", text: "x", colour: "x", code: "x" };

describe("a refused post", () => {
  it("is told in the visitor's language with the form's labels; codes and rules stay", async () => {
    const b = open();
    const { id } = await b.forms.create({
      name: "A",
      ...RULES,
      settings: { labels: { email: "E-Mail-Adresse", text: "Nachricht" } },
    });
    const { status, json, headers } = await b.post(id, WRONG, { "accept-language": "de-CH,de;q=0.9" });
    expect(status).toBe(422);
    expect(json).toMatchObject({
      title: "Bitte prüfen Sie Ihre Angaben",
      message: "„E-Mail-Adresse“ muss eine gültige E-Mail-Adresse sein. (und 3 weitere Fehler)",
      error: { code: "validation_failed", type: "invalid_request_error" },
      errors: {
        email: { message: "„E-Mail-Adresse“ muss eine gültige E-Mail-Adresse sein.", rule: "email" },
        text: { message: "„Nachricht“ muss mindestens 1000 Zeichen haben.", rule: "min_length" },
        colour: { message: "„colour“ muss einer dieser Werte sein: red, blue.", rule: "one_of" },
        code: { message: "Ask us for the code.", rule: "equals" },
      },
    });
    expect(json.error.message).toBe(json.message);
    expect(headers.get("content-language")).toBe("de");
    expect(headers.get("vary")).toContain("Accept-Language");
  });

  it("keeps the English sentences where nobody asks for others", async () => {
    const b = open();
    const { id } = await b.forms.create({ name: "A", ...RULES });
    const { json, headers } = await b.post(id, WRONG);
    expect(json.message).toBe("The email must be a valid email address. (+3 more errors)");
    expect(json.errors.colour.message).toBe("The colour must be one of red, blue.");
    expect(headers.get("content-language")).toBe("en");
  });

  it("follows the form's language, then `_language`, and stores neither as a field", async () => {
    const b = open();
    const { id } = await b.forms.create({ name: "A", ...RULES });
    const title = async (body: object) => (await b.post(id, body, { "accept-language": "pl" })).json.title;
    expect(await title({ ...WRONG, _language: "de" })).toBe(de.titles.validation_failed);
    expect(await title({ ...WRONG, _language: "../de" })).toBe(pl.titles.validation_failed);
    await b.forms.update(id, { settings: { language: "ar" } });
    expect(await title({ ...WRONG, _language: "de" })).toBe(ar.titles.validation_failed);
  });

  it("tells of files in numbers and sizes of the language", async () => {
    const plan = { max_files: 1, max_file_size: 1_600_000 };
    const b = open({ plans: { small: plan } });
    const team = await b.teams.create({ name: "T", plan: "small" });
    const { id } = await b.forms.create({ name: "A", team_id: team.id, settings: { labels: { cv: "Lebenslauf" } } });
    const post = (sizes: number[]) => {
      const body = new FormData();
      for (const size of sizes) body.append("cv", new File(["x".repeat(size)], "cv.txt", { type: "text/plain" }));
      return b.post(id, body, { "accept-language": "de", accept: "application/json" });
    };
    expect((await post([1_700_000])).json.errors.cv.message).toBe("Die Datei in „Lebenslauf“ ist größer als 1,5 MB.");
    expect((await post([5, 5])).json.message).toMatch(/zu viel|mehr Dateien/);
  });

  it("says in general what has its own sentence in English alone", async () => {
    const b = open();
    const { id } = await b.forms.create({ name: "A" });
    const broken = (language: string) =>
      b.post(id, "{", { "content-type": "application/json", "accept-language": language });
    expect((await broken("en")).json.message).toBe("The body is not valid JSON.");
    expect((await broken("de")).json.message).toBe(de.errors.invalid_parameter);
    expect((await b.post(id, "", { "accept-language": "de" })).text).toContain(de.errors.empty_submission);
  });
});

describe("every other answer below /f", () => {
  it.each([
    ["GET", "/f/nope", 404, de.titles.form_not_found],
    ["POST", "/f/nope", 404, de.titles.form_not_found],
    ["DELETE", "/f/nope", 405, de.titles.method_not_allowed],
    ["GET", "/f/nope/token", 404, de.errors.form_not_found],
    ["GET", "/f/nope/thanks/x", 404, de.titles.form_not_found],
  ])("%s %s speaks the visitor's language", async (method, path, status, text) => {
    const b = open();
    const answer = await b.call(method, path, { key: null, headers: { "accept-language": "de" } });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
    expect(answer.headers.get("content-language")).toBe("de");
    expect(answer.headers.get("vary")).toContain("Accept-Language");
  });

  it("leaves the management API in English", async () => {
    const answer = await open().call("GET", "/v1/forms/nope", { headers: { "accept-language": "de" } });
    expect(answer.json.error.message).toBe("There is no form with this id.");
    expect(answer.headers.get("content-language")).toBeNull();
  });

  it("explains an endpoint to who opens it", async () => {
    const b = open();
    const { id } = await b.forms.create({ name: "A" });
    const { text } = await b.call("GET", `/f/${id}`, { key: null, headers: { "accept-language": "ar" } });
    expect(text).toContain('<html lang="ar" dir="rtl"');
    expect(text).toContain(ar.page.endpoint_title);
  });
});

describe("the thank-you page", () => {
  it("shows untouched texts in the visitor's language, also that of `_language`, and the owner's as they are", async () => {
    const b = open();
    const { id } = await b.forms.create({ name: "A", after_submit: { page: { message: "Bis bald." } } });
    const sent = await b.post(id, "a=1&_language=ar", { "accept-language": "pl", accept: "text/html" });
    const path = (sent.headers.get("location") ?? "").slice(b.baseUrl.length);
    const { text, headers } = await b.call("GET", path, { key: null, headers: { "accept-language": "pl" } });
    expect(text).toContain(ar.defaults.headline);
    expect(text).toContain("Bis bald.");
    expect(headers.get("content-language")).toBe("ar");
    const json = await b.post(id, { a: 1 }, { "accept-language": "pl" });
    expect(json.json).toMatchObject({ title: pl.defaults.headline, message: "Bis bald." });
  });

  it("is of another English where the host gives one", async () => {
    const british = { ...en, defaults: { ...en.defaults, headline: "Cheers!" } };
    const b = open({ locales: [british] });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, { a: 1 })).json.title).toBe("Cheers!");
  });
});

it("a hostile Accept-Language is answered like any other", async () => {
  const b = open();
  const { id } = await b.forms.create({ name: "A", ...RULES });
  for (const header of ["x".repeat(16_000), "de;q=".repeat(3_000), ";,;,".repeat(4_000), "*-*-*,-,de;q=1e9"]) {
    const { status, headers } = await b.post(id, WRONG, { "accept-language": header });
    expect(status).toBe(422);
    expect(headers.get("content-language")).toBe("en");
  }
});

it("a form refuses a language that is not loaded", async () => {
  const b = open();
  const { id } = await b.forms.create({ name: "A" });
  for (const language of ["ja", "deutsch!", "", 5]) {
    const { status, json } = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { language } });
    expect([status, json.error.param]).toEqual([400, "language"]);
  }
  const { json } = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { language: "ja" } });
  expect(json.error.message).toBe("`language` must be auto or a loaded language: en, de, ar, pl.");
  await expect(b.forms.update(id, { settings: { language: "ja" } })).rejects.toMatchObject({
    param: "settings.language",
  });
  expect((await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { language: "de" } })).json.language).toBe("de");
});
