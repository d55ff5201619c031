import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Dutch texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Spaminstellingen uitproberen",
    panel: "Uitproberen op opgeslagen inzendingen",
    help: "Wat hier staat, opgeslagen of niet, wordt op de nieuwste inzendingen uitgeprobeerd. Er wordt niets gewijzigd of verzonden.",
    button: "Uitproberen",
    frame: "Resultaat",
    idle: "Klik op “Uitproberen” om hier het resultaat te zien.",
    stored: "De opgeslagen instellingen, uitgeprobeerd op de nieuwste inzendingen.",
    change: "Instellingen wijzigen en uitproberen",
    limit: "Aantal inzendingen",
    sum: {
      one: "Van {count} inzending zou dit aantal spam zijn: {caught}.",
      other: "Van {count} inzendingen zou dit aantal spam zijn: {caught}.",
    },
    same: "Ze zouden allemaal blijven waar ze zijn.",
    empty: "Er zijn geen inzendingen om dit op uit te proberen.",
    toSpam: { one: "{count} uit de inbox zou spam zijn", other: "{count} uit de inbox zouden spam zijn" },
    toInbox: { one: "{count} uit de spam zou doorkomen", other: "{count} uit de spam zouden doorkomen" },
    more: { one: "Nog {count} wordt niet getoond.", other: "Nog {count} worden niet getoond." },
    byCheck: "Spam per controle",
    custom: "Je eigen controles",
    session: "Pagina",
    notTried: "Deze hebben meer nodig dan er is opgeslagen; daarvoor telt het opgeslagen resultaat: {checks}.",
    off: "De inhoud wordt niet gecontroleerd, omdat “{leaf}” uit staat.",
    keptBack: "Deze inbox houdt sommige waarden achter, dus op opgeslagen inzendingen kan niets worden uitgeprobeerd.",
    without: "Zonder deze controle",
    withoutTitle: "Zonder “{check}”",
    withoutSum: {
      one: "Van de laatste {count} in de spam zou zonder deze controle dit aantal zijn doorgekomen: {through}.",
      other: "Van de laatste {count} in de spam zou zonder deze controle dit aantal zijn doorgekomen: {through}.",
    },
    back: "Terug naar de statistieken",
    refused: {
      one: "Van {count} inzending zou dit aantal zijn geweigerd: {refused}.",
      other: "Van {count} inzendingen zou dit aantal zijn geweigerd: {refused}.",
    },
    noneRefused: {
      one: "Van {count} inzending zou er geen zijn geweigerd.",
      other: "Van {count} inzendingen zou er geen zijn geweigerd.",
    },
    hurried: "Voor meer was er geen tijd.",
    byRule: "Geweigerd per veld en controle",
    which: "Zou zijn geweigerd",
  },
  lint: {
    tab: "Diagnose",
    title: "Diagnose van {form}",
    caption: "Velden die niet zo binnenkomen als de instellingen verwachten",
    help: {
      one: "Vergeleken met de nieuwste {count} inzending, zonder spam.",
      other: "Vergeleken met de nieuwste {count} inzendingen, zonder spam.",
    },
    nothing: "Er is nog niets binnengekomen.",
    few: {
      one: "Er is nog maar {count} inzending binnengekomen, te weinig om iets te zeggen.",
      other: "Er zijn nog maar {count} inzendingen binnengekomen, te weinig om iets te zeggen.",
    },
    fine: "Alles in orde",
    fineHelp: "Elk veld dat in de instellingen staat, komt nog binnen.",
    field: "Veld",
    found: "Bevinding",
    places: "Genoemd in",
    noPlace: "Geen instelling",
    never: { one: "Kwam in {count} inzending nooit voor", other: "Kwam in {count} inzendingen nooit voor" },
    stopped: "Kwam het laatst op {time}",
    renamed: "Kwam het laatst op {time}, toen “{instead}” begon",
  },
  difference: {
    title: "Vergeleken met wat is bezorgd",
    same: {
      one: "Deze heeft dezelfde velden als de laatste {count} die is bezorgd.",
      other: "Deze heeft dezelfde velden als de laatste {count} die zijn bezorgd.",
    },
    other: {
      one: "Vergeleken met de laatste {count} die is bezorgd:",
      other: "Vergeleken met de laatste {count} die zijn bezorgd:",
    },
    missing: "“{field}” ontbreekt hier.",
    added: "“{field}” is hier nieuw.",
  },
  quiet: {
    badge: { one: "{count} dag stil", other: "{count} dagen stil" },
    banner: {
      one: "Er is {count} dag niets binnengekomen. Normaal zijn het er {usual} per dag. Verzend het formulier een keer vanaf de pagina om te zien of het nog werkt.",
      other:
        "Er is {count} dagen niets binnengekomen. Normaal zijn het er {usual} per dag. Verzend het formulier een keer vanaf de pagina om te zien of het nog werkt.",
    },
    check: "Adres controleren",
  },
};

export default insight;
