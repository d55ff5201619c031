import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Hebrew texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: { one: "למחוק פנייה אחת?", two: "למחוק שתי פניות?", other: "למחוק {count} פניות?" },
    deleteHelp: "הן יימחקו יחד עם הקבצים שלהן, ולא ניתן לשחזר אותן. משלוחים שעדיין ממתינים יבוטלו.",
    doTitle: { one: "{action}: פנייה אחת", two: "{action}: שתי פניות", other: "{action}: {count} פניות" },
    doHelp: "אלה כל הפניות המתאימות, בכל עמודי הרשימה.",
    atLeast: "הספירה נמשכה זמן רב מדי: המספר האמיתי עשוי להיות גבוה יותר.",
    type: "לאישור, הקלידו {number}",
    typeWrong: "לאישור יש להקליד את המספר {number}.",
    confirm: "אישור",
    cancel: "ביטול",
    going: { one: "עד כה טופלה פנייה אחת", two: "עד כה טופלו שתי פניות", other: "עד כה טופלו {count} פניות" },
    goingHelp: "יש עוד. הדף ממשיך מעצמו; בלי JavaScript, לחצו על ”המשך”.",
    continue: "המשך",
    none: "אין עוד פניות מתאימות.",
  },
  done: {
    mark_read: { one: "פנייה אחת סומנה כנקראה", two: "שתי פניות סומנו כנקראו", other: "{count} פניות סומנו כנקראו" },
    mark_unread: {
      one: "פנייה אחת סומנה כלא נקראה",
      two: "שתי פניות סומנו כלא נקראו",
      other: "{count} פניות סומנו כלא נקראו",
    },
    mark_spam: { one: "פנייה אחת הועברה לספאם", two: "שתי פניות הועברו לספאם", other: "{count} פניות הועברו לספאם" },
    mark_not_spam: {
      one: "פנייה אחת הועברה לתיבת הפניות",
      two: "שתי פניות הועברו לתיבת הפניות",
      other: "{count} פניות הועברו לתיבת הפניות",
    },
    deliver: {
      one: "פנייה אחת הועברה לתיבת הפניות, ומה שהוחמץ נשלח כעת",
      two: "שתי פניות הועברו לתיבת הפניות, ומה שהוחמץ נשלח כעת",
      other: "{count} פניות הועברו לתיבת הפניות, ומה שהוחמץ נשלח כעת",
    },
    delete: { one: "פנייה אחת נמחקה", two: "שתי פניות נמחקו", other: "{count} פניות נמחקו" },
    select: "בחרו תחילה פנייה אחת לפחות.",
    nothing: "לא היה מה לשנות.",
    shortcutsOff: "קיצורי המקלדת כבויים בדפדפן הזה.",
    shortcutsOn: "קיצורי המקלדת פעילים בדפדפן הזה.",
  },
};

export default acts;
