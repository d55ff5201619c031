import type { Locale } from "./_types.ts";

/** Dutch. */
const nl: Locale = {
  tag: "nl",
  dir: "ltr",

  defaults: {
    headline: "Bedankt!",
    message: "We hebben je inzending ontvangen.",
    return: "Terug",
    owner_subject: "Nieuwe inzending: {form}",
    reply_subject: "Bedankt voor je bericht",
    reply_message: "Bedankt. We hebben je bericht ontvangen en nemen contact met je op.",
    opt_in_subject: "Bevestig je e-mailadres",
    opt_in_message: "Bevestig dat je het formulier “{form}” hebt verzonden en dat dit e-mailadres van jou is.",
  },

  page: {
    back: "Terug",
    back_by_browser: "Ga terug naar het formulier met de knop Vorige van je browser.",
    send_again: "Opnieuw verzenden",
    choose_again: {
      one: "Kies het bestand opnieuw.",
      other: "Kies de bestanden opnieuw.",
    },
    value_again: "Vul dit opnieuw in.",
    choose: "Maak een keuze",
    incomplete: "Het formulier is niet helemaal aangekomen. Controleer het voordat je het opnieuw verzendt.",
    not_taken:
      "Er is niets verzonden: de dienst is op dit moment niet klaar. Probeer het over een paar seconden opnieuw.",
    download: "Downloaden",
    endpoint_title: "Hier komen formulieren binnen",
    endpoint_text:
      "Dit adres ontvangt wat een formulier op een website verstuurt; er is hier niets te zien. Is het jouw formulier, dan gebruikt een pagina het zo:",
  },

  errors: {
    invalid_parameter: "De verzonden gegevens zijn niet leesbaar.",
    empty_submission: "Het formulier was leeg.",
    plan_restricted: "Dit formulier neemt geen bestanden aan.",
    form_inactive: "Dit formulier neemt op dit moment geen inzendingen aan.",
    origin_not_allowed: "Dit formulier neemt geen inzendingen aan van deze website.",
    not_found: "Op dit adres is niets te vinden.",
    form_not_found: "Dit formulier bestaat niet.",
    method_not_allowed: "Zo kun je dit adres niet gebruiken.",
    request_timeout: "Het verzenden duurde te lang.",
    idempotency_in_progress: "Dezelfde inzending wordt nog verwerkt. Probeer het zo meteen opnieuw.",
    payload_too_large: "De inzending is groter dan dit formulier aanneemt.",
    too_many_files: "De inzending heeft meer bestanden dan dit formulier aanneemt.",
    unsupported_media_type: "Dit formulier neemt geen gegevens in deze vorm aan.",
    file_type_not_allowed: "Bestanden van dit type worden niet aangenomen.",
    idempotency_mismatch:
      "Dit formulier is al eerder met andere gegevens verzonden. Verzend het opnieuw als ook deze verzonden moeten worden.",
    validation_failed: "Sommige antwoorden kloppen nog niet.",
    captcha_failed: "De captcha is niet opgelost. Probeer het opnieuw.",
    rate_limited: "Te veel inzendingen tegelijk. Wacht even en probeer het dan opnieuw.",
    internal_error: "Er is bij ons iets misgegaan.",
    unavailable: "De dienst is op dit moment niet bereikbaar. Probeer het straks opnieuw.",
    unconfirmed:
      "Het is niet zeker of je inzending is opgeslagen. Verzend ze opnieuw; ze wordt maar één keer opgeslagen.",
  },

  titles: {
    empty_submission: "Niets om te verzenden",
    invalid_parameter: "Het formulier is niet leesbaar",
    form_inactive: "Dit formulier is gesloten",
    origin_not_allowed: "Niet aangenomen van deze website",
    plan_restricted: "Bestanden worden niet aangenomen",
    not_found: "Hier is niets",
    form_not_found: "Formulier niet gevonden",
    method_not_allowed: "Dat kan hier niet",
    request_timeout: "Dat duurde te lang",
    idempotency_in_progress: "Een ogenblik",
    idempotency_mismatch: "Al verzonden",
    payload_too_large: "Te groot",
    too_many_files: "Te veel bestanden",
    unsupported_media_type: "Niet ondersteund",
    file_type_not_allowed: "Dit bestand wordt niet aangenomen",
    validation_failed: "Controleer je gegevens",
    captcha_failed: "Probeer het opnieuw",
    rate_limited: "Te veel inzendingen",
    unavailable: "Probeer het opnieuw",
    internal_error: "Er is iets misgegaan",
    other: "Dat is niet gelukt",
  },

  validation: {
    required: "Het veld “{field}” is verplicht.",
    pattern: "“{field}” heeft niet de juiste vorm.",
    email: "“{field}” moet een geldig e-mailadres zijn.",
    url: "“{field}” moet een geldig webadres zijn.",
    number: "“{field}” moet een getal zijn.",
    contains: "“{field}” moet “{wanted}” bevatten.",
    not_contains: "“{field}” mag “{wanted}” niet bevatten.",
    equals: "“{field}” heeft niet de verwachte waarde.",
    one_of: "“{field}” moet een van deze waarden zijn: {list}.",
    one_of_listed: "“{field}” moet een van de aangeboden waarden zijn.",
    min_length: {
      one: "“{field}” moet minstens {count} teken lang zijn.",
      other: "“{field}” moet minstens {count} tekens lang zijn.",
    },
    max_length: {
      one: "“{field}” mag hoogstens {count} teken lang zijn.",
      other: "“{field}” mag hoogstens {count} tekens lang zijn.",
    },
    min: "“{field}” moet minstens {wanted} zijn.",
    max: "“{field}” mag hoogstens {wanted} zijn.",
    date: "“{field}” moet een geldige datum zijn, bijvoorbeeld 2026-12-31.",
    phone: "“{field}” moet een geldig telefoonnummer zijn.",
    too_long: "“{field}” is te lang voor deze controle.",
    comma: ", ",
    more: { one: "{message} (en nog {count} fout)", other: "{message} (en nog {count} fouten)" },
  },

  files: {
    too_large: "Het bestand bij “{field}” is groter dan {size}.",
    too_large_together: "Met het bestand bij “{field}” zijn alle bestanden samen groter dan {size}.",
    too_many: {
      one: "Het bestand bij “{field}” is er een te veel: hoogstens {count} wordt aangenomen.",
      other: "Het bestand bij “{field}” is er een te veel: hoogstens {count} worden aangenomen.",
    },
    type: "Het bestand bij “{field}” is van een type dat dit formulier niet aanneemt.",
    virus: "De virusscanner heeft het bestand bij “{field}” geweigerd.",
    bytes: { one: "{count} byte", other: "{count} bytes" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Deze link is verlopen",
    old_text:
      "Er is niets veranderd. Bij de volgende inzending van het formulier komt er een nieuwe e-mail met een nieuwe link.",
    ask_title: "E-mails over inzendingen ontvangen?",
    ask_text: "{address} krijgt dan bij elke inzending van het formulier een e-mail.",
    confirm: "Bevestigen",
    done_title: "Bevestigd",
    done_text: "E-mails over inzendingen gaan nu naar {address}.",
    invalid_title: "Deze link is ongeldig",
    invalid_text: "Hij is onvolledig of veranderd. Open hem opnieuw vanuit de e-mail.",
    mail_subject: "Wil je e-mails over inzendingen van een formulier?",
    mail_asked:
      "{team} heeft {address} bij {brand} opgegeven als adres dat bericht krijgt van elke inzending van een formulier.",
    mail_somebody:
      "Iemand heeft {address} bij {brand} opgegeven als adres dat bericht krijgt van elke inzending van een formulier.",
    mail_how: {
      one: "Wil je deze e-mails ontvangen, open dan deze link en bevestig binnen {count} dag:",
      other: "Wil je deze e-mails ontvangen, open dan deze link en bevestig binnen {count} dagen:",
    },
    mail_link: "Dit adres bevestigen",
    mail_footer: "Weet je niet waar dit over gaat, doe dan niets: zonder je bevestiging worden er geen verstuurd.",
  },

  opt_in: {
    thanks: "Open de e-mail die we je hebben gestuurd en bevestig. Tot die tijd wacht je inzending.",
    mail_how: {
      one: "Open om te bevestigen binnen {count} dag deze link en druk op de knop:",
      other: "Open om te bevestigen binnen {count} dagen deze link en druk op de knop:",
    },
    mail_footer:
      "Was jij dit niet, dan heeft iemand anders je adres ingevuld. Doe dan niets: wat is verzonden, wordt verwijderd.",
    done: "Bedankt. Je inzending is bevestigd.",
    late: "Niemand heeft dit op tijd bevestigd, dus wat is verzonden, is verwijderd. Je kunt het formulier opnieuw invullen.",
  },

  notification: {
    kicker: "Nieuwe inzending",
    title: "Nieuwe inzending: {form}",
    spam: "Deze inzending is als spam herkend.",
    files: "Bestanden",
    links_until: "De links werken tot en met {date}.",
    shortened: "… (hier ingekort; het deel met platte tekst van deze e-mail bevat alles)",
    more_fields: {
      one: "Nog {count} veld: zie het deel met platte tekst van deze e-mail.",
      other: "Nog {count} velden: zie het deel met platte tekst van deze e-mail.",
    },
    sent_from: "Verzonden met het formulier “{form}” op {time}.",
    reply_to: "Beantwoord deze e-mail om {address} te schrijven.",
  },

  reply: {
    title: "Je bericht aan {name}",
    automatic: "Dit is een automatisch antwoord op een bericht dat op {time} met het formulier “{form}” is verzonden.",
    not_you: "Was jij dit niet, dan heeft iemand anders je adres ingevuld; je hoeft niets te doen.",
  },

  summary: {
    subject: { one: "{count} nieuwe inzending", other: "{count} nieuwe inzendingen" },
    why: "Binnen een uur zouden er meer dan 60 e-mails over inzendingen naar dit adres gaan. Wat daarboven komt, staat hier bij elkaar, in één e-mail per uur.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "Voor nog {count} inzending van “{form}” was hier geen plaats; ze is bij de andere opgeslagen.",
      other: "Voor nog {count} inzendingen van “{form}” was hier geen plaats; ze zijn bij de andere opgeslagen.",
    },
    more: {
      one: "Nog {count}: zie het deel met platte tekst.",
      other: "Nog {count}: zie het deel met platte tekst.",
    },
    footer: "Je krijgt deze e-mail omdat je adres bij deze formulieren als ontvanger is opgegeven.",
  },

  webhook: {
    off_subject: "De webhook van “{form}” is uitgeschakeld",
    failing_subject: "De webhook van “{form}” mislukt steeds",
    gone: "{host} antwoordde 410 Gone en wil dus niets meer ontvangen.",
    deleted: "{host} antwoordde {status}; de webhook is daar dus verwijderd.",
    failing: "Sinds {time} is elke bezorging aan {host} mislukt. De laatste poging eindigde met {end}.",
    its_address: "zijn adres",
    off_text:
      "De webhook is uitgeschakeld en krijgt niets meer totdat hij weer wordt ingeschakeld. Inzendingen worden gewoon opgeslagen; wat niet is bezorgd, kan daarna opnieuw worden bezorgd.",
    failing_text:
      "Elke bezorging wordt 72 uur lang geprobeerd. Lukt er 5 dagen lang geen enkele, dan wordt de webhook uitgeschakeld. Inzendingen worden gewoon opgeslagen.",
    why: "Je krijgt deze e-mail omdat het formulier “{form}” van jouw team is.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Je formulieren hebben alle inzendingen van deze maand verbruikt",
    text: {
      one: "Je abonnement “{plan}” bevat {count} inzending per maand, en die is in {month} (UTC) verbruikt. Spam telt niet mee.",
      other:
        "Je abonnement “{plan}” bevat {count} inzendingen per maand, en die zijn in {month} (UTC) allemaal verbruikt. Spam telt niet mee.",
    },
    meaning:
      "Verdere inzendingen van deze maand worden gewoon opgeslagen, maar zonder e-mails, automatische antwoorden en webhooks. Met een groter abonnement, of vanaf volgende maand, wordt alles weer verzonden.",
    footer: "Je krijgt deze e-mail hoogstens eens per maand, omdat het team {team} van jou is.",
  },

  test: {
    subject: "[Test] {subject}",
    note: "Dit is een testmail. De inhoud is verzonnen; niemand heeft iets ingezonden.",
    message: "Dit is een test. Hij laat zien hoe een inzending van je formulier aankomt.",
  },
};

export default nl;
