import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Dutch texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "Het adres is langer dan {count} tekens.",
    urlControl: "Het adres bevat een besturingsteken.",
    urlScheme: "Het adres moet met https:// beginnen.",
    urlSchemes: "Het adres moet met https:// of http:// beginnen.",
    urlPlain: "Het adres moet met https:// beginnen. Gewone http vereist de optie `webhooks.allowHttp` van de dienst.",
    urlUser: "Het adres mag geen gebruikersnaam of wachtwoord bevatten.",
    urlFragment: "Het adres mag geen fragment (#) bevatten.",
    urlPort: "De poort van het adres moet 80, 443 of minstens 1024 zijn.",
    urlHost: "Het adres heeft geen host.",
    urlName: "De host van het adres is geen geldige naam.",
    urlPrivate:
      "Het adres leidt naar een privé- of gereserveerd netwerk. Een eigen netwerk vereist de optie `webhooks.allowCidrs` van de dienst.",
    urlMasked:
      "Het adres is afgeschermd. Vul het hele adres in, of laat het ongewijzigd om het opgeslagen adres te behouden.",
    urlService: "Dit is geen adres van {service}. Zo’n adres ziet er zo uit: {example}",
    urlOther: "Het adres van de webhook is niet van {service}. Vul ook zo’n adres in: {example}",
    urlShown: "In de indeling “{format}” is het adres zichtbaar. Vul dus het hele adres in om de indeling te wijzigen.",
    rotated: "Het geheim is binnen 24 uur al twee keer vernieuwd. Wacht tot het oudste is verlopen.",
    noWebhooks: "Webhooks zitten niet in het abonnement van het team.",
    planWebhooks: "Maximaal aantal webhooks per formulier in het abonnement van het team: {count}.",
    planForms: "Maximaal aantal formulieren in het abonnement van het team: {count}.",
    planRecipients: "Maximaal aantal ontvangers per formulier in het abonnement van het team: {count}.",
    serverPrivate: "Dit is een privé- of gereserveerd adres.",
    serverResolved: "Deze host heeft een privé- of gereserveerd adres.",
    serverLogin: "De server weigert het wachtwoord of de gebruikersnaam: {detail}",
    serverUnreachable: "De server is op deze poort niet bereikbaar: {detail}",
    serverSilent: "De server antwoordt niet op deze poort: {detail}",
    serverTls: "Dit past niet bij de server, of het certificaat van de server is ongeldig: {detail}",
    serverNoMail: "De server neemt geen e-mail aan: {detail}",
    serverBoth: "Voor de aanmelding zijn een gebruikersnaam en een wachtwoord nodig.",
    serverMoved: "Vul het wachtwoord opnieuw in als je de host wijzigt.",
    alias: "Een alias heeft 1 tot 254 tekens: letters, cijfers en . _ @ + -",
    captchaSecret: "Dit is verplicht als er een captcha is gekozen.",
    captchaKind:
      "Dit is geen geheime sleutel van reCAPTCHA, hCaptcha, Turnstile of ALTCHA. Kopieer de geheime sleutel, niet de sitesleutel.",
    senderDomains: "Dit moet een adres zijn bij een van deze domeinen: {domains}",
    senderEmpty: "Moet leeg blijven: deze dienst verzendt alleen met zijn eigen adres.",
    senderServer: "Kies een mailserver van het team, of een adres bij een van deze domeinen: {domains}",
    senderOnly: "Voor een eigen adres is een mailserver van het team nodig. Kies er een, of laat dit leeg.",
    againLimit: "Maximaal aantal e-mails dat per uur opnieuw naar één adres kan worden verzonden: {count}.",
    monthFull:
      "Het maandtegoed van het abonnement is op, en deze inzending valt erbuiten. Verzend ze volgende maand opnieuw.",
    longAgo: "Mag hoogstens 14 dagen geleden zijn.",
  },
};

export default texts;
