import { describe, expect, it } from "vitest";
import { summaryOf } from "../../../../src/surfaces/inbox/summary.ts";
import { ann, inboxHarness } from "./_inbox.ts";

const of = (fields: Record<string, string>) =>
  summaryOf({ fields: Object.entries(fields).map(([key, value]) => ({ key, value })) });

describe("the line of a submission", () => {
  for (const [language, fields, from] of [
    ["English", { firstName: "Jan", last_name: "Peters" }, "Jan Peters"],
    ["German", { vorname: "Jan", nachname: "Peters" }, "Jan Peters"],
    ["German, whole", { anrede: "Herr", "Ihr Name": "Jan Peters" }, "Jan Peters"],
    ["French", { prénom: "Zoé", Nom: "Durand" }, "Zoé Durand"],
    ["Spanish", { Nombre: "Ana", Apellidos: "García Ruiz" }, "Ana García Ruiz"],
    ["Italian", { nome: "Luca", cognome: "Bianchi" }, "Luca Bianchi"],
    ["Dutch", { voornaam: "Piet", tussenvoegsel: "de", achternaam: "Vries" }, "Piet de Vries"],
    ["Polish", { "Imię i nazwisko": "Łucja Nowak" }, "Łucja Nowak"],
    ["Portuguese", { nome: "João", sobrenome: "Silva" }, "João Silva"],
    ["Turkish", { "Adınız Soyadınız": "Ayşe Yılmaz" }, "Ayşe Yılmaz"],
    ["Hebrew", { "שם פרטי": "דנה", "שם משפחה": "כהן" }, "דנה כהן"],
    ["Arabic", { "الاسم الأول": "محمد", "اسم العائلة": "علي" }, "محمد علي"],
    ["Japanese", { お名前: "山田 太郎" }, "山田 太郎"],
    ["Chinese", { 姓名: "王小明" }, "王小明"],
  ] as const) {
    it(`begins with the sender's name: ${language}`, () => {
      const found = of({
        topic: "boiler",
        email: "someone@example.com",
        ...fields,
        message: "It is broken, please call.",
      });
      expect(found.from).toBe(from);
      expect(found.preview).toMatch(/^It is broken/);
    });
  }

  it("begins with the address, or the first value, where no field is a name", () => {
    expect(of({ topic: "boiler", email: "ann@example.com" }).from).toBe("ann@example.com");
    expect(of({ topic: "boiler", filename: "x" }).from).toBe("boiler");
    expect(of({ username: "u", email: "ann@example.com" }).from).toBe("ann@example.com");
  });
});

it("a submission has links for addresses, numbers to call and pages, and for nothing that a browser would run", async () => {
  const backend = inboxHarness();
  const form = await backend.forms.create({ name: "Contact" });
  const { id } = await backend.submit(form.id, {
    fields: {
      email: "ann+a&b@example.com",
      Telefon: "+49 (0)40 123-456",
      order_no: "040123456",
      site: "https://example.com/a?b=<c>",
      bad: "javascript:alert(1)",
      phone_note: "call after five",
    },
  });
  const { text } = await backend.as(ann).get(`/f/${form.id}/s/${id}`);
  expect(text).toContain('href="mailto:ann%2Ba%26b@example.com"');
  expect(text).toContain('href="tel:+4940123456"');
  expect(text).toContain('href="https://example.com/a?b=%3Cc%3E" rel="noreferrer noopener nofollow"');
  expect(text.match(/href="tel:/g)).toHaveLength(1);
  expect(text).not.toContain('href="javascript:');
});
