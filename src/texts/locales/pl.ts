import { mails } from "./_pl-mails.ts";
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

  ...mails,
};

export default pl;
