import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Japanese texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "迷惑送信の設定を試す",
    panel: "保存済みの送信で試す",
    help: "ここに入力した内容を、保存前でも最新の送信で試せます。変更も送信も行われません。",
    button: "試す",
    frame: "結果",
    idle: "「試す」を押すと、ここに結果が表示されます。",
    stored: "保存済みの設定を、最新の送信で試した結果です。",
    change: "設定を変えて試す",
    limit: "送信の件数",
    sum: { other: "送信 {count} 件のうち {caught} 件が迷惑送信と判定されます。" },
    same: "すべて今の場所に残ります。",
    empty: "試せる送信がありません。",
    toSpam: { other: "受信トレイの {count} 件が迷惑送信になります" },
    toInbox: { other: "迷惑送信の {count} 件が受信トレイに届きます" },
    more: { other: "ほかに {count} 件あります (非表示)。" },
    byCheck: "チェック別の迷惑送信",
    custom: "独自のチェック",
    session: "ページ",
    notTried: "次のチェックは保存済みの情報だけでは試せないため、保存されている結果を使います: {checks}。",
    off: "「{leaf}」がオフのため、内容はチェックされません。",
    keptBack: "この受信トレイでは一部の値が非公開のため、保存済みの送信では試せません。",
    without: "このチェックなし",
    withoutTitle: "「{check}」なしの場合",
    withoutSum: {
      other: "最新の迷惑送信 {count} 件のうち、このチェックがなければ {through} 件が受信トレイに届いていました。",
    },
    back: "統計に戻る",
    refused: { other: "送信 {count} 件のうち {refused} 件が拒否されていました。" },
    noneRefused: { other: "送信 {count} 件のうち、拒否されるものはありませんでした。" },
    hurried: "時間の都合で、これより多くは確認できませんでした。",
    byRule: "フィールドとチェック別の拒否",
    which: "拒否されていた送信",
  },
  lint: {
    tab: "診断",
    title: "{form} の診断",
    caption: "設定どおりに届いていないフィールド",
    help: { other: "最新の送信 {count} 件と比較しました (迷惑送信を除く)。" },
    nothing: "まだ何も届いていません。",
    few: { other: "まだ {count} 件しか届いていないため、判断できません。" },
    fine: "問題ありません",
    fineHelp: "設定で使われているフィールドは、すべて届いています。",
    field: "フィールド",
    found: "結果",
    places: "使われている設定",
    noPlace: "なし",
    never: { other: "送信 {count} 件で一度も届いていません" },
    stopped: "最後に届いたのは {time} です",
    renamed: "最後に届いたのは {time} で、代わりに「{instead}」が届き始めました",
  },
  difference: {
    title: "配信済みの送信との比較",
    same: { other: "フィールドは、直近に配信された {count} 件と同じです。" },
    other: { other: "直近に配信された {count} 件との比較:" },
    missing: "「{field}」がありません。",
    added: "「{field}」が新しく加わりました。",
  },
  quiet: {
    badge: { other: "{count} 日間送信なし" },
    banner: {
      other:
        "{count} 日間、何も届いていません。ふだんは 1 日に {usual} 件です。ページからフォームを一度送信して、まだ動作しているか確認してください。",
    },
    check: "アドレスを確認",
  },
};

export default insight;
