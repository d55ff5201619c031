import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Polish texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "Adres jest za długi. Największa liczba znaków: {count}.",
    urlControl: "Adres zawiera znak sterujący.",
    urlScheme: "Adres musi zaczynać się od https://.",
    urlSchemes: "Adres musi zaczynać się od https:// lub http://.",
    urlPlain: "Adres musi zaczynać się od https://. Na nieszyfrowane http może zezwolić tylko operator tej usługi.",
    urlUser: "Adres nie może zawierać nazwy użytkownika ani hasła.",
    urlFragment: "Adres nie może zawierać znaku #.",
    urlPort: "Port w adresie musi być równy 80, 443 albo co najmniej 1024.",
    urlHost: "W adresie brakuje hosta.",
    urlName: "Host w adresie nie jest prawidłową nazwą.",
    urlPrivate:
      "Adres prowadzi do sieci prywatnej lub zarezerwowanej. Na własne sieci może zezwolić tylko operator tej usługi.",
    urlMasked: "Adres jest zamaskowany. Podaj cały adres albo nie zmieniaj go, aby zachować zapisany.",
    urlService: "To nie jest adres usługi {service}. Taki adres wygląda tak: {example}",
    urlOther: "Adres webhooka nie jest adresem usługi {service}. Podaj też taki adres: {example}",
    urlShown: "W formacie „{format}” adres jest widoczny. Aby zmienić format, podaj cały adres.",
    rotated: "Sekret odnowiono już dwa razy w ciągu 24 godzin. Poczekaj, aż najstarszy wygaśnie.",
    noWebhooks: "Plan zespołu nie obejmuje webhooków.",
    planWebhooks: "Liczba webhooków formularza w planie zespołu: {count}. Plan nie obejmuje ich więcej.",
    planForms: "Liczba formularzy w planie zespołu: {count}. Plan nie obejmuje ich więcej.",
    planRecipients: "Liczba odbiorców formularza w planie zespołu: {count}. Plan nie obejmuje ich więcej.",
    serverPrivate: "To adres prywatny lub zarezerwowany.",
    serverResolved: "Ten host ma adres prywatny lub zarezerwowany.",
    serverLogin: "Serwer odrzuca hasło lub nazwę użytkownika. Jego odpowiedź: {detail}",
    serverUnreachable: "Serwer jest nieosiągalny na tym porcie: {detail}",
    serverSilent: "Serwer nie odpowiada na tym porcie: {detail}",
    serverTls: "To nie pasuje do serwera albo jego certyfikat jest nieprawidłowy: {detail}",
    serverNoMail: "Serwer nie przyjmuje poczty: {detail}",
    serverBoth: "Do logowania potrzebne są nazwa użytkownika i hasło.",
    serverMoved: "Jeśli zmieniasz host, podaj hasło jeszcze raz.",
    alias: "Musi mieć od 1 do 254 znaków: litery, cyfry i . _ @ + -",
    captchaSecret: "Przy captchy to pole jest wymagane.",
    captchaKind:
      "To nie jest tajny klucz reCAPTCHA, hCaptcha, Turnstile ani ALTCHA. Skopiuj klucz tajny, a nie klucz witryny.",
    senderDomains: "Adres musi należeć do jednej z domen: {domains}",
    senderEmpty: "Musi pozostać puste: ta usługa wysyła tylko z własnego adresu.",
    senderServer: "Wybierz serwer poczty zespołu albo podaj adres w jednej z domen: {domains}",
    senderOnly: "Własny adres wymaga serwera poczty zespołu. Wybierz serwer albo zostaw to pole puste.",
    againLimit: "Najwięcej e-maili, które można ponownie wysłać na jeden adres w ciągu godziny: {count}.",
    monthFull: "Limit planu na ten miesiąc jest wyczerpany. Wyślij to zgłoszenie ponownie w przyszłym miesiącu.",
    longAgo: "Najwyżej 14 dni wstecz.",
  },
};

export default texts;
