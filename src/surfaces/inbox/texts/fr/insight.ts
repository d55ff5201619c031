import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The French texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Essayer les paramètres antispam",
    panel: "Essayer sur les envois enregistrés",
    help: "Ce qui est saisi ici, enregistré ou non, est essayé sur les envois les plus récents. Rien n’est modifié ni envoyé.",
    button: "Essayer",
    frame: "Résultat",
    idle: "Cliquez sur « Essayer », et le résultat apparaîtra ici.",
    stored: "Les paramètres tels qu’ils sont enregistrés, essayés sur les envois les plus récents.",
    change: "Modifier les paramètres et les essayer",
    limit: "Nombre d’envois",
    sum: {
      one: "Sur {count} envoi, indésirables : {caught}.",
      many: "Sur {count} envois, indésirables : {caught}.",
      other: "Sur {count} envois, indésirables : {caught}.",
    },
    same: "Tous resteraient là où ils sont.",
    empty: "Il n’y a aucun envoi sur lequel essayer.",
    toSpam: {
      one: "{count} de la boîte de réception serait indésirable",
      many: "{count} de la boîte de réception seraient indésirables",
      other: "{count} de la boîte de réception seraient indésirables",
    },
    toInbox: {
      one: "{count} des indésirables passerait",
      many: "{count} des indésirables passeraient",
      other: "{count} des indésirables passeraient",
    },
    more: {
      one: "{count} autre n’est pas affiché.",
      many: "{count} autres ne sont pas affichés.",
      other: "{count} autres ne sont pas affichés.",
    },
    byCheck: "Indésirables par contrôle",
    custom: "Vos propres contrôles",
    session: "Page",
    notTried:
      "Ces contrôles demandent plus que ce qui est enregistré ; leur résultat enregistré est retenu : {checks}.",
    off: "Le contenu n’est pas contrôlé, car « {leaf} » est désactivé.",
    keptBack:
      "Cette boîte de réception masque certaines valeurs ; rien ne peut être essayé sur les envois enregistrés.",
    without: "Sans ce contrôle",
    withoutTitle: "Sans « {check} »",
    withoutSum: {
      one: "Sur le dernier indésirable ({count}), nombre qui serait passé sans ce contrôle : {through}.",
      many: "Sur les {count} derniers indésirables, nombre qui seraient passés sans ce contrôle : {through}.",
      other: "Sur les {count} derniers indésirables, nombre qui seraient passés sans ce contrôle : {through}.",
    },
    back: "Retour aux statistiques",
    refused: {
      one: "Sur {count} envoi, refusés : {refused}.",
      many: "Sur {count} envois, refusés : {refused}.",
      other: "Sur {count} envois, refusés : {refused}.",
    },
    noneRefused: {
      one: "Sur {count} envoi, aucun n’aurait été refusé.",
      many: "Sur {count} envois, aucun n’aurait été refusé.",
      other: "Sur {count} envois, aucun n’aurait été refusé.",
    },
    hurried: "Le temps a manqué pour aller plus loin.",
    byRule: "Refus par champ et par contrôle",
    which: "Auraient été refusés",
  },
  lint: {
    tab: "Diagnostic",
    title: "Diagnostic de {form}",
    caption: "Champs qui n’arrivent pas comme les paramètres le prévoient",
    help: {
      one: "D’après le dernier envoi ({count}), hors indésirables.",
      many: "D’après les {count} derniers envois, hors indésirables.",
      other: "D’après les {count} derniers envois, hors indésirables.",
    },
    nothing: "Rien n’est arrivé jusqu’ici.",
    few: {
      one: "{count} seul envoi est arrivé jusqu’ici : c’est trop peu pour conclure.",
      many: "Seuls {count} envois sont arrivés jusqu’ici : c’est trop peu pour conclure.",
      other: "Seuls {count} envois sont arrivés jusqu’ici : c’est trop peu pour conclure.",
    },
    fine: "Tout va bien",
    fineHelp: "Tous les champs cités dans les paramètres arrivent encore.",
    field: "Champ",
    found: "Constat",
    places: "Cité dans",
    noPlace: "Aucun paramètre",
    never: {
      one: "Jamais présent dans {count} envoi",
      many: "Jamais présent dans {count} envois",
      other: "Jamais présent dans {count} envois",
    },
    stopped: "Présent pour la dernière fois le {time}",
    renamed: "Présent pour la dernière fois le {time}, quand « {instead} » est apparu",
  },
  difference: {
    title: "Par rapport à ce qui a été transmis",
    same: {
      one: "Il a les mêmes champs que le dernier envoi transmis ({count}).",
      many: "Il a les mêmes champs que les {count} derniers envois transmis.",
      other: "Il a les mêmes champs que les {count} derniers envois transmis.",
    },
    other: {
      one: "Par rapport au dernier envoi transmis ({count}) :",
      many: "Par rapport aux {count} derniers envois transmis :",
      other: "Par rapport aux {count} derniers envois transmis :",
    },
    missing: "« {field} » manque ici.",
    added: "« {field} » est nouveau ici.",
  },
  quiet: {
    badge: {
      one: "Silencieux depuis {count} jour",
      many: "Silencieux depuis {count} jours",
      other: "Silencieux depuis {count} jours",
    },
    banner: {
      one: "Rien n’est arrivé depuis {count} jour. D’habitude : {usual} par jour. Envoyez le formulaire une fois depuis sa page pour voir s’il fonctionne encore.",
      many: "Rien n’est arrivé depuis {count} jours. D’habitude : {usual} par jour. Envoyez le formulaire une fois depuis sa page pour voir s’il fonctionne encore.",
      other:
        "Rien n’est arrivé depuis {count} jours. D’habitude : {usual} par jour. Envoyez le formulaire une fois depuis sa page pour voir s’il fonctionne encore.",
    },
    check: "Vérifier l’adresse",
  },
};

export default insight;
