import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The French texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: {
      one: "Supprimer {count} envoi ?",
      many: "Supprimer {count} envois ?",
      other: "Supprimer {count} envois ?",
    },
    deleteHelp:
      "Ils sont supprimés avec leurs fichiers et ne peuvent pas être restaurés. Les transmissions encore en attente sont annulées.",
    doTitle: { one: "{action} : {count} envoi", many: "{action} : {count} envois", other: "{action} : {count} envois" },
    doHelp: "Ce sont tous les envois qui correspondent, sur toutes les pages de la liste.",
    atLeast: "Le comptage a pris trop de temps : il y en a au moins autant.",
    type: "Saisissez {number} pour confirmer",
    typeWrong: "Saisissez le nombre {number} pour confirmer.",
    confirm: "Confirmer",
    cancel: "Annuler",
    going: {
      one: "{count} envoi traité jusqu’ici",
      many: "{count} envois traités jusqu’ici",
      other: "{count} envois traités jusqu’ici",
    },
    goingHelp: "Il en reste. Cette page continue d’elle-même ; sans JavaScript, appuyez sur « Continuer ».",
    continue: "Continuer",
    none: "Plus aucun envoi ne correspond.",
  },
  done: {
    mark_read: {
      one: "{count} marqué comme lu",
      many: "{count} marqués comme lus",
      other: "{count} marqués comme lus",
    },
    mark_unread: {
      one: "{count} marqué comme non lu",
      many: "{count} marqués comme non lus",
      other: "{count} marqués comme non lus",
    },
    mark_spam: {
      one: "{count} déplacé vers les indésirables",
      many: "{count} déplacés vers les indésirables",
      other: "{count} déplacés vers les indésirables",
    },
    mark_not_spam: {
      one: "{count} déplacé vers la boîte de réception",
      many: "{count} déplacés vers la boîte de réception",
      other: "{count} déplacés vers la boîte de réception",
    },
    deliver: {
      one: "{count} déplacé vers la boîte de réception ; ce qui a été retenu est en cours d’envoi",
      many: "{count} déplacés vers la boîte de réception ; ce qui a été retenu est en cours d’envoi",
      other: "{count} déplacés vers la boîte de réception ; ce qui a été retenu est en cours d’envoi",
    },
    delete: { one: "{count} supprimé", many: "{count} supprimés", other: "{count} supprimés" },
    select: "Sélectionnez d’abord au moins un envoi.",
    nothing: "Il n’y avait rien à modifier.",
    shortcutsOff: "Les raccourcis clavier sont désactivés dans ce navigateur.",
    shortcutsOn: "Les raccourcis clavier sont activés dans ce navigateur.",
  },
};

export default acts;
