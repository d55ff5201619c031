import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Italian texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Prova le impostazioni antispam",
    panel: "Prova sugli invii salvati",
    help: "Ciò che è inserito qui, salvato o no, viene provato sugli invii più recenti. Nulla viene modificato o inviato.",
    button: "Prova",
    frame: "Risultato",
    idle: "Premi «Prova» e il risultato comparirà qui.",
    stored: "Le impostazioni salvate, provate sugli invii più recenti.",
    change: "Modifica le impostazioni e provale",
    limit: "Numero di invii",
    sum: {
      one: "Invii che sarebbero spam: {caught} su {count}.",
      many: "Invii che sarebbero spam: {caught} su {count}.",
      other: "Invii che sarebbero spam: {caught} su {count}.",
    },
    same: "Resterebbero tutti dove sono.",
    empty: "Non ci sono invii su cui provare.",
    toSpam: {
      one: "{count} nella posta in arrivo sarebbe spam",
      many: "{count} nella posta in arrivo sarebbero spam",
      other: "{count} nella posta in arrivo sarebbero spam",
    },
    toInbox: {
      one: "{count} nello spam passerebbe",
      many: "{count} nello spam passerebbero",
      other: "{count} nello spam passerebbero",
    },
    more: {
      one: "{count} altro non è mostrato.",
      many: "Altri {count} non sono mostrati.",
      other: "Altri {count} non sono mostrati.",
    },
    byCheck: "Spam per controllo",
    custom: "I tuoi controlli",
    session: "Pagina",
    notTried: "Questi richiedono più di quanto è salvato, quindi vale il risultato già registrato: {checks}.",
    off: "Il contenuto non viene controllato, perché «{leaf}» è disattivato.",
    keptBack: "Questa posta in arrivo nasconde alcuni valori, quindi non si può provare nulla sugli invii salvati.",
    without: "Senza questo controllo",
    withoutTitle: "Senza «{check}»",
    withoutSum: {
      one: "Invii nello spam che sarebbero passati senza questo controllo: {through} sull’ultimo ricevuto.",
      many: "Invii nello spam che sarebbero passati senza questo controllo: {through} sugli ultimi {count}.",
      other: "Invii nello spam che sarebbero passati senza questo controllo: {through} sugli ultimi {count}.",
    },
    back: "Torna alle statistiche",
    refused: {
      one: "Invii che sarebbero stati rifiutati: {refused} su {count}.",
      many: "Invii che sarebbero stati rifiutati: {refused} su {count}.",
      other: "Invii che sarebbero stati rifiutati: {refused} su {count}.",
    },
    noneRefused: {
      one: "Su {count} invio, nessuno sarebbe stato rifiutato.",
      many: "Su {count} invii, nessuno sarebbe stato rifiutato.",
      other: "Su {count} invii, nessuno sarebbe stato rifiutato.",
    },
    hurried: "Non c’è stato tempo per altri.",
    byRule: "Rifiutati per campo e controllo",
    which: "Sarebbero stati rifiutati",
  },
  lint: {
    tab: "Diagnostica",
    title: "Diagnostica di {form}",
    caption: "Campi che non arrivano come previsto dalle impostazioni",
    help: {
      one: "Confronto con l’invio più recente, spam escluso.",
      many: "Confronto con i {count} invii più recenti, spam escluso.",
      other: "Confronto con i {count} invii più recenti, spam escluso.",
    },
    nothing: "Finora non è arrivato nulla.",
    few: {
      one: "Finora è arrivato solo {count} invio: troppo poco per dirlo.",
      many: "Finora sono arrivati solo {count} invii: troppo pochi per dirlo.",
      other: "Finora sono arrivati solo {count} invii: troppo pochi per dirlo.",
    },
    fine: "Tutto a posto",
    fineHelp: "Tutti i campi indicati nelle impostazioni continuano ad arrivare.",
    field: "Campo",
    found: "Esito",
    places: "Indicato in",
    noPlace: "Nessuna impostazione",
    never: {
      one: "Mai arrivato in {count} invio",
      many: "Mai arrivato in {count} invii",
      other: "Mai arrivato in {count} invii",
    },
    stopped: "Arrivato l’ultima volta il {time}",
    renamed: "Arrivato l’ultima volta il {time}, quando è comparso «{instead}»",
  },
  difference: {
    title: "Confronto con gli invii consegnati",
    same: {
      one: "Ha gli stessi campi dell’ultimo consegnato.",
      many: "Ha gli stessi campi degli ultimi {count} consegnati.",
      other: "Ha gli stessi campi degli ultimi {count} consegnati.",
    },
    other: {
      one: "Rispetto all’ultimo consegnato:",
      many: "Rispetto agli ultimi {count} consegnati:",
      other: "Rispetto agli ultimi {count} consegnati:",
    },
    missing: "Qui manca «{field}».",
    added: "Qui «{field}» è nuovo.",
  },
  quiet: {
    badge: {
      one: "Nessun invio da {count} giorno",
      many: "Nessun invio da {count} giorni",
      other: "Nessun invio da {count} giorni",
    },
    banner: {
      one: "Da {count} giorno non arriva nulla. Media abituale: {usual} al giorno. Invia una volta il modulo dalla sua pagina per vedere se funziona ancora.",
      many: "Da {count} giorni non arriva nulla. Media abituale: {usual} al giorno. Invia una volta il modulo dalla sua pagina per vedere se funziona ancora.",
      other:
        "Da {count} giorni non arriva nulla. Media abituale: {usual} al giorno. Invia una volta il modulo dalla sua pagina per vedere se funziona ancora.",
    },
    check: "Controlla l’indirizzo",
  },
};

export default insight;
