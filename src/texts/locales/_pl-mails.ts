import type { Locale } from "./_types.ts";

/** Polish: the mails of its catalogue. */
export const mails: Pick<
  Locale,
  "confirmation" | "opt_in" | "notification" | "reply" | "summary" | "webhook" | "plan" | "test"
> = {
  confirmation: {
    old_title: "Ten link wygasł",
    old_text: "Nic się nie zmieniło. Przy następnym zgłoszeniu z formularza przyjdzie nowy e-mail z nowym linkiem.",
    ask_title: "Otrzymywać e-maile o zgłoszeniach?",
    ask_text: "Na adres {address} przyjdzie e-mail o każdym zgłoszeniu z formularza.",
    confirm: "Potwierdź",
    done_title: "Potwierdzono",
    done_text: "E-maile o zgłoszeniach przychodzą teraz na adres {address}.",
    invalid_title: "Ten link jest nieprawidłowy",
    invalid_text: "Jest niepełny lub został zmieniony. Otwórz go jeszcze raz z e-maila.",
    mail_subject: "Czy chcesz otrzymywać e-maile o zgłoszeniach z formularza?",
    mail_asked: "{team} podaje w {brand} adres {address} jako adres do powiadamiania o każdym zgłoszeniu z formularza.",
    mail_somebody: "Ktoś podał w {brand} adres {address} jako adres do powiadamiania o każdym zgłoszeniu z formularza.",
    mail_how: {
      one: "Aby otrzymywać te e-maile, otwórz ten link i potwierdź w ciągu {count} dnia:",
      few: "Aby otrzymywać te e-maile, otwórz ten link i potwierdź w ciągu {count} dni:",
      many: "Aby otrzymywać te e-maile, otwórz ten link i potwierdź w ciągu {count} dni:",
      other: "Aby otrzymywać te e-maile, otwórz ten link i potwierdź w ciągu {count} dnia:",
    },
    mail_link: "Potwierdź ten adres",
    mail_footer:
      "Jeśli nie wiesz, o co chodzi, nie rób nic: bez Twojego potwierdzenia żaden z nich nie zostanie wysłany.",
  },

  opt_in: {
    thanks: "Otwórz wysłany do Ciebie e-mail i potwierdź. Do tego czasu zgłoszenie czeka.",
    mail_how: {
      one: "Aby potwierdzić, otwórz ten link w ciągu {count} dnia i naciśnij przycisk:",
      few: "Aby potwierdzić, otwórz ten link w ciągu {count} dni i naciśnij przycisk:",
      many: "Aby potwierdzić, otwórz ten link w ciągu {count} dni i naciśnij przycisk:",
      other: "Aby potwierdzić, otwórz ten link w ciągu {count} dnia i naciśnij przycisk:",
    },
    mail_footer: "Jeśli to nie Ty, ktoś inny wpisał Twój adres. Wtedy nie rób nic: wysłane dane zostaną usunięte.",
    done: "Dziękujemy. Zgłoszenie zostało potwierdzone.",
    late: "Nikt nie potwierdził tego na czas, więc wysłane dane zostały usunięte. Możesz wypełnić formularz jeszcze raz.",
  },

  notification: {
    kicker: "Nowe zgłoszenie",
    title: "Nowe zgłoszenie: {form}",
    spam: "To zgłoszenie rozpoznano jako spam.",
    files: "Pliki",
    links_until: "Linki działają do {date}.",
    shortened: "… (tutaj skrócono; całość jest w części tekstowej tego e-maila)",
    more_fields: {
      one: "Jeszcze {count} pole: zobacz część tekstową tego e-maila.",
      few: "Jeszcze {count} pola: zobacz część tekstową tego e-maila.",
      many: "Jeszcze {count} pól: zobacz część tekstową tego e-maila.",
      other: "Jeszcze {count} pola: zobacz część tekstową tego e-maila.",
    },
    sent_from: "Wysłano z formularza „{form}”, {time}.",
    reply_to: "Odpowiedz na ten e-mail, aby napisać na adres {address}.",
  },

  reply: {
    title: "Twoja wiadomość do {name}",
    automatic: "To automatyczna odpowiedź na wiadomość wysłaną z formularza „{form}”, {time}.",
    not_you: "Jeśli to nie Ty, ktoś inny wpisał Twój adres i nie musisz nic robić.",
  },

  summary: {
    subject: {
      one: "{count} nowe zgłoszenie",
      few: "{count} nowe zgłoszenia",
      many: "{count} nowych zgłoszeń",
      other: "{count} nowego zgłoszenia",
    },
    why: "W ciągu godziny na ten adres miało pójść ponad 60 e-maili o zgłoszeniach. Pozostałe są zebrane tutaj, w jednym e-mailu na godzinę.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "Jeszcze {count} zgłoszenie z „{form}” się tu nie zmieściło; jest zapisane z innymi.",
      few: "Jeszcze {count} zgłoszenia z „{form}” się tu nie zmieściły; są zapisane z innymi.",
      many: "Jeszcze {count} zgłoszeń z „{form}” się tu nie zmieściło; są zapisane z innymi.",
      other: "Jeszcze {count} zgłoszenia z „{form}” się tu nie zmieściło; są zapisane z innymi.",
    },
    more: {
      one: "Jeszcze {count}: zobacz część tekstową.",
      few: "Jeszcze {count}: zobacz część tekstową.",
      many: "Jeszcze {count}: zobacz część tekstową.",
      other: "Jeszcze {count}: zobacz część tekstową.",
    },
    footer: "Otrzymujesz ten e-mail, bo Twój adres jest wśród odbiorców tych formularzy.",
  },

  webhook: {
    off_subject: "Webhook formularza „{form}” został wyłączony",
    failing_subject: "Webhook formularza „{form}” ciągle zawodzi",
    gone: "{host} odpowiada 410 Gone, czyli nie chce już nic otrzymywać.",
    deleted: "{host} odpowiada {status}, czyli webhook został tam usunięty.",
    failing: "Każda próba dostarczenia do {host} zawodzi od: {time}. Ostatnia zakończyła się wynikiem {end}.",
    its_address: "jego adres",
    off_text:
      "Webhook został wyłączony i nic nie będzie do niego wysyłane, dopóki nie zostanie włączony ponownie. Zgłoszenia są nadal zapisywane; te niedostarczone będzie można wtedy dostarczyć jeszcze raz.",
    failing_text:
      "Każde dostarczenie jest ponawiane przez 72 godziny. Jeśli żadne nie uda się przez 5 dni, webhook zostanie wyłączony. Zgłoszenia są nadal zapisywane.",
    why: "Otrzymujesz ten e-mail, bo formularz „{form}” należy do Twojego zespołu.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Twoje formularze wykorzystały limit zgłoszeń na ten miesiąc",
    text: {
      one: "Twój plan „{plan}” obejmuje {count} zgłoszenie miesięcznie i limit na {month} (UTC) jest już wykorzystany. Spam się nie liczy.",
      few: "Twój plan „{plan}” obejmuje {count} zgłoszenia miesięcznie i limit na {month} (UTC) jest już wykorzystany. Spam się nie liczy.",
      many: "Twój plan „{plan}” obejmuje {count} zgłoszeń miesięcznie i limit na {month} (UTC) jest już wykorzystany. Spam się nie liczy.",
      other:
        "Twój plan „{plan}” obejmuje {count} zgłoszenia miesięcznie i limit na {month} (UTC) jest już wykorzystany. Spam się nie liczy.",
    },
    meaning:
      "Kolejne zgłoszenia z tego miesiąca są zapisywane jak dotąd, ale bez e-maili, automatycznych odpowiedzi i webhooków. Z większym planem lub od następnego miesiąca wszystko będzie znów wysyłane.",
    footer: "Otrzymujesz ten e-mail najwyżej raz w miesiącu, bo zespół {team} należy do Ciebie.",
  },

  test: {
    subject: "[Test] {subject}",
    note: "To testowy e-mail. Jego treść jest zmyślona; nikt nic nie wysłał.",
    message: "To jest test. Pokazuje, jak dociera zgłoszenie z Twojego formularza.",
  },
};
