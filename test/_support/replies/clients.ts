/**
 * Replies as mail clients write them, from what these clients document and their sources have as sentences: the line that introduces a
 * quote, the header block of Outlook, the marks of quotes and of signatures. All persons are invented by position.
 */

/** Languages of people who answer. */
export const languages = ["en", "de", "fr", "es", "it", "nl"] as const;
type Language = (typeof languages)[number];

interface Client {
  readonly name: string;
  /** The lines before a quote, by language. */
  readonly intro: Readonly<Record<Language, string>>;
  /** False where the client quotes with headers and no marks. */
  readonly marked: boolean;
  /** The line that people leave under a mail from a phone. */
  readonly sentFrom?: Readonly<Record<Language, string>>;
}

const WHO = "Corner Bakery <forms@bakery.example>";
const ADDRESS = "forms@bakery.example";

const outlook = (from: string, sent: string, to: string, subject: string): string =>
  `________________________________\n${from}: ${WHO}\n${sent}\n${to}: Mia Torres <mia@example.com>\n${subject}: Re: Contact\n`;

export const clients: readonly Client[] = [
  {
    name: "Gmail",
    marked: true,
    intro: {
      en: `On Thu, Jan 1, 2026 at 9:00 AM ${WHO} wrote:`,
      de: `Am Do., 1. Jan. 2026 um 09:00 Uhr schrieb ${WHO}:`,
      fr: `Le jeu. 1 janv. 2026 à 09:00, ${WHO} a écrit :`,
      es: `El jue, 1 ene 2026 a las 9:00, Corner Bakery (<${ADDRESS}>) escribió:`,
      it: `Il giorno gio 1 gen 2026 alle ore 09:00 ${WHO} ha scritto:`,
      nl: `Op do 1 jan 2026 om 09:00 schreef ${WHO}:`,
    },
  },
  {
    name: "Apple Mail",
    marked: true,
    intro: {
      en: `On 1 Jan 2026, at 09:00, ${WHO} wrote:`,
      de: `Am 01.01.2026 um 09:00 schrieb ${WHO}:`,
      fr: `Le 1 janv. 2026 à 09:00, ${WHO} a écrit :`,
      es: `El 1 ene 2026, a las 9:00, ${WHO} escribió:`,
      it: `Il giorno 1 gen 2026, alle ore 09:00, ${WHO} ha scritto:`,
      nl: `Op 1 jan. 2026, om 09:00 heeft ${WHO} het volgende geschreven:`,
    },
    sentFrom: {
      en: "Sent from my iPhone",
      de: "Von meinem iPhone gesendet",
      fr: "Envoyé de mon iPhone",
      es: "Enviado desde mi iPhone",
      it: "Inviato da iPhone",
      nl: "Verstuurd vanaf mijn iPhone",
    },
  },
  {
    name: "Thunderbird",
    marked: true,
    intro: {
      en: "On 01/01/2026 09:00, Corner Bakery wrote:",
      de: "Am 01.01.26 um 09:00 schrieb Corner Bakery:",
      fr: "Le 01/01/2026 à 09:00, Corner Bakery a écrit :",
      es: "El 1/1/26 a las 9:00, Corner Bakery escribió:",
      it: "Il 01/01/2026 09:00, Corner Bakery ha scritto:",
      nl: "Op 01-01-2026 om 09:00 schreef Corner Bakery:",
    },
  },
  {
    name: "Outlook",
    marked: false,
    intro: {
      en: outlook("From", "Sent: Thursday, January 1, 2026 9:00 AM", "To", "Subject"),
      de: outlook("Von", "Gesendet: Donnerstag, 1. Januar 2026 09:00", "An", "Betreff"),
      fr: outlook("De", "Envoyé : jeudi 1 janvier 2026 09:00", "À", "Objet").replaceAll(/^(De|À|Objet):/gm, "$1 :"),
      es: outlook("De", "Enviado: jueves, 1 de enero de 2026 9:00", "Para", "Asunto"),
      it: outlook("Da", "Inviato: giovedì 1 gennaio 2026 09:00", "A", "Oggetto"),
      nl: outlook("Van", "Verzonden: donderdag 1 januari 2026 09:00", "Aan", "Onderwerp"),
    },
    sentFrom: {
      en: "Get Outlook for iOS",
      de: "Holen Sie sich Outlook für iOS",
      fr: "Obtenir Outlook pour iOS",
      es: "Obtener Outlook para iOS",
      it: "Scarica Outlook per iOS",
      nl: "Outlook voor iOS downloaden",
    },
  },
];

/** The line with which Outlook's plain text of a message begins, by language. */
const separators: Readonly<Record<Language, string>> = {
  en: "-----Original Message-----",
  de: "-----Ursprüngliche Nachricht-----",
  fr: "-----Message d'origine-----",
  es: "-----Mensaje original-----",
  it: "-----Messaggio originale-----",
  nl: "-----Oorspronkelijk bericht-----",
};

/** New texts, by language; some have what a quote or a signature looks like at first sight. */
const texts: Readonly<Record<Language, readonly string[]>> = {
  en: [
    "Thank you, that works for me.",
    "Hello,\n\ncould we also have two of them without nuts?\n\nThanks",
    "On Sunday we are 30 people.\nIs that too many?",
    "1. Walnut bread\n2. Rye bread\n\nBoth sliced, please.",
    "I wrote to you on Monday: nobody answered.",
  ],
  de: [
    "Danke, das passt.",
    "Guten Tag,\n\nkönnten zwei davon ohne Nüsse sein?\n\nViele Grüße\nMia",
    "Am Sonntag sind wir 30 Personen.\nIst das zu viel?",
    "1. Walnussbrot\n2. Roggenbrot\n\nBeides geschnitten, bitte.",
    "Von Montag bis Mittwoch bin ich nicht da: bitte danach liefern.",
  ],
  fr: [
    "Merci, cela me convient.",
    "Bonjour,\n\npourriez-vous en faire deux sans noix ?\n\nMerci d'avance",
    "Le dimanche nous sommes 30.\nEst-ce trop ?",
    "1. Pain aux noix\n2. Pain de seigle\n\nTranchés, s'il vous plaît.",
    "De lundi à mercredi je suis absente : livrez après, merci.",
  ],
  es: [
    "Gracias, me va bien.",
    "Hola:\n\n¿podrían ser dos sin nueces?\n\nUn saludo",
    "El domingo somos 30.\n¿Son demasiados?",
    "1. Pan de nueces\n2. Pan de centeno\n\nLos dos cortados, por favor.",
    "De lunes a miércoles no estoy: entréguenlo después.",
  ],
  it: [
    "Grazie, va bene.",
    "Buongiorno,\n\ndue potrebbero essere senza noci?\n\nGrazie",
    "Il giorno dopo siamo in 30.\nÈ troppo?",
    "1. Pane alle noci\n2. Pane di segale\n\nTutti e due a fette, per favore.",
    "Da lunedì a mercoledì non ci sono: consegnate dopo.",
  ],
  nl: [
    "Dank je, dat is goed.",
    "Hallo,\n\nkunnen er twee zonder noten?\n\nBedankt",
    "Op zondag zijn we met 30.\nIs dat te veel?",
    "1. Notenbrood\n2. Roggebrood\n\nAllebei gesneden, graag.",
    "Van maandag tot woensdag ben ik er niet: lever daarna.",
  ],
};

/** The answer that is quoted, with its own quote of the question. */
const ANSWER =
  "We have it every day but Sunday.\n\nAnn\n\nYou wrote on 1 January 2026 at 08:00 UTC:\n> message: Do you have walnut bread?\n> Which day?";
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? ">" : line.startsWith(">") ? `>${line}` : `> ${line}`))
    .join("\n");
/** Clients break lines at about 76 characters: the line before a quote too. */
const broken = (line: string): string => (line.length > 70 ? line.replace(/^(.{40,69}) (<|\(<)/, "$1\n$2") : line);

export interface Reply {
  readonly client: string;
  readonly language: Language;
  /** Above the quote, below it, or above it with the client's own line or a signature between. */
  readonly place: "top" | "bottom" | "signed" | "broken" | "spaced" | "mobile" | "separated" | "headed";
  /** The text that is new. */
  readonly fresh: string;
  readonly whole: string;
}

/** Every reply, of which there are more than 500. */
export function replies(): Reply[] {
  const all: Reply[] = [];
  for (const { name, intro, marked, sentFrom } of clients)
    for (const language of languages)
      for (const fresh of texts[language]) {
        const line = intro[language];
        const quote = marked ? `${line}\n\n${quoted(ANSWER)}` : `${line}\n${ANSWER}`;
        const add = (place: Reply["place"], whole: string): void =>
          void all.push({ client: name, language, place, fresh, whole });
        add("top", `${fresh}\n\n${quote}\n`);
        add("signed", `${fresh}\n\n-- \nMia Torres\n+1 555 0100\n\n${quote}\n`);
        if (marked) add("bottom", `${line}\n${quoted(ANSWER)}\n\n${fresh}\n`);
        if (marked && broken(line) !== line) add("broken", `${fresh}\n\n${broken(line)}\n\n${quoted(ANSWER)}\n`);
        if (sentFrom) add("mobile", `${fresh}\n\n${sentFrom[language]}\n\n${quote}\n`);
        // Narrow and other spaces that do not break, as Gmail and Apple Mail write them before AM and before a colon.
        if (marked) add("spaced", `${fresh}\n\n${line.replace(/ (AM|:)/, "\u202f$1")}\n\n${quoted(ANSWER)}\n`);
        const headers = line.split("\n").slice(1).join("\n");
        if (!marked) add("separated", `${fresh}\n\n${separators[language]}\n${headers}\n${ANSWER}\n`);
        if (!marked) add("headed", `${fresh}\n\n${headers}\n${ANSWER}\n`);
      }
  return all;
}
