import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Italian texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "L’URL supera il limite di {count} caratteri.",
    urlControl: "L’URL contiene un carattere di controllo.",
    urlScheme: "L’URL deve iniziare con https://.",
    urlSchemes: "L’URL deve iniziare con https:// o http://.",
    urlPlain: "L’URL deve iniziare con https://. Per http senza cifratura serve l’opzione `webhooks.allowHttp`.",
    urlUser: "L’URL non può contenere un nome utente o una password.",
    urlFragment: "L’URL non può contenere un frammento (#).",
    urlPort: "La porta dell’URL deve essere 80, 443 o almeno 1024.",
    urlHost: "L’URL non ha un host.",
    urlName: "L’host dell’URL non è un nome internazionale valido.",
    urlPrivate:
      "L’URL punta a un indirizzo privato o riservato. Per quelli di una tua rete serve l’opzione `webhooks.allowCidrs`.",
    urlMasked: "L’URL è mascherato. Inserisci l’URL completo, oppure lascialo com’è per mantenere quello salvato.",
    urlService: "L’URL non è di {service}. Un URL di {service} è fatto così: {example}",
    urlOther:
      "L’URL del webhook non è di {service}, i cui indirizzi sono fatti così: {example}. Inserisci anche un `url` di questo tipo.",
    urlShown: "Nel formato {format} l’URL è visibile: per cambiare formato, inserisci l’URL completo.",
    rotated:
      "Il segreto è stato rigenerato due volte in 24 ore. Attendi che scada il più vecchio, oppure fai scadere subito i precedenti con `expire_previous`.",
    noWebhooks: "Il piano del team non include webhook.",
    planWebhooks:
      "Webhook per modulo inclusi nel piano del team: {count}. Chi gestisce il servizio può aumentarli con `webhooks_per_form` nell’opzione `plans`.",
    planForms: "Moduli inclusi nel piano del team: {count}.",
    planRecipients: "Destinatari per modulo inclusi nel piano del team: {count}.",
    serverPrivate: "È un indirizzo privato o riservato.",
    serverResolved: "Questo host ha un indirizzo privato o riservato.",
    serverLogin: "Il server rifiuta la password o il nome utente: {detail}",
    serverUnreachable: "Il server non è raggiungibile su questa porta: {detail}",
    serverSilent: "Il server non risponde su questa porta: {detail}",
    serverTls: "Non è adatto al server, oppure il certificato del server non è valido: {detail}",
    serverNoMail: "Il server non accetta email: {detail}",
    serverBoth: "È obbligatorio: per l’accesso servono nome utente e password.",
    serverMoved: "Va inserita di nuovo se cambi `host`.",
    alias: "Deve avere da 1 a 254 caratteri: lettere, cifre o . _ @ + -",
    captchaSecret: "È obbligatoria se scegli un captcha.",
    captchaKind:
      "Non è una chiave segreta di reCAPTCHA, hCaptcha, Turnstile o ALTCHA. Copia la chiave segreta, non quella del sito.",
    senderDomains: "Deve essere un indirizzo di {domains}.",
    senderEmpty: "Deve restare vuoto.",
    senderServer:
      "Deve essere un indirizzo di {domains}, oppure `sender.server_id` deve essere un server email del team.",
    senderOnly: "Deve restare vuoto, oppure `sender.server_id` deve essere un server email del team.",
    againLimit: "Numero massimo di email che si possono inviare di nuovo in un’ora a uno stesso indirizzo: {count}.",
    monthFull:
      "Gli invii inclusi nel piano per questo mese sono esauriti e questo supera il limite. Invialo di nuovo il mese prossimo.",
    longAgo: "Può risalire al massimo a 14 giorni fa.",
  },
};

export default texts;
