import type reportsInEnglish from "../_reports.ts";
import type { In } from "../_types.ts";

/** The Italian texts of submissions that wait for a confirmation, and of statistics. */
const reports: In<typeof reportsInEnglish> = {
  marks: {
    failed: "Una consegna è fallita",
    retrying: "Una consegna viene ritentata",
  },
  search: {
    since: "Ricerca estesa fino al {time}.",
    further: "Cerca più indietro",
  },
  beside: {
    title: "Invii vicini a questo",
  },
  pending: {
    tab: "Da confermare",
    title: "In attesa: {name}",
    caption: "Invii di {form} in attesa di conferma, dal più recente",
    help: "I mittenti non hanno ancora confermato il loro indirizzo. Fino ad allora questi invii non contano e non attivano nulla.",
    back: "Torna agli invii da confermare",
    none: "Nessuno in attesa",
    noneHelp:
      "Un invio resta qui finché il mittente non preme il pulsante nell’email; se non lo fa nessuno, viene rimosso.",
    waiting: "In attesa del mittente",
    onlySender:
      "Solo il mittente può confermarlo. Se nessuno lo fa, viene rimosso alla data e all’ora indicate qui sotto.",
    sent: "Inviato",
    removed: "Rimozione",
    sentence: "Testo da confermare",
    ip: "Inviato da",
    mail: "Email al mittente",
    noMail: "Non c’è nessuna email: è stata rimossa, oppure l’indirizzo non compare in nessuna consegna.",
  },
  stats: {
    tab: "Statistiche",
    title: "Statistiche di {form}",
    interval: "Intervallo",
    day: "Giorni",
    week: "Settimane",
    month: "Mesi",
    show: "Mostra",
    lastDay: "Ultimi 30 giorni",
    lastWeek: "Ultime 26 settimane",
    lastMonth: "Ultimi 12 mesi",
    zone: "Fuso orario: {zone}",
    views: "Visualizzazioni",
    starts: "Compilazioni iniziate",
    submissions: "Invii",
    spam: "Spam",
    allTime: "Da sempre",
    started: "Iniziati su visualizzati",
    finished: "Inviati su iniziati",
    notCounted:
      "Visualizzazioni e compilazioni iniziate non vengono contate: si attivano con l’impostazione «Conta le visualizzazioni» del modulo.",
    overTime: "Andamento",
    numbers: "I numeri",
    when: "Dal",
    chart: "{name}: {total} in tutto, al massimo {most} alla volta",
    reasons: "Spam per motivo",
    reasonsHelp: {
      one: "Sull’ultimo invio nello spam; può avere più motivi.",
      many: "Sugli ultimi {count} nello spam; ognuno può avere più motivi.",
      other: "Sugli ultimi {count} nello spam; ognuno può avere più motivi.",
    },
    byHand: "Spostato qui a mano",
    noSpam: "Nessuno spam in questo periodo.",
    countries: "Paesi",
    noCountries: "Nessun invio in questo periodo.",
    values: "Valori di un campo",
    field: "Campo",
    choose: "Scegli un campo",
    noField: "Scegli un campo per vedere quante volte è arrivato ciascun valore.",
    noValues: "Nessun invio di questo periodo ha un valore in «{field}».",
    emptyValue: "Vuoto",
    other: "Tutti gli altri",
    unknown: "Sconosciuto",
    some: "Il conteggio ha impiegato troppo tempo: sono almeno questi.",
    tooMany: "Gli invii sono troppi per contarli in una volta. Scegli un intervallo più breve.",
    name: "Nome",
    count: "Numero",
    share: "Percentuale",
  },
};

export default reports;
