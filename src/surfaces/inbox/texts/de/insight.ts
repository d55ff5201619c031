import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The German texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Spam-Einstellungen ausprobieren",
    panel: "An gespeicherten Einsendungen ausprobieren",
    help: "Was hier steht, ob gespeichert oder nicht, wird an den neuesten Einsendungen ausprobiert. Dabei wird nichts geändert und nichts gesendet.",
    button: "Ausprobieren",
    frame: "Ergebnis",
    idle: "Drücken Sie auf „Ausprobieren“, dann erscheint das Ergebnis hier.",
    stored: "Die gespeicherten Einstellungen, ausprobiert an den neuesten Einsendungen.",
    change: "Andere Einstellungen ausprobieren",
    limit: "Anzahl der Einsendungen",
    sum: {
      one: "{count} Einsendung geprüft, davon Spam: {caught}.",
      other: "{count} Einsendungen geprüft, davon Spam: {caught}.",
    },
    same: "Alle würden bleiben, wo sie sind.",
    empty: "Es gibt keine Einsendungen, an denen sich das ausprobieren ließe.",
    toSpam: { one: "{count} aus dem Posteingang wäre Spam", other: "{count} aus dem Posteingang wären Spam" },
    toInbox: { one: "{count} aus dem Spam käme durch", other: "{count} aus dem Spam kämen durch" },
    more: { one: "{count} weitere wird nicht angezeigt.", other: "{count} weitere werden nicht angezeigt." },
    byCheck: "Spam nach Prüfung",
    custom: "Eigene Prüfungen",
    session: "Seite",
    notTried: "Diese brauchen mehr, als gespeichert ist; für sie zählt das gespeicherte Ergebnis: {checks}.",
    off: "Der Inhalt wird nicht geprüft, weil „{leaf}“ ausgeschaltet ist.",
    keptBack:
      "Dieser Posteingang hält manche Werte zurück, deshalb lässt sich an gespeicherten Einsendungen nichts ausprobieren.",
    without: "Ohne diese Prüfung",
    withoutTitle: "Ohne „{check}“",
    withoutSum: {
      one: "Von der letzten {count} im Spam wären ohne diese Prüfung {through} durchgekommen.",
      other: "Von den letzten {count} im Spam wären ohne diese Prüfung {through} durchgekommen.",
    },
    back: "Zurück zur Statistik",
    refused: {
      one: "{count} Einsendung geprüft, davon abgelehnt: {refused}.",
      other: "{count} Einsendungen geprüft, davon abgelehnt: {refused}.",
    },
    noneRefused: {
      one: "Von {count} Einsendung wäre keine abgelehnt worden.",
      other: "Von {count} Einsendungen wäre keine abgelehnt worden.",
    },
    hurried: "Für mehr reichte die Zeit nicht.",
    byRule: "Ablehnungen nach Feld und Prüfung",
    which: "Wären abgelehnt worden",
  },
  lint: {
    tab: "Kontrolle",
    title: "Kontrolle von {form}",
    caption: "Felder, die nicht so ankommen, wie die Einstellungen es erwarten",
    help: {
      one: "Verglichen mit der neuesten {count} Einsendung, ohne Spam.",
      other: "Verglichen mit den neuesten {count} Einsendungen, ohne Spam.",
    },
    nothing: "Bisher ist nichts eingegangen.",
    few: {
      one: "Bisher kam nur {count} Einsendung; das ist zu wenig für eine Aussage.",
      other: "Bisher kamen nur {count} Einsendungen; das sind zu wenige für eine Aussage.",
    },
    fine: "Alles in Ordnung",
    fineHelp: "Jedes Feld, das die Einstellungen nennen, kommt weiterhin an.",
    field: "Feld",
    found: "Befund",
    places: "Genannt in",
    noPlace: "Keine Einstellung",
    never: { one: "Kam in {count} Einsendung nie vor", other: "Kam in {count} Einsendungen nie vor" },
    stopped: "Kam zuletzt am {time}",
    renamed: "Kam zuletzt am {time}, als „{instead}“ begann",
  },
  difference: {
    title: "Verglichen mit Zugestelltem",
    same: {
      one: "Sie hat dieselben Felder wie die letzte zugestellte ({count}).",
      other: "Sie hat dieselben Felder wie die letzten {count} zugestellten.",
    },
    other: {
      one: "Verglichen mit der letzten zugestellten ({count}):",
      other: "Verglichen mit den letzten {count} zugestellten:",
    },
    missing: "„{field}“ fehlt hier.",
    added: "„{field}“ ist hier neu.",
  },
  quiet: {
    badge: { one: "Seit {count} Tag still", other: "Seit {count} Tagen still" },
    banner: {
      one: "Seit {count} Tag ist nichts eingegangen. Üblich sind {usual} am Tag. Senden Sie das Formular einmal von seiner Seite ab, um zu sehen, ob es noch funktioniert.",
      other:
        "Seit {count} Tagen ist nichts eingegangen. Üblich sind {usual} am Tag. Senden Sie das Formular einmal von seiner Seite ab, um zu sehen, ob es noch funktioniert.",
    },
    check: "Adresse prüfen",
  },
};

export default insight;
