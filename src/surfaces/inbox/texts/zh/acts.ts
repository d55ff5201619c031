import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Chinese texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: { other: "要删除 {count} 条提交吗？" },
    deleteHelp: "这些提交会连同文件一起删除，且无法恢复。尚在等待的发送将被取消。",
    doTitle: { other: "{action}：{count} 条提交" },
    doHelp: "包括列表所有页面上的全部匹配提交。",
    atLeast: "统计用时过长：实际数量不少于此数。",
    type: "请输入 {number} 以确认",
    typeWrong: "请输入数字 {number} 以确认。",
    confirm: "确认",
    cancel: "取消",
    going: { other: "目前已处理 {count} 条提交" },
    goingHelp: "还有更多提交。此页面会自动继续；如果没有 JavaScript，请点击“继续”。",
    continue: "继续",
    none: "已没有匹配的提交。",
  },
  done: {
    mark_read: { other: "已将 {count} 条标为已读" },
    mark_unread: { other: "已将 {count} 条标为未读" },
    mark_spam: { other: "已将 {count} 条移至垃圾信息" },
    mark_not_spam: { other: "已将 {count} 条移至收件箱" },
    deliver: { other: "已将 {count} 条移至收件箱，正在补发错过的内容" },
    delete: { other: "已删除 {count} 条" },
    select: "请先选择至少一条提交。",
    nothing: "没有需要更改的内容。",
    shortcutsOff: "此浏览器已关闭键盘快捷键。",
    shortcutsOn: "此浏览器已开启键盘快捷键。",
  },
};

export default acts;
