import type reportsInEnglish from "../_reports.ts";
import type { In } from "../_types.ts";

/** The Dutch texts of submissions that wait for a confirmation, and of statistics. */
const reports: In<typeof reportsInEnglish> = {
  marks: {
    failed: "Een bezorging is mislukt",
    retrying: "Een bezorging wordt opnieuw geprobeerd",
  },
  search: {
    since: "Teruggezocht tot {time}.",
    further: "Verder terug zoeken",
  },
  beside: {
    title: "Inzendingen rond deze",
  },
  pending: {
    tab: "Onbevestigd",
    title: "Wacht: {name}",
    caption: "Inzendingen voor {form} die op bevestiging wachten, nieuwste eerst",
    help: "De afzenders hebben hun adres nog niet bevestigd. Tot die tijd tellen deze inzendingen nergens mee en wordt er niets verzonden.",
    back: "Terug naar de onbevestigde inzendingen",
    none: "Er wacht niemand",
    noneHelp:
      "Een inzending blijft hier tot de afzender op de knop in de e-mail drukt. Doet niemand dat, dan wordt ze verwijderd.",
    waiting: "Wacht op de afzender",
    onlySender:
      "Alleen de afzender kan dit bevestigen. Anders wordt de inzending op het tijdstip hieronder verwijderd.",
    sent: "Verzonden",
    removed: "Wordt verwijderd",
    sentence: "Te bevestigen",
    ip: "Verzonden vanaf",
    mail: "E-mail aan de afzender",
    noMail: "Er is geen e-mail: die is verwijderd, of het adres komt in geen enkele bezorging voor.",
  },
  stats: {
    tab: "Statistieken",
    title: "Statistieken van {form}",
    interval: "Interval",
    day: "Dagen",
    week: "Weken",
    month: "Maanden",
    show: "Tonen",
    lastDay: "De laatste 30 dagen",
    lastWeek: "De laatste 26 weken",
    lastMonth: "De laatste 12 maanden",
    zone: "Tijdzone: {zone}",
    views: "Weergaven",
    starts: "Begonnen",
    submissions: "Inzendingen",
    spam: "Spam",
    allTime: "Totaal",
    started: "Begonnen na weergave",
    finished: "Verzonden na begin",
    notCounted:
      "Weergaven en begonnen formulieren worden niet geteld: zet daarvoor de instelling “Weergaven tellen” van het formulier aan.",
    overTime: "Verloop",
    numbers: "De cijfers",
    when: "Vanaf",
    chart: "{name}: {total} in totaal, hoogstens {most} tegelijk",
    reasons: "Spam per reden",
    reasonsHelp: {
      one: "Van de laatste {count} in de spam; er kunnen meerdere redenen zijn.",
      other: "Van de laatste {count} in de spam; er kunnen meerdere redenen zijn.",
    },
    byHand: "Met de hand hierheen verplaatst",
    noSpam: "Geen spam in deze periode.",
    countries: "Landen",
    noCountries: "Geen inzendingen in deze periode.",
    values: "Waarden van een veld",
    field: "Veld",
    choose: "Kies een veld",
    noField: "Kies een veld om te zien hoe vaak elke waarde voorkwam.",
    noValues: "Geen inzending in deze periode heeft een waarde in “{field}”.",
    emptyValue: "Leeg",
    other: "Alle andere",
    unknown: "Onbekend",
    some: "Het tellen duurde te lang: het zijn er minstens zoveel.",
    tooMany: "Er zijn te veel inzendingen om in één keer te tellen. Kies een korter interval.",
    name: "Naam",
    count: "Aantal",
    share: "Aandeel",
  },
};

export default reports;
