import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The German texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "Die Adresse hat mehr als {count} Zeichen.",
    urlControl: "Die Adresse enthält ein Steuerzeichen.",
    urlScheme: "Die Adresse muss mit https:// beginnen.",
    urlSchemes: "Die Adresse muss mit https:// oder http:// beginnen.",
    urlPlain: "Die Adresse muss mit https:// beginnen. Unverschlüsseltes http erlaubt nur, wer diesen Dienst betreibt.",
    urlUser: "Die Adresse darf weder Benutzernamen noch Passwort enthalten.",
    urlFragment: "Die Adresse darf kein # enthalten.",
    urlPort: "Der Port der Adresse muss 80, 443 oder mindestens 1024 sein.",
    urlHost: "Der Adresse fehlt der Host.",
    urlName: "Der Host der Adresse ist kein gültiger Name.",
    urlPrivate:
      "Die Adresse führt in ein privates oder reserviertes Netz. Eigene Netze erlaubt nur, wer diesen Dienst betreibt.",
    urlMasked:
      "Die Adresse ist gekürzt. Geben Sie die ganze Adresse ein, oder lassen Sie sie unverändert, um die gespeicherte zu behalten.",
    urlService: "Das ist keine Adresse von {service}. Eine solche sieht so aus: {example}",
    urlOther: "Die Adresse des Webhooks ist keine von {service}. Geben Sie auch eine solche ein: {example}",
    urlShown:
      "Im Format „{format}“ ist die Adresse sichtbar. Geben Sie deshalb die ganze Adresse ein, um das Format zu ändern.",
    rotated: "Das Geheimnis wurde in 24 Stunden schon zweimal erneuert. Warten Sie, bis das älteste abgelaufen ist.",
    noWebhooks: "Der Tarif des Teams enthält keine Webhooks.",
    planWebhooks: "Zahl der Webhooks je Formular im Tarif des Teams: {count}. Mehr sind nicht enthalten.",
    planForms: "Zahl der Formulare im Tarif des Teams: {count}. Mehr sind nicht enthalten.",
    planRecipients: "Zahl der Empfänger je Formular im Tarif des Teams: {count}. Mehr sind nicht enthalten.",
    serverPrivate: "Das ist eine private oder reservierte Adresse.",
    serverResolved: "Dieser Host hat eine private oder reservierte Adresse.",
    serverLogin: "Der Server lehnt das Passwort oder den Benutzernamen ab. Seine Antwort: {detail}",
    serverUnreachable: "Der Server ist auf diesem Port nicht erreichbar: {detail}",
    serverSilent: "Der Server antwortet auf diesem Port nicht: {detail}",
    serverTls: "Das passt nicht zum Server, oder sein Zertifikat ist ungültig: {detail}",
    serverNoMail: "Der Server nimmt keine E-Mail an: {detail}",
    serverBoth: "Zur Anmeldung gehören Benutzername und Passwort.",
    serverMoved: "Geben Sie das Passwort noch einmal ein, wenn Sie den Host ändern.",
    alias: "Ein Name hat 1 bis 254 Zeichen: Buchstaben, Ziffern und . _ @ + -",
    captchaSecret: "Mit einem Captcha ist das eine Pflichtangabe.",
    captchaKind:
      "Das ist kein geheimer Schlüssel von reCAPTCHA, hCaptcha, Turnstile oder ALTCHA. Kopieren Sie den geheimen Schlüssel, nicht den der Website.",
    senderDomains: "Die Adresse muss bei einer dieser Domains liegen: {domains}",
    senderEmpty: "Muss leer bleiben: Dieser Dienst sendet nur mit seiner eigenen Adresse.",
    senderServer:
      "Die Adresse muss bei einer dieser Domains liegen, oder wählen Sie einen Mailserver des Teams: {domains}",
    senderOnly:
      "Eine eigene Adresse braucht einen Mailserver des Teams. Wählen Sie einen, oder lassen Sie das Feld leer.",
    againLimit: "An eine Adresse lassen sich je Stunde höchstens so viele E-Mails erneut senden: {count}.",
    monthFull: "Das Kontingent dieses Monats ist verbraucht. Senden Sie diese Einsendung nächsten Monat erneut.",
    longAgo: "Höchstens 14 Tage zurück.",
  },
};

export default texts;
