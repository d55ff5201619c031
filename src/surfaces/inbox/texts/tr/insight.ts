import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Turkish texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Spam ayarlarını dene",
    panel: "Kayıtlı gönderilerde dene",
    help: "Burada yazanlar, kaydedilmiş olsun olmasın, en yeni gönderilerde denenir. Hiçbir şey değiştirilmez veya gönderilmez.",
    button: "Dene",
    frame: "Sonuç",
    idle: "“Dene” düğmesine basın; sonuç burada görünür.",
    stored: "Kayıtlı ayarların en yeni gönderilerdeki sonucu.",
    change: "Ayarları değiştirip dene",
    limit: "Gönderi sayısı",
    sum: {
      one: "{count} gönderi içinde spam sayılacaklar: {caught}.",
      other: "{count} gönderi içinde spam sayılacaklar: {caught}.",
    },
    same: "Hepsi olduğu yerde kalırdı.",
    empty: "Denenecek gönderi yok.",
    toSpam: {
      one: "Gelen kutusundaki {count} gönderi spam sayılırdı",
      other: "Gelen kutusundaki {count} gönderi spam sayılırdı",
    },
    toInbox: { one: "Spam’deki {count} gönderi geçerdi", other: "Spam’deki {count} gönderi geçerdi" },
    more: { one: "{count} gönderi daha gösterilmiyor.", other: "{count} gönderi daha gösterilmiyor." },
    byCheck: "Denetime göre spam",
    custom: "Kendi denetimleriniz",
    session: "Sayfa",
    notTried: "Bunlar kayıtlı olandan fazlasını gerektirir; bu yüzden kayıtlı sonuçları geçerlidir: {checks}.",
    off: "“{leaf}” kapalı olduğu için içerik denetlenmiyor.",
    keptBack: "Bu gelen kutusu bazı değerleri gizlediği için kayıtlı gönderilerde deneme yapılamaz.",
    without: "Bu denetim olmadan",
    withoutTitle: "“{check}” olmadan",
    withoutSum: {
      one: "Spam’deki son {count} gönderi içinde bu denetim olmasa geçecekler: {through}.",
      other: "Spam’deki son {count} gönderi içinde bu denetim olmasa geçecekler: {through}.",
    },
    back: "İstatistiklere dön",
    refused: {
      one: "{count} gönderi içinde reddedilecek olanlar: {refused}.",
      other: "{count} gönderi içinde reddedilecek olanlar: {refused}.",
    },
    noneRefused: {
      one: "{count} gönderi denendi; hiçbiri reddedilmezdi.",
      other: "{count} gönderi denendi; hiçbiri reddedilmezdi.",
    },
    hurried: "Daha fazlası için zaman yetmedi.",
    byRule: "Alana ve denetime göre reddedilenler",
    which: "Reddedilecek olanlar",
  },
  lint: {
    tab: "Kontrol",
    title: "{form} kontrolü",
    caption: "Ayarların beklediği gibi gelmeyen alanlar",
    help: {
      one: "Spam hariç en yeni {count} gönderiyle karşılaştırıldı.",
      other: "Spam hariç en yeni {count} gönderiyle karşılaştırıldı.",
    },
    nothing: "Şimdiye kadar bir şey gelmedi.",
    few: {
      one: "Şimdiye kadar yalnızca {count} gönderi geldi; bu, bir sonuca varmak için çok az.",
      other: "Şimdiye kadar yalnızca {count} gönderi geldi; bu, bir sonuca varmak için çok az.",
    },
    fine: "Her şey yolunda",
    fineHelp: "Ayarlarda adı geçen her alan gelmeye devam ediyor.",
    field: "Alan",
    found: "Bulgu",
    places: "Geçtiği yer",
    noPlace: "Hiçbir ayar",
    never: { one: "{count} gönderide hiç gelmedi", other: "{count} gönderide hiç gelmedi" },
    stopped: "Son geldiği zaman: {time}",
    renamed: "Son geldiği zaman: {time}; o sırada “{instead}” gelmeye başladı",
  },
  difference: {
    title: "Teslim edilenlerle karşılaştırma",
    same: {
      one: "Teslim edilen son {count} gönderiyle aynı alanları içeriyor.",
      other: "Teslim edilen son {count} gönderiyle aynı alanları içeriyor.",
    },
    other: {
      one: "Teslim edilen son {count} gönderiyle karşılaştırıldığında:",
      other: "Teslim edilen son {count} gönderiyle karşılaştırıldığında:",
    },
    missing: "“{field}” burada eksik.",
    added: "“{field}” burada yeni.",
  },
  quiet: {
    badge: { one: "{count} gündür sessiz", other: "{count} gündür sessiz" },
    banner: {
      one: "{count} gündür hiçbir şey gelmedi. Genelde günde {usual} gönderi gelir. Hâlâ çalışıp çalışmadığını görmek için formu sayfasından bir kez gönderin.",
      other:
        "{count} gündür hiçbir şey gelmedi. Genelde günde {usual} gönderi gelir. Hâlâ çalışıp çalışmadığını görmek için formu sayfasından bir kez gönderin.",
    },
    check: "Adresi kontrol et",
  },
};

export default insight;
