import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Italian texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: {
      one: "Eliminare {count} invio?",
      many: "Eliminare {count} invii?",
      other: "Eliminare {count} invii?",
    },
    deleteHelp:
      "Vengono rimossi con i loro file e non si possono ripristinare. Le consegne ancora in attesa vengono annullate.",
    doTitle: { one: "{action}: {count} invio", many: "{action}: {count} invii", other: "{action}: {count} invii" },
    doHelp: "Sono tutti gli invii corrispondenti, in tutte le pagine dell’elenco.",
    atLeast: "Il conteggio ha impiegato troppo tempo: sono almeno questi.",
    type: "Scrivi {number} per confermare",
    typeWrong: "Scrivi il numero {number} per confermare.",
    confirm: "Conferma",
    cancel: "Annulla",
    going: {
      one: "{count} invio elaborato finora",
      many: "{count} invii elaborati finora",
      other: "{count} invii elaborati finora",
    },
    goingHelp: "Ce ne sono altri. La pagina prosegue da sola; senza JavaScript, premi «Continua».",
    continue: "Continua",
    none: "Non ci sono più invii corrispondenti.",
  },
  done: {
    mark_read: {
      one: "{count} segnato come letto",
      many: "{count} segnati come letti",
      other: "{count} segnati come letti",
    },
    mark_unread: {
      one: "{count} segnato come non letto",
      many: "{count} segnati come non letti",
      other: "{count} segnati come non letti",
    },
    mark_spam: {
      one: "{count} spostato nello spam",
      many: "{count} spostati nello spam",
      other: "{count} spostati nello spam",
    },
    mark_not_spam: {
      one: "{count} spostato nella posta in arrivo",
      many: "{count} spostati nella posta in arrivo",
      other: "{count} spostati nella posta in arrivo",
    },
    deliver: {
      one: "{count} spostato nella posta in arrivo; quanto trattenuto è in corso di invio",
      many: "{count} spostati nella posta in arrivo; quanto trattenuto è in corso di invio",
      other: "{count} spostati nella posta in arrivo; quanto trattenuto è in corso di invio",
    },
    delete: { one: "{count} eliminato", many: "{count} eliminati", other: "{count} eliminati" },
    select: "Seleziona prima almeno un invio.",
    nothing: "Non c’era nulla da modificare.",
    shortcutsOff: "Le scorciatoie da tastiera sono disattivate in questo browser.",
    shortcutsOn: "Le scorciatoie da tastiera sono attive in questo browser.",
  },
};

export default acts;
