import type { Locale } from "./_types.ts";

/** Polish. */
const pl: Locale = {
  tag: "pl",
  dir: "ltr",

  defaults: {
    headline: "Dziękujemy!",
    message: "Zgłoszenie do nas dotarło.",
    return: "Wróć",
    owner_subject: "Nowe zgłoszenie: {form}",
    reply_subject: "Dziękujemy za wiadomość",
    reply_message: "Dziękujemy. Wiadomość do nas dotarła, wkrótce na nią odpowiemy.",
    opt_in_subject: "Potwierdź swój adres e-mail",
    opt_in_message:
      "Potwierdź, że formularz „{form}” został wysłany przez Ciebie i że ten adres e-mail należy do Ciebie.",
  },

  page: {
    back: "Wróć",
    back_by_browser: "Aby wrócić do formularza, użyj przycisku Wstecz w przeglądarce.",
    send_again: "Wyślij ponownie",
    choose_again: {
      one: "Wybierz plik jeszcze raz.",
      few: "Wybierz pliki jeszcze raz.",
      many: "Wybierz pliki jeszcze raz.",
      other: "Wybierz pliki jeszcze raz.",
    },
    value_again: "Wpisz to jeszcze raz.",
    choose: "Wybierz",
    incomplete: "Formularz nie dotarł w całości. Sprawdź go, zanim wyślesz go ponownie.",
    not_taken: "Nic nie zostało wysłane: usługa nie jest teraz gotowa. Spróbuj ponownie za kilka sekund.",
    download: "Pobierz",
    endpoint_title: "Ten adres przyjmuje formularz",
    endpoint_text:
      "Trafia tu to, co wysyła formularz ze strony internetowej; nie ma tu nic do oglądania. Jeśli to Twój formularz, na stronie używa się go tak:",
  },

  errors: {
    invalid_parameter: "Nie można odczytać przesłanych danych.",
    empty_submission: "Formularz był pusty.",
    plan_restricted: "Ten formularz nie przyjmuje plików.",
    form_inactive: "Ten formularz nie przyjmuje teraz zgłoszeń.",
    origin_not_allowed: "Ten formularz nie przyjmuje zgłoszeń z tej strony.",
    not_found: "Pod tym adresem nic nie ma.",
    form_not_found: "Nie ma takiego formularza.",
    method_not_allowed: "Tego adresu nie używa się w ten sposób.",
    request_timeout: "Przesyłanie trwało zbyt długo.",
    idempotency_in_progress: "To samo zgłoszenie jest jeszcze przetwarzane. Spróbuj ponownie za chwilę.",
    payload_too_large: "Zgłoszenie jest większe, niż przyjmuje ten formularz.",
    too_many_files: "Zgłoszenie zawiera więcej plików, niż przyjmuje ten formularz.",
    unsupported_media_type: "Ten formularz nie przyjmuje danych w tym formacie.",
    file_type_not_allowed: "Pliki tego typu nie są przyjmowane.",
    idempotency_mismatch:
      "Ten formularz wysłano już z innymi odpowiedziami. Wyślij go ponownie, jeśli te też mają zostać wysłane.",
    validation_failed: "Niektóre odpowiedzi wymagają poprawy.",
    captcha_failed: "Captcha nie została rozwiązana. Spróbuj ponownie.",
    rate_limited: "Zbyt wiele zgłoszeń naraz. Odczekaj chwilę i spróbuj ponownie.",
    internal_error: "Coś poszło nie tak po naszej stronie.",
    unavailable: "Usługa jest chwilowo niedostępna. Spróbuj ponownie wkrótce.",
    unconfirmed:
      "Nie udało się potwierdzić, czy zgłoszenie zostało zapisane. Wyślij je ponownie; zostanie zapisane tylko raz.",
  },

  titles: {
    empty_submission: "Nie ma czego wysłać",
    invalid_parameter: "Nie można odczytać formularza",
    form_inactive: "Ten formularz jest zamknięty",
    origin_not_allowed: "Nie przyjęto z tej strony",
    plan_restricted: "Pliki nie są przyjmowane",
    not_found: "Tu nic nie ma",
    form_not_found: "Nie znaleziono formularza",
    method_not_allowed: "To tutaj nie działa",
    request_timeout: "Trwało to zbyt długo",
    idempotency_in_progress: "Chwileczkę",
    idempotency_mismatch: "Już wysłano",
    payload_too_large: "Za duże",
    too_many_files: "Zbyt wiele plików",
    unsupported_media_type: "Nieobsługiwany format",
    file_type_not_allowed: "Ten plik nie jest przyjmowany",
    validation_failed: "Sprawdź swoje odpowiedzi",
    captcha_failed: "Spróbuj ponownie",
    rate_limited: "Zbyt wiele zgłoszeń",
    unavailable: "Spróbuj ponownie",
    internal_error: "Coś poszło nie tak",
    other: "Nie udało się",
  },

  validation: {
    required: "Pole „{field}” jest wymagane.",
    pattern: "Pole „{field}” ma nieprawidłowy format.",
    email: "Pole „{field}” musi zawierać prawidłowy adres e-mail.",
    url: "Pole „{field}” musi zawierać prawidłowy adres strony.",
    number: "Pole „{field}” musi zawierać liczbę.",
    contains: "Pole „{field}” musi zawierać „{wanted}”.",
    not_contains: "Pole „{field}” nie może zawierać „{wanted}”.",
    equals: "Pole „{field}” nie ma oczekiwanej wartości.",
    one_of: "Pole „{field}” musi mieć jedną z wartości: {list}.",
    one_of_listed: "Pole „{field}” musi mieć jedną z podanych wartości.",
    min_length: {
      one: "Pole „{field}” musi mieć co najmniej {count} znak.",
      few: "Pole „{field}” musi mieć co najmniej {count} znaki.",
      many: "Pole „{field}” musi mieć co najmniej {count} znaków.",
      other: "Pole „{field}” musi mieć co najmniej {count} znaku.",
    },
    max_length: {
      one: "Pole „{field}” może mieć najwyżej {count} znak.",
      few: "Pole „{field}” może mieć najwyżej {count} znaki.",
      many: "Pole „{field}” może mieć najwyżej {count} znaków.",
      other: "Pole „{field}” może mieć najwyżej {count} znaku.",
    },
    min: "Wartość pola „{field}” musi wynosić co najmniej {wanted}.",
    max: "Wartość pola „{field}” może wynosić najwyżej {wanted}.",
    date: "Pole „{field}” musi zawierać prawidłową datę, na przykład 2026-12-31.",
    phone: "Pole „{field}” musi zawierać prawidłowy numer telefonu.",
    too_long: "Pole „{field}” jest zbyt długie, aby je sprawdzić.",
    comma: ", ",
    more: {
      one: "{message} (i jeszcze {count} błąd)",
      few: "{message} (i jeszcze {count} błędy)",
      many: "{message} (i jeszcze {count} błędów)",
      other: "{message} (i jeszcze {count} błędu)",
    },
  },

  files: {
    too_large: "Plik w polu „{field}” jest większy niż {size}.",
    too_large_together: "Z plikiem w polu „{field}” wszystkie pliki są razem większe niż {size}.",
    too_many: {
      one: "Plik w polu „{field}” jest nadmiarowy: przyjmowany jest najwyżej {count}.",
      few: "Plik w polu „{field}” jest nadmiarowy: przyjmowane są najwyżej {count}.",
      many: "Plik w polu „{field}” jest nadmiarowy: przyjmowanych jest najwyżej {count}.",
      other: "Plik w polu „{field}” jest nadmiarowy: przyjmowanych jest najwyżej {count}.",
    },
    type: "Plik w polu „{field}” jest typu, którego ten formularz nie przyjmuje.",
    virus: "Skaner antywirusowy odrzucił plik w polu „{field}”.",
    bytes: { one: "{count} bajt", few: "{count} bajty", many: "{count} bajtów", other: "{count} bajta" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

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

export default pl;
