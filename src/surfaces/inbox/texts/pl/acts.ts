import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Polish texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: {
      one: "Usunąć {count} zgłoszenie?",
      few: "Usunąć {count} zgłoszenia?",
      many: "Usunąć {count} zgłoszeń?",
      other: "Usunąć {count} zgłoszenia?",
    },
    deleteHelp:
      "Zostaną usunięte razem z plikami i nie da się ich przywrócić. Oczekujące dostarczenia zostaną pominięte.",
    doTitle: {
      one: "{action}: {count} zgłoszenie",
      few: "{action}: {count} zgłoszenia",
      many: "{action}: {count} zgłoszeń",
      other: "{action}: {count} zgłoszenia",
    },
    doHelp: "To wszystkie pasujące zgłoszenia, ze wszystkich stron listy.",
    atLeast: "Liczenie trwało zbyt długo: jest ich co najmniej tyle.",
    type: "Wpisz {number}, aby potwierdzić",
    typeWrong: "Aby potwierdzić, wpisz liczbę {number}.",
    confirm: "Potwierdź",
    cancel: "Anuluj",
    going: {
      one: "Gotowe jak dotąd: {count} zgłoszenie",
      few: "Gotowe jak dotąd: {count} zgłoszenia",
      many: "Gotowe jak dotąd: {count} zgłoszeń",
      other: "Gotowe jak dotąd: {count} zgłoszenia",
    },
    goingHelp: "Jest ich więcej. Ta strona kontynuuje sama; bez JavaScriptu naciśnij „Dalej”.",
    continue: "Dalej",
    none: "Nie ma już pasujących zgłoszeń.",
  },
  done: {
    mark_read: {
      one: "Oznaczono jako przeczytane: {count}",
      few: "Oznaczono jako przeczytane: {count}",
      many: "Oznaczono jako przeczytane: {count}",
      other: "Oznaczono jako przeczytane: {count}",
    },
    mark_unread: {
      one: "Oznaczono jako nieprzeczytane: {count}",
      few: "Oznaczono jako nieprzeczytane: {count}",
      many: "Oznaczono jako nieprzeczytane: {count}",
      other: "Oznaczono jako nieprzeczytane: {count}",
    },
    mark_spam: {
      one: "Przeniesiono do spamu: {count}",
      few: "Przeniesiono do spamu: {count}",
      many: "Przeniesiono do spamu: {count}",
      other: "Przeniesiono do spamu: {count}",
    },
    mark_not_spam: {
      one: "Przeniesiono do odebranych: {count}",
      few: "Przeniesiono do odebranych: {count}",
      many: "Przeniesiono do odebranych: {count}",
      other: "Przeniesiono do odebranych: {count}",
    },
    deliver: {
      one: "Przeniesiono do odebranych: {count}; zaległe są wysyłane",
      few: "Przeniesiono do odebranych: {count}; zaległe są wysyłane",
      many: "Przeniesiono do odebranych: {count}; zaległe są wysyłane",
      other: "Przeniesiono do odebranych: {count}; zaległe są wysyłane",
    },
    delete: {
      one: "Usunięto: {count}",
      few: "Usunięto: {count}",
      many: "Usunięto: {count}",
      other: "Usunięto: {count}",
    },
    select: "Najpierw zaznacz co najmniej jedno zgłoszenie.",
    nothing: "Nie było nic do zmiany.",
    shortcutsOff: "Skróty klawiszowe są w tej przeglądarce wyłączone.",
    shortcutsOn: "Skróty klawiszowe są w tej przeglądarce włączone.",
  },
};

export default acts;
