import type { Locale } from "./_types.ts";

/** Turkish. */
const tr: Locale = {
  tag: "tr",
  dir: "ltr",

  defaults: {
    headline: "Teşekkürler!",
    message: "Gönderiniz bize ulaştı.",
    return: "Geri dön",
    owner_subject: "Yeni gönderi: {form}",
    reply_subject: "Mesajınız için teşekkürler",
    reply_message: "Teşekkürler. Mesajınızı aldık, size dönüş yapacağız.",
    opt_in_subject: "Lütfen e-posta adresinizi onaylayın",
    opt_in_message: "Lütfen “{form}” formunu gönderdiğinizi ve bu e-posta adresinin size ait olduğunu onaylayın.",
  },

  page: {
    back: "Geri dön",
    back_by_browser: "Forma dönmek için tarayıcınızın geri düğmesini kullanın.",
    send_again: "Yeniden gönder",
    choose_again: {
      one: "Lütfen dosyayı yeniden seçin.",
      other: "Lütfen dosyaları yeniden seçin.",
    },
    value_again: "Lütfen bunu yeniden girin.",
    choose: "Lütfen seçin",
    incomplete: "Formun tamamı ulaşmadı. Yeniden göndermeden önce lütfen kontrol edin.",
    not_taken: "Hiçbir şey gönderilmedi: hizmet şu anda hazır değil. Lütfen birkaç saniye sonra yeniden deneyin.",
    download: "İndir",
    endpoint_title: "Bu adres bir formu alır",
    endpoint_text:
      "Bir web sitesindeki formun gönderdikleri buraya gelir; burada görülecek bir şey yok. Form sizinse, bir sayfada şöyle kullanılır:",
  },

  errors: {
    invalid_parameter: "Gönderilen veriler okunamıyor.",
    empty_submission: "Form boştu.",
    plan_restricted: "Bu form dosya kabul etmiyor.",
    form_inactive: "Bu form şu anda gönderi kabul etmiyor.",
    origin_not_allowed: "Bu form bu web sitesinden gönderi kabul etmiyor.",
    not_found: "Bu adreste bir şey yok.",
    form_not_found: "Böyle bir form yok.",
    method_not_allowed: "Bu adres bu şekilde kullanılmıyor.",
    request_timeout: "Gönderme çok uzun sürdü.",
    idempotency_in_progress: "Aynı gönderi hâlâ işleniyor. Birazdan yeniden deneyin.",
    payload_too_large: "Gönderi, bu formun kabul ettiğinden büyük.",
    too_many_files: "Gönderide bu formun kabul ettiğinden fazla dosya var.",
    unsupported_media_type: "Bu form bu biçimdeki verileri kabul etmiyor.",
    file_type_not_allowed: "Bu türdeki dosyalar kabul edilmiyor.",
    idempotency_mismatch:
      "Bu form daha önce başka yanıtlarla gönderildi. Bunların da gönderilmesini istiyorsanız yeniden gönderin.",
    validation_failed: "Bazı yanıtların düzeltilmesi gerekiyor.",
    captcha_failed: "Captcha çözülmedi. Lütfen yeniden deneyin.",
    rate_limited: "Bir anda çok fazla gönderi yapıldı. Biraz bekleyip yeniden deneyin.",
    internal_error: "Bizim tarafımızda bir sorun oluştu.",
    unavailable: "Hizmet şu anda kullanılamıyor. Kısa süre sonra yeniden deneyin.",
    unconfirmed: "Gönderinizin kaydedilip kaydedilmediği doğrulanamadı. Yeniden gönderin; yalnızca bir kez kaydedilir.",
  },

  titles: {
    empty_submission: "Gönderilecek bir şey yok",
    invalid_parameter: "Form okunamadı",
    form_inactive: "Bu form kapalı",
    origin_not_allowed: "Bu web sitesinden kabul edilmiyor",
    plan_restricted: "Dosya kabul edilmiyor",
    not_found: "Burada bir şey yok",
    form_not_found: "Form bulunamadı",
    method_not_allowed: "Bu burada çalışmıyor",
    request_timeout: "Çok uzun sürdü",
    idempotency_in_progress: "Lütfen biraz bekleyin",
    idempotency_mismatch: "Zaten gönderildi",
    payload_too_large: "Çok büyük",
    too_many_files: "Çok fazla dosya",
    unsupported_media_type: "Desteklenmiyor",
    file_type_not_allowed: "Bu dosya kabul edilmiyor",
    validation_failed: "Lütfen yanıtlarınızı kontrol edin",
    captcha_failed: "Lütfen yeniden deneyin",
    rate_limited: "Çok fazla gönderi",
    unavailable: "Lütfen yeniden deneyin",
    internal_error: "Bir sorun oluştu",
    other: "Bu işe yaramadı",
  },

  validation: {
    required: "“{field}” alanı zorunludur.",
    pattern: "“{field}” alanının biçimi geçersiz.",
    email: "“{field}” alanı geçerli bir e-posta adresi olmalıdır.",
    url: "“{field}” alanı geçerli bir web adresi olmalıdır.",
    number: "“{field}” alanı bir sayı olmalıdır.",
    contains: "“{field}” alanı “{wanted}” içermelidir.",
    not_contains: "“{field}” alanı “{wanted}” içermemelidir.",
    equals: "“{field}” alanı beklenen değerde değil.",
    one_of: "“{field}” alanı şu değerlerden biri olmalıdır: {list}.",
    one_of_listed: "“{field}” alanı listedeki değerlerden biri olmalıdır.",
    min_length: {
      one: "“{field}” alanı en az {count} karakter olmalıdır.",
      other: "“{field}” alanı en az {count} karakter olmalıdır.",
    },
    max_length: {
      one: "“{field}” alanı en fazla {count} karakter olmalıdır.",
      other: "“{field}” alanı en fazla {count} karakter olmalıdır.",
    },
    min: "“{field}” alanı en az {wanted} olmalıdır.",
    max: "“{field}” alanı en fazla {wanted} olmalıdır.",
    date: "“{field}” alanı geçerli bir tarih olmalıdır, örneğin 2026-12-31.",
    phone: "“{field}” alanı geçerli bir telefon numarası olmalıdır.",
    too_long: "“{field}” alanı bu denetim için çok uzun.",
    comma: ", ",
    more: { one: "{message} (ve {count} hata daha)", other: "{message} (ve {count} hata daha)" },
  },

  files: {
    too_large: "“{field}” alanındaki dosya {size} sınırını aşıyor.",
    too_large_together: "“{field}” alanındaki dosyayla birlikte tüm dosyalar {size} sınırını aşıyor.",
    too_many: {
      one: "“{field}” alanındaki dosya fazla: en çok {count} dosya kabul ediliyor.",
      other: "“{field}” alanındaki dosya fazla: en çok {count} dosya kabul ediliyor.",
    },
    type: "“{field}” alanındaki dosyanın türünü bu form kabul etmiyor.",
    virus: "Virüs tarayıcısı “{field}” alanındaki dosyayı reddetti.",
    bytes: { one: "{count} bayt", other: "{count} bayt" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Bu bağlantının süresi doldu",
    old_text: "Hiçbir şey değişmedi. Formun bir sonraki gönderisinde yeni bağlantı içeren yeni bir e-posta gelecek.",
    ask_title: "Gönderiler için e-posta alınsın mı?",
    ask_text: "{address} adresine formun her gönderisi için bir e-posta gelecek.",
    confirm: "Onayla",
    done_title: "Onaylandı",
    done_text: "Gönderilerle ilgili e-postalar artık {address} adresine geliyor.",
    invalid_title: "Bu bağlantı geçersiz",
    invalid_text: "Eksik ya da değiştirilmiş. E-postadan yeniden açın.",
    mail_subject: "Bir formun gönderileri için e-posta almak ister misiniz?",
    mail_asked:
      "{team}, {brand} hizmetinde bir formun her gönderisinden haberdar edilecek adres olarak {address} adresini girdi.",
    mail_somebody:
      "Birisi, {brand} hizmetinde bir formun her gönderisinden haberdar edilecek adres olarak {address} adresini girdi.",
    mail_how: {
      one: "Bu e-postaları almak için {count} gün içinde bu bağlantıyı açıp onaylayın:",
      other: "Bu e-postaları almak için {count} gün içinde bu bağlantıyı açıp onaylayın:",
    },
    mail_link: "Bu adresi onayla",
    mail_footer: "Bunun ne olduğunu bilmiyorsanız bir şey yapmayın: onayınız olmadan bu e-postalar gönderilmez.",
  },

  opt_in: {
    thanks: "Lütfen size gönderdiğimiz e-postayı açıp onaylayın. O zamana kadar gönderiniz bekler.",
    mail_how: {
      one: "Onaylamak için {count} gün içinde bu bağlantıyı açıp düğmeye basın:",
      other: "Onaylamak için {count} gün içinde bu bağlantıyı açıp düğmeye basın:",
    },
    mail_footer:
      "Gönderen siz değilseniz adresinizi başka biri girmiştir. Bu durumda bir şey yapmayın: gönderilenler silinir.",
    done: "Teşekkürler. Gönderiniz onaylandı.",
    late: "Kimse zamanında onaylamadığı için gönderilenler silindi. Formu yeniden doldurabilirsiniz.",
  },

  notification: {
    kicker: "Yeni gönderi",
    title: "Yeni gönderi: {form}",
    spam: "Bu gönderi spam olarak algılandı.",
    files: "Dosyalar",
    links_until: "Bağlantılar {date} tarihine kadar çalışır.",
    shortened: "… (burada kısaltıldı; tamamı bu e-postanın düz metin bölümünde)",
    more_fields: {
      one: "{count} alan daha var: bu e-postanın düz metin bölümüne bakın.",
      other: "{count} alan daha var: bu e-postanın düz metin bölümüne bakın.",
    },
    sent_from: "“{form}” formuyla gönderildi: {time}.",
    reply_to: "{address} adresine yazmak için bu e-postayı yanıtlayın.",
  },

  reply: {
    title: "{name} için mesajınız",
    automatic: "Bu, “{form}” formuyla gönderilen bir mesaja otomatik yanıttır ({time}).",
    not_you: "Gönderen siz değilseniz adresinizi başka biri girmiştir; bir şey yapmanız gerekmez.",
  },

  summary: {
    subject: { one: "{count} yeni gönderi", other: "{count} yeni gönderi" },
    why: "Bir saat içinde bu adrese gönderilerle ilgili 60’tan fazla e-posta gidecekti. Fazlası burada, saatte bir e-postada toplanıyor.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "“{form}” formundan {count} gönderi daha buraya sığmadı; diğerleriyle birlikte kayıtlı.",
      other: "“{form}” formundan {count} gönderi daha buraya sığmadı; diğerleriyle birlikte kayıtlı.",
    },
    more: {
      one: "{count} tane daha var: düz metin bölümüne bakın.",
      other: "{count} tane daha var: düz metin bölümüne bakın.",
    },
    footer: "Adresiniz bu formların alıcıları arasında olduğu için bu e-postayı alıyorsunuz.",
  },

  webhook: {
    off_subject: "“{form}” formunun webhook’u kapatıldı",
    failing_subject: "“{form}” formunun webhook’u sürekli başarısız oluyor",
    gone: "{host} 410 Gone yanıtını verdi; yani artık bir şey almak istemiyor.",
    deleted: "{host} {status} yanıtını verdi; yani webhook orada silinmiş.",
    failing: "{host} için yapılan her teslim şu zamandan beri başarısız: {time}. Son deneme {end} ile bitti.",
    its_address: "adresi",
    off_text:
      "Webhook kapatıldı ve yeniden açılana kadar ona bir şey gönderilmeyecek. Gönderiler kaydedilmeye devam ediyor; teslim edilmeyenler o zaman yeniden teslim edilebilir.",
    failing_text:
      "Her teslim 72 saat boyunca denenir. 5 gün boyunca hiçbiri başarılı olmazsa webhook kapatılır. Gönderiler kaydedilmeye devam ediyor.",
    why: "“{form}” formu ekibinize ait olduğu için bu e-postayı alıyorsunuz.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Formlarınız bu ayın gönderi hakkını doldurdu",
    text: {
      one: "“{plan}” planınız ayda {count} gönderi içeriyor ve {month} (UTC) için bu sayıya ulaşıldı. Spam sayılmaz.",
      other: "“{plan}” planınız ayda {count} gönderi içeriyor ve {month} (UTC) için bu sayıya ulaşıldı. Spam sayılmaz.",
    },
    meaning:
      "Bu ayın sonraki gönderileri yine kaydedilir, ama e-posta, otomatik yanıt ve webhook gönderilmez. Daha büyük bir planla ya da gelecek aydan itibaren her şey yeniden gönderilir.",
    footer: "{team} ekibi size ait olduğu için bu e-postayı ayda en fazla bir kez alırsınız.",
  },

  test: {
    subject: "[Deneme] {subject}",
    note: "Bu bir deneme e-postasıdır. İçeriği uydurmadır; kimse bir şey göndermedi.",
    message: "Bu bir denemedir. Formunuzun bir gönderisinin nasıl ulaştığını gösterir.",
  },
};

export default tr;
