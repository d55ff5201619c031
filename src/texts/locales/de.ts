import type { Locale } from "./_types.ts";

/** German. */
const de: Locale = {
  tag: "de",
  dir: "ltr",

  defaults: {
    headline: "Vielen Dank!",
    message: "Ihre Angaben sind bei uns eingegangen.",
    return: "Zurück",
    owner_subject: "Neue Einsendung: {form}",
    reply_subject: "Vielen Dank für Ihre Nachricht",
    reply_message: "Vielen Dank. Wir haben Ihre Nachricht erhalten und melden uns bei Ihnen.",
    opt_in_subject: "Bitte bestätigen Sie Ihre E-Mail-Adresse",
    opt_in_message:
      "Bitte bestätigen Sie, dass Sie das Formular „{form}“ abgeschickt haben und dass diese E-Mail-Adresse Ihre ist.",
  },

  page: {
    back: "Zurück",
    back_by_browser: "Mit der Zurück-Taste Ihres Browsers kommen Sie wieder zum Formular.",
    send_again: "Erneut senden",
    choose_again: {
      one: "Bitte wählen Sie die Datei noch einmal aus.",
      other: "Bitte wählen Sie die Dateien noch einmal aus.",
    },
    value_again: "Bitte geben Sie das noch einmal ein.",
    choose: "Bitte wählen",
    incomplete: "Das Formular ist nicht vollständig angekommen. Bitte prüfen Sie es, bevor Sie es noch einmal senden.",
    not_taken:
      "Es wurde nichts gesendet: Der Dienst ist gerade nicht bereit. Bitte versuchen Sie es in einigen Sekunden noch einmal.",
    download: "Herunterladen",
    endpoint_title: "Hier kommen Formulare an",
    endpoint_text:
      "Diese Adresse nimmt entgegen, was ein Formular auf einer Website sendet; zu sehen gibt es hier nichts. Wenn das Formular Ihres ist, bindet eine Seite es so ein:",
  },

  errors: {
    invalid_parameter: "Die gesendeten Daten sind nicht lesbar.",
    empty_submission: "Das Formular war leer.",
    plan_restricted: "Dieses Formular nimmt keine Dateien an.",
    form_inactive: "Dieses Formular nimmt zurzeit keine Einsendungen an.",
    origin_not_allowed: "Dieses Formular nimmt von dieser Website keine Einsendungen an.",
    not_found: "Unter dieser Adresse gibt es nichts.",
    form_not_found: "Dieses Formular gibt es nicht.",
    method_not_allowed: "So lässt sich diese Adresse nicht aufrufen.",
    request_timeout: "Die Übertragung hat zu lange gedauert.",
    idempotency_in_progress: "Dieselbe Einsendung wird gerade noch bearbeitet. Versuchen Sie es gleich noch einmal.",
    payload_too_large: "Das ist mehr, als dieses Formular annimmt.",
    too_many_files: "Das sind mehr Dateien, als dieses Formular annimmt.",
    unsupported_media_type: "In diesem Format nimmt das Formular keine Daten an.",
    file_type_not_allowed: "Dateien dieser Art werden nicht angenommen.",
    idempotency_mismatch:
      "Dieses Formular wurde schon einmal mit anderen Angaben gesendet. Senden Sie es noch einmal, wenn auch diese gesendet werden sollen.",
    validation_failed: "Einige Angaben stimmen noch nicht.",
    captcha_failed: "Das Captcha wurde nicht gelöst. Bitte versuchen Sie es noch einmal.",
    rate_limited: "Das waren zu viele Einsendungen auf einmal. Warten Sie kurz und versuchen Sie es noch einmal.",
    internal_error: "Bei uns ist etwas schiefgegangen.",
    unavailable: "Der Dienst ist gerade nicht erreichbar. Versuchen Sie es bald noch einmal.",
    unconfirmed:
      "Es steht nicht fest, ob Ihre Einsendung gespeichert wurde. Senden Sie sie noch einmal; gespeichert wird sie nur einmal.",
  },

  titles: {
    empty_submission: "Nichts zu senden",
    invalid_parameter: "Das Formular war nicht lesbar",
    form_inactive: "Dieses Formular ist geschlossen",
    origin_not_allowed: "Von dieser Website nicht angenommen",
    plan_restricted: "Dateien werden nicht angenommen",
    not_found: "Hier gibt es nichts",
    form_not_found: "Formular nicht gefunden",
    method_not_allowed: "Das geht hier nicht",
    request_timeout: "Das hat zu lange gedauert",
    idempotency_in_progress: "Einen Moment bitte",
    idempotency_mismatch: "Bereits gesendet",
    payload_too_large: "Zu groß",
    too_many_files: "Zu viele Dateien",
    unsupported_media_type: "Nicht unterstützt",
    file_type_not_allowed: "Diese Datei wird nicht angenommen",
    validation_failed: "Bitte prüfen Sie Ihre Angaben",
    captcha_failed: "Bitte versuchen Sie es noch einmal",
    rate_limited: "Zu viele Einsendungen",
    unavailable: "Bitte versuchen Sie es noch einmal",
    internal_error: "Etwas ist schiefgegangen",
    other: "Das hat nicht geklappt",
  },

  validation: {
    required: "„{field}“ ist ein Pflichtfeld.",
    pattern: "„{field}“ hat nicht das richtige Format.",
    email: "„{field}“ muss eine gültige E-Mail-Adresse sein.",
    url: "„{field}“ muss eine gültige Internetadresse sein.",
    number: "„{field}“ muss eine Zahl sein.",
    contains: "„{field}“ muss „{wanted}“ enthalten.",
    not_contains: "„{field}“ darf „{wanted}“ nicht enthalten.",
    equals: "„{field}“ hat nicht den erwarteten Wert.",
    one_of: "„{field}“ muss einer dieser Werte sein: {list}.",
    one_of_listed: "„{field}“ muss einer der vorgegebenen Werte sein.",
    min_length: {
      one: "„{field}“ muss mindestens {count} Zeichen haben.",
      other: "„{field}“ muss mindestens {count} Zeichen haben.",
    },
    max_length: {
      one: "„{field}“ darf höchstens {count} Zeichen haben.",
      other: "„{field}“ darf höchstens {count} Zeichen haben.",
    },
    min: "„{field}“ muss mindestens {wanted} sein.",
    max: "„{field}“ darf höchstens {wanted} sein.",
    date: "„{field}“ muss ein gültiges Datum sein, etwa 2026-12-31.",
    phone: "„{field}“ muss eine gültige Telefonnummer sein.",
    too_long: "„{field}“ ist für diese Prüfung zu lang.",
    comma: ", ",
    more: { one: "{message} (und {count} weiterer Fehler)", other: "{message} (und {count} weitere Fehler)" },
  },

  files: {
    too_large: "Die Datei in „{field}“ ist größer als {size}.",
    too_large_together: "Mit der Datei in „{field}“ sind alle Dateien zusammen größer als {size}.",
    too_many: {
      one: "Die Datei in „{field}“ ist zu viel: Angenommen wird höchstens {count}.",
      other: "Die Datei in „{field}“ ist zu viel: Angenommen werden höchstens {count}.",
    },
    type: "Die Datei in „{field}“ ist von einer Art, die dieses Formular nicht annimmt.",
    virus: "Der Virenscanner hat die Datei in „{field}“ abgelehnt.",
    bytes: { one: "{count} Byte", other: "{count} Byte" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Dieser Link ist abgelaufen",
    old_text:
      "Es wurde nichts geändert. Mit der nächsten Einsendung des Formulars kommt eine neue E-Mail mit einem neuen Link.",
    ask_title: "E-Mails über Einsendungen erhalten?",
    ask_text: "{address} erhält dann zu jeder Einsendung des Formulars eine E-Mail.",
    confirm: "Bestätigen",
    done_title: "Bestätigt",
    done_text: "E-Mails über Einsendungen gehen jetzt an {address}.",
    invalid_title: "Dieser Link ist ungültig",
    invalid_text: "Er ist unvollständig oder wurde verändert. Öffnen Sie ihn noch einmal aus der E-Mail.",
    mail_subject: "Möchten Sie E-Mails über Einsendungen eines Formulars?",
    mail_asked:
      "{team} hat {address} bei {brand} als Adresse eingetragen, die von jeder Einsendung eines Formulars erfährt.",
    mail_somebody:
      "Jemand hat {address} bei {brand} als Adresse eingetragen, die von jeder Einsendung eines Formulars erfährt.",
    mail_how: {
      one: "Wenn Sie diese E-Mails erhalten möchten, öffnen Sie diesen Link und bestätigen Sie innerhalb von {count} Tag:",
      other:
        "Wenn Sie diese E-Mails erhalten möchten, öffnen Sie diesen Link und bestätigen Sie innerhalb von {count} Tagen:",
    },
    mail_link: "Diese Adresse bestätigen",
    mail_footer:
      "Wenn Sie nicht wissen, worum es geht, tun Sie nichts: Ohne Ihre Bestätigung kommen keine weiteren E-Mails.",
  },

  opt_in: {
    thanks:
      "Bitte öffnen Sie die E-Mail, die wir Ihnen geschickt haben, und bestätigen Sie. Bis dahin warten Ihre Angaben.",
    mail_how: {
      one: "Öffnen Sie zum Bestätigen innerhalb von {count} Tag diesen Link und drücken Sie dort auf den Knopf:",
      other: "Öffnen Sie zum Bestätigen innerhalb von {count} Tagen diesen Link und drücken Sie dort auf den Knopf:",
    },
    mail_footer:
      "Wenn Sie es nicht waren, hat jemand anders Ihre Adresse eingegeben. Dann tun Sie nichts: Was gesendet wurde, wird gelöscht.",
    done: "Vielen Dank. Ihre Angaben sind bestätigt.",
    late: "Niemand hat dies rechtzeitig bestätigt, deshalb wurde gelöscht, was gesendet wurde. Sie können das Formular noch einmal ausfüllen.",
  },

  notification: {
    kicker: "Neue Einsendung",
    title: "Neue Einsendung: {form}",
    spam: "Diese Einsendung wurde als Spam erkannt.",
    files: "Dateien",
    links_until: "Die Links funktionieren bis zum {date}.",
    shortened: "… (hier gekürzt; der Nur-Text-Teil dieser E-Mail enthält alles)",
    more_fields: {
      one: "{count} weiteres Feld steht im Nur-Text-Teil dieser E-Mail.",
      other: "{count} weitere Felder stehen im Nur-Text-Teil dieser E-Mail.",
    },
    sent_from: "Gesendet mit dem Formular „{form}“ am {time}.",
    reply_to: "Mit einer Antwort auf diese E-Mail schreiben Sie an {address}.",
  },

  reply: {
    title: "Ihre Nachricht an {name}",
    automatic:
      "Dies ist die automatische Antwort auf eine Nachricht, die am {time} mit dem Formular „{form}“ gesendet wurde.",
    not_you: "Wenn Sie das nicht waren, hat jemand anderes Ihre Adresse angegeben; Sie brauchen nichts zu tun.",
  },

  summary: {
    subject: { one: "{count} neue Einsendung", other: "{count} neue Einsendungen" },
    why: "Innerhalb einer Stunde wären mehr als 60 E-Mails über Einsendungen an diese Adresse gegangen. Was darüber hinausgeht, wird hier gesammelt, in einer E-Mail je Stunde.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (Spam)",
    counted: {
      one: "{count} weitere Einsendung von „{form}“ hatte hier keinen Platz mehr; sie ist wie die anderen gespeichert.",
      other:
        "{count} weitere Einsendungen von „{form}“ hatten hier keinen Platz mehr; sie sind wie die anderen gespeichert.",
    },
    more: {
      one: "{count} weitere steht im Nur-Text-Teil.",
      other: "{count} weitere stehen im Nur-Text-Teil.",
    },
    footer: "Sie erhalten diese E-Mail, weil Ihre Adresse bei diesen Formularen als Empfänger eingetragen ist.",
  },

  webhook: {
    off_subject: "Der Webhook von „{form}“ wurde abgeschaltet",
    failing_subject: "Der Webhook von „{form}“ schlägt immer wieder fehl",
    gone: "{host} hat mit 410 Gone geantwortet und will damit keine weiteren Zustellungen.",
    deleted: "{host} hat mit {status} geantwortet; der Webhook wurde dort also gelöscht.",
    failing: "Seit dem {time} ist jede Zustellung an {host} fehlgeschlagen. Der letzte Versuch endete mit {end}.",
    its_address: "seine Adresse",
    off_text:
      "Der Webhook wurde abgeschaltet, und es wird nichts mehr an ihn gesendet, bis er wieder eingeschaltet ist. Einsendungen werden weiter gespeichert; was nicht zugestellt wurde, lässt sich dann erneut zustellen.",
    failing_text:
      "Jede Zustellung wird 72 Stunden lang versucht. Gelingt 5 Tage lang keine, wird der Webhook abgeschaltet. Einsendungen werden weiter gespeichert.",
    why: "Sie erhalten diese E-Mail, weil das Formular „{form}“ zu Ihrem Team gehört.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Ihre Formulare haben das Kontingent dieses Monats aufgebraucht",
    text: {
      one: "Ihr Tarif „{plan}“ umfasst {count} Einsendung im Monat, und die ist im Monat {month} (UTC) erreicht. Spam zählt nicht mit.",
      other:
        "Ihr Tarif „{plan}“ umfasst {count} Einsendungen im Monat, und die sind im Monat {month} (UTC) erreicht. Spam zählt nicht mit.",
    },
    meaning:
      "Weitere Einsendungen dieses Monats werden wie bisher gespeichert, aber E-Mails, automatische Antworten und Webhooks entfallen. Mit einem größeren Tarif oder ab dem nächsten Monat wird wieder alles gesendet.",
    footer: "Sie erhalten diese E-Mail als Inhaber des Teams {team}, höchstens einmal im Monat.",
  },

  test: {
    subject: "[Test] {subject}",
    note: "Dies ist eine Test-E-Mail. Ihr Inhalt ist erfunden; niemand hat etwas eingesendet.",
    message: "Das ist ein Test. Er zeigt, wie eine Einsendung Ihres Formulars ankommt.",
  },
};

export default de;
