import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Turkish texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: { one: "{count} gönderi silinsin mi?", other: "{count} gönderi silinsin mi?" },
    deleteHelp: "Dosyalarıyla birlikte silinir ve geri getirilemezler. Hâlâ bekleyen teslimatlar atlanır.",
    doTitle: { one: "{action}: {count} gönderi", other: "{action}: {count} gönderi" },
    doHelp: "Bunlar, listenin tüm sayfalarındaki eşleşen gönderilerin hepsidir.",
    atLeast: "Sayma çok uzun sürdü: en az bu kadar var.",
    type: "Onaylamak için {number} yazın",
    typeWrong: "Onaylamak için {number} sayısını yazın.",
    confirm: "Onayla",
    cancel: "Vazgeç",
    going: {
      one: "Şimdiye kadar {count} gönderi tamamlandı",
      other: "Şimdiye kadar {count} gönderi tamamlandı",
    },
    goingHelp: "Daha fazlası var. Bu sayfa kendiliğinden devam eder; JavaScript yoksa “Devam et” düğmesine basın.",
    continue: "Devam et",
    none: "Artık eşleşen gönderi yok.",
  },
  done: {
    mark_read: {
      one: "{count} gönderi okundu olarak işaretlendi",
      other: "{count} gönderi okundu olarak işaretlendi",
    },
    mark_unread: {
      one: "{count} gönderi okunmadı olarak işaretlendi",
      other: "{count} gönderi okunmadı olarak işaretlendi",
    },
    mark_spam: { one: "{count} gönderi spam’e taşındı", other: "{count} gönderi spam’e taşındı" },
    mark_not_spam: {
      one: "{count} gönderi gelen kutusuna taşındı",
      other: "{count} gönderi gelen kutusuna taşındı",
    },
    deliver: {
      one: "{count} gönderi gelen kutusuna taşındı, kaçırılanlar gönderiliyor",
      other: "{count} gönderi gelen kutusuna taşındı, kaçırılanlar gönderiliyor",
    },
    delete: { one: "{count} gönderi silindi", other: "{count} gönderi silindi" },
    select: "Önce en az bir gönderi seçin.",
    nothing: "Değiştirilecek bir şey yoktu.",
    shortcutsOff: "Klavye kısayolları bu tarayıcıda kapalı.",
    shortcutsOn: "Klavye kısayolları bu tarayıcıda açık.",
  },
};

export default acts;
