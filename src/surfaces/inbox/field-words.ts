/** Names of fields as people write them in the languages of the pages: those of a whole name, of its parts, and of a message. */
const WHOLE = [
  "name|full name|your name|contact name|contact|sender|who",
  "ihr name|dein name|vor und nachname|vor und zuname|vorname nachname|ansprechpartner|kontakt",
  "nom complet|votre nom|nom et prenom|prenom et nom",
  "nombre completo|su nombre|tu nombre|nombre y apellido|nombre y apellidos",
  "nome completo|nome e cognome|il tuo nome|nominativo|seu nome|nome e sobrenome",
  "naam|volledige naam|uw naam|je naam",
  "imie i nazwisko|imię i nazwisko|twoje imie",
  "ad soyad|adi soyadi|adınız soyadınız|adiniz soyadiniz|isim soyisim|isim|adiniz",
  "שם|שם מלא|השם שלך|שמך",
  "الاسم|الاسم الكامل|اسمك|الاسم بالكامل",
  "氏名|お名前|名前|ご氏名|担当者名|おなまえ|なまえ",
  "姓名|名字|您的姓名|称呼|联系人",
];
const PARTS = [
  "first name|given name|forename|last name|surname|family name",
  "vorname|nachname|zuname|familienname",
  "prenom|nom|nom de famille",
  "nombre|nombres|apellido|apellidos|primer apellido|segundo apellido",
  "nome|cognome|sobrenome|apelido",
  "voornaam|tussenvoegsel|achternaam",
  "imie|nazwisko",
  "ad|adi|soyad|soyadi|soyisim",
  "שם פרטי|שם משפחה",
  "الاسم الاول|اسم العائلة|اللقب|الاسم الاخير",
  "姓|名|苗字",
];
const MESSAGES =
  "message|comment|question|enquir|inquir|feedback|body|text|note|nachricht|anliegen|bemerkung|frage|mitteilung|commentaire|demande|mensaje|comentario|consulta|pregunta|messaggio|richiesta|domanda|commento|bericht|vraag|opmerking|wiadomosc|tresc|pytanie|mensagem|pergunta|mesaj|yorum|soru|הודעה|שאלה|תוכן|الرسال|رسال|السؤال|الاستفسار|التعليق|お問い合わせ|内容|メッセージ|本文|ご質問|ご要望|留言|消息|内容|问题";

/** A name of a field without case, accents and signs between words. */
const folded = (key: string): string =>
  key
    .slice(0, 80)
    .normalize("NFD")
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .normalize("NFC")
    .replace(/ı/g, "i")
    .replace(/ł/g, "l")
    .replace(/[أإآ]/g, "ا")
    // As in `firstName`.
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[\s_.\-:*[\]()（）]+/gu, " ")
    .trim();

const setOf = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split("|").map(folded)));
const whole = setOf(WHOLE);
const part = setOf(PARTS);
const message = new RegExp(MESSAGES, "iu");

/** The part of a person's name that a field of this name holds; null for any other field. */
export function nameIn(key: string): "whole" | "part" | null {
  const name = folded(key);
  return whole.has(name) ? "whole" : part.has(name) ? "part" : null;
}

/** True for a field that a sender writes the message into. */
export const isMessage = (key: string): boolean => message.test(folded(key));
