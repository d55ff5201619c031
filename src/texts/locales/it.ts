import type { Locale } from "./_types.ts";

/** Italian. */
const it: Locale = {
  tag: "it",
  dir: "ltr",

  defaults: {
    headline: "Grazie!",
    message: "Abbiamo ricevuto i tuoi dati.",
    return: "Indietro",
    owner_subject: "Nuovo invio: {form}",
    reply_subject: "Grazie per il tuo messaggio",
    reply_message: "Grazie. Abbiamo ricevuto il tuo messaggio e ti risponderemo.",
    opt_in_subject: "Conferma il tuo indirizzo email",
    opt_in_message: "Conferma di aver inviato il modulo «{form}» e che questo indirizzo email è tuo.",
  },

  page: {
    back: "Indietro",
    back_by_browser: "Per tornare al modulo, usa il pulsante Indietro del browser.",
    send_again: "Invia di nuovo",
    choose_again: {
      one: "Scegli di nuovo il file.",
      other: "Scegli di nuovo i file.",
    },
    value_again: "Inseriscilo di nuovo.",
    choose: "Scegli",
    incomplete: "Il modulo non è arrivato per intero. Controllalo prima di inviarlo di nuovo.",
    not_taken: "Non è stato inviato nulla: al momento il servizio non è pronto. Riprova tra qualche secondo.",
    download: "Scarica",
    endpoint_title: "Questo indirizzo riceve un modulo",
    endpoint_text:
      "Riceve ciò che viene inviato dal modulo di un sito web; qui non c’è nulla da vedere. Se il modulo è tuo, in una pagina si usa così:",
  },

  errors: {
    invalid_parameter: "I dati inviati non sono leggibili.",
    empty_submission: "Il modulo era vuoto.",
    plan_restricted: "Questo modulo non accetta file.",
    form_inactive: "Al momento questo modulo non accetta invii.",
    origin_not_allowed: "Questo modulo non accetta invii da questo sito.",
    not_found: "A questo indirizzo non c’è nulla.",
    form_not_found: "Questo modulo non esiste.",
    method_not_allowed: "Questo indirizzo non si usa in questo modo.",
    request_timeout: "L’invio ha impiegato troppo tempo.",
    idempotency_in_progress: "Lo stesso invio è ancora in elaborazione. Riprova tra un momento.",
    payload_too_large: "L’invio è più grande di quanto accetti questo modulo.",
    too_many_files: "L’invio contiene più file di quanti ne accetti questo modulo.",
    unsupported_media_type: "Questo modulo non accetta invii in questo formato.",
    file_type_not_allowed: "I file di questo tipo non sono accettati.",
    idempotency_mismatch:
      "Questo modulo è già stato inviato con altri dati. Invialo di nuovo se vuoi inviare anche questi.",
    validation_failed: "Alcuni dati sono da rivedere.",
    captcha_failed: "Il captcha non è stato risolto. Riprova.",
    rate_limited: "Troppi invii in una volta. Attendi un po’ e riprova.",
    internal_error: "Qualcosa è andato storto da parte nostra.",
    unavailable: "Al momento il servizio non è disponibile. Riprova tra poco.",
    unconfirmed:
      "Non è stato possibile verificare se il tuo invio è stato salvato. Invialo di nuovo: verrà salvato una sola volta.",
  },

  titles: {
    empty_submission: "Nulla da inviare",
    invalid_parameter: "Il modulo non è leggibile",
    form_inactive: "Questo modulo è chiuso",
    origin_not_allowed: "Non accettato da questo sito",
    plan_restricted: "I file non sono accettati",
    not_found: "Qui non c’è nulla",
    form_not_found: "Modulo non trovato",
    method_not_allowed: "Qui non funziona così",
    request_timeout: "Ha richiesto troppo tempo",
    idempotency_in_progress: "Attendi un momento",
    idempotency_mismatch: "Già inviato",
    payload_too_large: "Troppo grande",
    too_many_files: "Troppi file",
    unsupported_media_type: "Formato non accettato",
    file_type_not_allowed: "Questo file non è accettato",
    validation_failed: "Controlla i dati inseriti",
    captcha_failed: "Riprova",
    rate_limited: "Troppi invii",
    unavailable: "Riprova",
    internal_error: "Qualcosa è andato storto",
    other: "Non ha funzionato",
  },

  validation: {
    required: "Il campo «{field}» è obbligatorio.",
    pattern: "Il formato del campo «{field}» non è valido.",
    email: "Il campo «{field}» deve essere un indirizzo email valido.",
    url: "Il campo «{field}» deve essere un indirizzo web valido.",
    number: "Il campo «{field}» deve essere un numero.",
    contains: "Il campo «{field}» deve contenere «{wanted}».",
    not_contains: "Il campo «{field}» non deve contenere «{wanted}».",
    equals: "Il campo «{field}» non ha il valore previsto.",
    one_of: "Il campo «{field}» deve essere uno di questi valori: {list}.",
    one_of_listed: "Il campo «{field}» deve essere uno dei valori proposti.",
    min_length: {
      one: "Il campo «{field}» deve avere almeno {count} carattere.",
      other: "Il campo «{field}» deve avere almeno {count} caratteri.",
    },
    max_length: {
      one: "Il campo «{field}» deve avere al massimo {count} carattere.",
      other: "Il campo «{field}» deve avere al massimo {count} caratteri.",
    },
    min: "Il campo «{field}» deve essere almeno {wanted}.",
    max: "Il campo «{field}» deve essere al massimo {wanted}.",
    date: "Il campo «{field}» deve essere una data valida, per esempio 2026-12-31.",
    phone: "Il campo «{field}» deve essere un numero di telefono valido.",
    too_long: "Il campo «{field}» è troppo lungo per questo controllo.",
    comma: ", ",
    more: { one: "{message} (e {count} altro errore)", other: "{message} (e altri {count} errori)" },
  },

  files: {
    too_large: "Il file in «{field}» supera {size}.",
    too_large_together: "Con il file in «{field}», i file superano in tutto {size}.",
    too_many: {
      one: "Il file in «{field}» è di troppo: se ne accetta al massimo {count}.",
      other: "Il file in «{field}» è di troppo: se ne accettano al massimo {count}.",
    },
    type: "Il file in «{field}» è di un tipo che questo modulo non accetta.",
    virus: "L’antivirus ha rifiutato il file in «{field}».",
    bytes: { one: "{count} byte", other: "{count} byte" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Questo link è scaduto",
    old_text: "Non è cambiato nulla. Con il prossimo invio del modulo arriverà una nuova email con un nuovo link.",
    ask_title: "Ricevere email sugli invii?",
    ask_text: "{address} riceverà un’email per ogni invio del modulo.",
    confirm: "Conferma",
    done_title: "Confermato",
    done_text: "Le email sugli invii arrivano ora a {address}.",
    invalid_title: "Questo link non è valido",
    invalid_text: "È incompleto o è stato modificato. Aprilo di nuovo dall’email.",
    mail_subject: "Vuoi ricevere email sugli invii di un modulo?",
    mail_asked: "{team} ha indicato {address} in {brand} come indirizzo da avvisare a ogni invio di un modulo.",
    mail_somebody: "Qualcuno ha indicato {address} in {brand} come indirizzo da avvisare a ogni invio di un modulo.",
    mail_how: {
      one: "Per ricevere queste email, apri questo link e conferma entro {count} giorno:",
      other: "Per ricevere queste email, apri questo link e conferma entro {count} giorni:",
    },
    mail_link: "Conferma questo indirizzo",
    mail_footer:
      "Se non sai di che cosa si tratta, non fare nulla: senza la tua conferma non ne verrà inviata nessuna.",
  },

  opt_in: {
    thanks: "Apri l’email che ti abbiamo mandato e conferma. Fino ad allora il tuo invio resta in attesa.",
    mail_how: {
      one: "Per confermare, apri questo link entro {count} giorno e premi il pulsante:",
      other: "Per confermare, apri questo link entro {count} giorni e premi il pulsante:",
    },
    mail_footer:
      "Se non sei stato tu, qualcun altro ha inserito il tuo indirizzo. In questo caso non fare nulla: ciò che è stato inviato verrà eliminato.",
    done: "Grazie. Il tuo invio è confermato.",
    late: "Nessuno ha confermato in tempo, quindi ciò che era stato inviato è stato eliminato. Puoi compilare di nuovo il modulo.",
  },

  notification: {
    kicker: "Nuovo invio",
    title: "Nuovo invio: {form}",
    spam: "Questo invio è stato riconosciuto come spam.",
    files: "File",
    links_until: "I link funzionano fino al {date}.",
    shortened: "… (abbreviato qui; la parte in testo semplice di questa email contiene tutto)",
    more_fields: {
      one: "{count} altro campo: vedi la parte in testo semplice di questa email.",
      other: "Altri {count} campi: vedi la parte in testo semplice di questa email.",
    },
    sent_from: "Inviato con il modulo «{form}» il {time}.",
    reply_to: "Rispondi a questa email per scrivere a {address}.",
  },

  reply: {
    title: "Il tuo messaggio a {name}",
    automatic: "Questa è una risposta automatica a un messaggio inviato con il modulo «{form}» il {time}.",
    not_you: "Se non sei stato tu, qualcun altro ha inserito il tuo indirizzo e non devi fare nulla.",
  },

  summary: {
    subject: { one: "{count} nuovo invio", other: "{count} nuovi invii" },
    why: "In un’ora stavano per partire più di 60 email sugli invii verso questo indirizzo. Quelle in più sono raccolte qui, in una sola email all’ora.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "{count} altro invio di «{form}» non ha trovato posto qui; è salvato con gli altri.",
      other: "Altri {count} invii di «{form}» non hanno trovato posto qui; sono salvati con gli altri.",
    },
    more: {
      one: "Un altro ({count}): vedi la parte in testo semplice.",
      other: "Altri {count}: vedi la parte in testo semplice.",
    },
    footer: "Ricevi questa email perché il tuo indirizzo è tra i destinatari di questi moduli.",
  },

  webhook: {
    off_subject: "Il webhook di «{form}» è stato disattivato",
    failing_subject: "Il webhook di «{form}» continua a fallire",
    gone: "{host} ha risposto 410 Gone, cioè non vuole ricevere altro.",
    deleted: "{host} ha risposto {status}, cioè lì il webhook è stato eliminato.",
    failing: "Dal {time} ogni consegna a {host} è fallita. L’ultimo tentativo è terminato con {end}.",
    its_address: "il suo indirizzo",
    off_text:
      "Il webhook è stato disattivato e non riceverà nulla finché non verrà riattivato. Gli invii continuano a essere salvati; quelli non consegnati potranno allora essere consegnati di nuovo.",
    failing_text:
      "Ogni consegna viene tentata per 72 ore. Se nessuna riesce per 5 giorni, il webhook viene disattivato. Gli invii continuano a essere salvati.",
    why: "Ricevi questa email perché il modulo «{form}» appartiene al tuo team.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "I tuoi moduli hanno esaurito gli invii di questo mese",
    text: {
      one: "Il tuo piano «{plan}» comprende {count} invio al mese, già usato in {month} (UTC). Lo spam non conta.",
      other:
        "Il tuo piano «{plan}» comprende {count} invii al mese, già usati tutti in {month} (UTC). Lo spam non conta.",
    },
    meaning:
      "Gli altri invii di questo mese vengono salvati come prima, ma senza email, risposte automatiche e webhook. Con un piano più ampio, o dal mese prossimo, tutto verrà inviato di nuovo.",
    footer: "Ricevi questa email, al massimo una volta al mese, perché il team {team} è tuo.",
  },

  test: {
    subject: "[Prova] {subject}",
    note: "Questa è un’email di prova. Il contenuto è inventato; nessuno ha inviato nulla.",
    message: "Questa è una prova. Mostra come arriva un invio del tuo modulo.",
  },
};

export default it;
