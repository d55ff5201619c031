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
      "Zostaną usunięte razem z plikami i nie da się ich przywrócić. Oczekujące doręczenia zostaną pominięte.",
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
      one: "{count} oznaczono jako przeczytane",
      few: "{count} oznaczono jako przeczytane",
      many: "{count} oznaczono jako przeczytane",
      other: "{count} oznaczono jako przeczytane",
    },
    mark_unread: {
      one: "{count} oznaczono jako nieprzeczytane",
      few: "{count} oznaczono jako nieprzeczytane",
      many: "{count} oznaczono jako nieprzeczytane",
      other: "{count} oznaczono jako nieprzeczytane",
    },
    mark_spam: {
      one: "{count} przeniesiono do spamu",
      few: "{count} przeniesiono do spamu",
      many: "{count} przeniesiono do spamu",
      other: "{count} przeniesiono do spamu",
    },
    mark_not_spam: {
      one: "{count} przeniesiono do odebranych",
      few: "{count} przeniesiono do odebranych",
      many: "{count} przeniesiono do odebranych",
      other: "{count} przeniesiono do odebranych",
    },
    deliver: {
      one: "{count} przeniesiono do odebranych; zaległe są właśnie wysyłane",
      few: "{count} przeniesiono do odebranych; zaległe są właśnie wysyłane",
      many: "{count} przeniesiono do odebranych; zaległe są właśnie wysyłane",
      other: "{count} przeniesiono do odebranych; zaległe są właśnie wysyłane",
    },
    delete: {
      one: "{count} usunięto",
      few: "{count} usunięto",
      many: "{count} usunięto",
      other: "{count} usunięto",
    },
    select: "Najpierw zaznacz co najmniej jedno zgłoszenie.",
    nothing: "Nie było nic do zmiany.",
    shortcutsOff: "Skróty klawiszowe są w tej przeglądarce wyłączone.",
    shortcutsOn: "Skróty klawiszowe są w tej przeglądarce włączone.",
  },
};

export default acts;
