import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Turkish texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "URL {count} karakterden uzun.",
    urlControl: "URL bir denetim karakteri içeriyor.",
    urlScheme: "URL https:// ile başlamalıdır.",
    urlSchemes: "URL https:// ya da http:// ile başlamalıdır.",
    urlPlain: "URL https:// ile başlamalıdır. Şifrelenmemiş http’ye yalnızca bu hizmeti işletenler izin verebilir.",
    urlUser: "URL kullanıcı adı ya da parola içermemelidir.",
    urlFragment: "URL # içermemelidir.",
    urlPort: "URL’nin portu 80, 443 ya da en az 1024 olmalıdır.",
    urlHost: "URL’de sunucu adı yok.",
    urlName: "URL’deki sunucu adı geçerli bir ad değil.",
    urlPrivate:
      "URL özel ya da ayrılmış bir adrese gidiyor. Özel ağlara yalnızca bu hizmeti işletenler izin verebilir.",
    urlMasked: "URL maskelenmiş. Tamamını girin ya da kayıtlı olanı korumak için olduğu gibi bırakın.",
    urlService: "Bu bir {service} URL’si değil. Şöyle görünmelidir: {example}",
    urlOther: "Webhook’un adresi bir {service} URL’si değil. Böyle bir URL de girin: {example}",
    urlShown: "“{format}” biçiminde URL görünür. Bu yüzden biçimi değiştirmek için URL’nin tamamını girin.",
    rotated: "Gizli anahtar 24 saat içinde iki kez yenilendi. En eskisinin süresi dolana kadar bekleyin.",
    noWebhooks: "Ekibin planı webhook içermiyor.",
    planWebhooks: "Ekibin planında form başına webhook sayısı: {count}. Daha fazlası dahil değil.",
    planForms: "Ekibin planındaki form sayısı: {count}. Daha fazlası dahil değil.",
    planRecipients: "Ekibin planında form başına alıcı sayısı: {count}. Daha fazlası dahil değil.",
    serverPrivate: "Bu, özel ya da ayrılmış bir adres.",
    serverResolved: "Bu sunucunun adresi özel ya da ayrılmış.",
    serverLogin: "Sunucu parolayı ya da kullanıcı adını reddediyor: {detail}",
    serverUnreachable: "Sunucuya bu porttan ulaşılamıyor: {detail}",
    serverSilent: "Sunucu bu portta yanıt vermiyor: {detail}",
    serverTls: "Bu seçim sunucuya uymuyor ya da sunucunun sertifikası geçersiz: {detail}",
    serverNoMail: "Sunucu e-posta kabul etmiyor: {detail}",
    serverBoth: "Oturum açmak için hem kullanıcı adı hem parola gerekir.",
    serverMoved: "Sunucu adresini değiştirirseniz parolayı yeniden girin.",
    alias: "1 ile 254 karakter arasında olmalıdır: harfler, rakamlar ve . _ @ + -",
    captchaSecret: "Captcha kullanılıyorsa zorunludur.",
    captchaKind:
      "Bu bir reCAPTCHA, hCaptcha, Turnstile ya da ALTCHA gizli anahtarı değil. Site anahtarını değil, gizli anahtarı kopyalayın.",
    senderDomains: "Adres şu alan adlarından birinde olmalıdır: {domains}",
    senderEmpty: "Boş kalmalıdır: bu hizmet yalnızca kendi adresiyle gönderir.",
    senderServer: "Adres şu alan adlarından birinde olmalı ya da ekibin bir e-posta sunucusu seçilmelidir: {domains}",
    senderOnly: "Özel bir adres için ekibin bir e-posta sunucusu gerekir. Birini seçin ya da alanı boş bırakın.",
    againLimit: "Bir adrese saatte en fazla {count} e-posta yeniden gönderilebilir.",
    monthFull: "Planın bu ayki hakkı doldu ve bu gönderi sınırı aşıyor. Gelecek ay yeniden gönderin.",
    longAgo: "En fazla 14 gün öncesi olabilir.",
  },
};

export default texts;
