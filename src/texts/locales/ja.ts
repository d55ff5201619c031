import type { Locale } from "./_types.ts";

/** Japanese. */
const ja: Locale = {
  tag: "ja",
  dir: "ltr",

  defaults: {
    headline: "ありがとうございます",
    message: "送信内容を受け付けました。",
    return: "戻る",
    owner_subject: "新しい送信: {form}",
    reply_subject: "お問い合わせありがとうございます",
    reply_message: "ありがとうございます。メッセージを受け取りました。追ってご連絡いたします。",
    opt_in_subject: "メールアドレスの確認をお願いします",
    opt_in_message:
      "フォーム「{form}」を送信したこと、およびこのメールアドレスがご自身のものであることをご確認ください。",
  },

  page: {
    back: "戻る",
    back_by_browser: "フォームに戻るには、ブラウザーの「戻る」ボタンを使ってください。",
    send_again: "もう一度送信",
    choose_again: { other: "ファイルをもう一度選択してください。" },
    value_again: "もう一度入力してください。",
    choose: "選択してください",
    incomplete: "フォームの一部が届いていません。もう一度送信する前に内容をご確認ください。",
    not_taken: "まだ送信されていません。サービスの準備ができていないため、数秒後にもう一度お試しください。",
    download: "ダウンロード",
    endpoint_title: "フォームの受付アドレスです",
    endpoint_text:
      "ウェブサイトのフォームから送信された内容を受け取るアドレスで、表示するものはありません。ご自分のフォームの場合は、ページで次のように使います。",
  },

  errors: {
    invalid_parameter: "送信された内容を読み取れません。",
    empty_submission: "フォームに何も入力されていません。",
    plan_restricted: "このフォームではファイルを受け付けていません。",
    form_inactive: "このフォームは現在、受け付けを停止しています。",
    origin_not_allowed: "このフォームは、このウェブサイトからの送信を受け付けていません。",
    not_found: "このアドレスには何もありません。",
    form_not_found: "このフォームは存在しません。",
    method_not_allowed: "このアドレスはこの方法では利用できません。",
    request_timeout: "送信に時間がかかりすぎました。",
    idempotency_in_progress: "同じ送信を処理しています。しばらくしてからもう一度お試しください。",
    payload_too_large: "送信内容が、このフォームで受け付けられる大きさを超えています。",
    too_many_files: "ファイルの数が、このフォームで受け付けられる数を超えています。",
    unsupported_media_type: "このフォームは、この形式での送信を受け付けていません。",
    file_type_not_allowed: "この種類のファイルは受け付けていません。",
    idempotency_mismatch:
      "このフォームは、別の内容ですでに送信されています。今回の内容も送信する場合は、もう一度送信してください。",
    validation_failed: "入力内容に確認が必要な箇所があります。",
    captcha_failed: "CAPTCHA が完了していません。もう一度お試しください。",
    rate_limited: "送信が集中しています。少し待ってから、もう一度お試しください。",
    internal_error: "サーバー側で問題が発生しました。",
    unavailable: "現在サービスを利用できません。しばらくしてからもう一度お試しください。",
    unconfirmed:
      "送信内容が保存されたかどうかを確認できませんでした。もう一度送信してください。重複して保存されることはありません。",
  },

  titles: {
    empty_submission: "送信する内容がありません",
    invalid_parameter: "フォームを読み取れませんでした",
    form_inactive: "このフォームは受け付けを停止しています",
    origin_not_allowed: "このウェブサイトからは受け付けていません",
    plan_restricted: "ファイルは受け付けていません",
    not_found: "ここには何もありません",
    form_not_found: "フォームが見つかりません",
    method_not_allowed: "この方法では利用できません",
    request_timeout: "時間がかかりすぎました",
    idempotency_in_progress: "少しお待ちください",
    idempotency_mismatch: "すでに送信されています",
    payload_too_large: "サイズが大きすぎます",
    too_many_files: "ファイルが多すぎます",
    unsupported_media_type: "対応していない形式です",
    file_type_not_allowed: "このファイルは受け付けられません",
    validation_failed: "入力内容をご確認ください",
    captcha_failed: "もう一度お試しください",
    rate_limited: "送信回数が多すぎます",
    unavailable: "もう一度お試しください",
    internal_error: "問題が発生しました",
    other: "送信できませんでした",
  },

  validation: {
    required: "「{field}」は必須です。",
    pattern: "「{field}」の形式が正しくありません。",
    email: "「{field}」には有効なメールアドレスを入力してください。",
    url: "「{field}」には有効な URL を入力してください。",
    number: "「{field}」には数値を入力してください。",
    contains: "「{field}」には「{wanted}」を含めてください。",
    not_contains: "「{field}」に「{wanted}」を含めることはできません。",
    equals: "「{field}」の値が正しくありません。",
    one_of: "「{field}」には次のいずれかを指定してください: {list}。",
    one_of_listed: "「{field}」には選択肢のいずれかを指定してください。",
    min_length: { other: "「{field}」は {count} 文字以上で入力してください。" },
    max_length: { other: "「{field}」は {count} 文字以内で入力してください。" },
    min: "「{field}」には {wanted} 以上の値を入力してください。",
    max: "「{field}」には {wanted} 以下の値を入力してください。",
    date: "「{field}」には有効な日付を入力してください (例: 2026-12-31)。",
    phone: "「{field}」には有効な電話番号を入力してください。",
    too_long: "「{field}」は長すぎるため確認できません。",
    comma: "、",
    more: { other: "{message} (ほか {count} 件)" },
  },

  files: {
    too_large: "「{field}」のファイルは {size} を超えています。",
    too_large_together: "「{field}」のファイルを含めると、合計で {size} を超えます。",
    too_many: { other: "「{field}」のファイルは受け付けられません。送信できるファイルは {count} 個までです。" },
    type: "「{field}」のファイルは、このフォームで受け付けていない種類です。",
    virus: "「{field}」のファイルは、ウイルス検査で拒否されました。",
    bytes: { other: "{count} バイト" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "このリンクは期限切れです",
    old_text: "何も変更されていません。次にフォームが送信されたときに、新しいリンクを記載したメールをお送りします。",
    ask_title: "送信の通知メールを受け取りますか？",
    ask_text: "フォームが送信されるたびに、{address} にメールが届きます。",
    confirm: "確認する",
    done_title: "確認しました",
    done_text: "今後、送信の通知メールは {address} に届きます。",
    invalid_title: "このリンクは無効です",
    invalid_text: "リンクが途中で切れているか、変更されています。メールからもう一度開いてください。",
    mail_subject: "フォームの送信をメールで受け取りますか？",
    mail_asked: "{team} が、フォームの送信を毎回通知する宛先として、{brand} に {address} を登録しました。",
    mail_somebody: "どなたかが、フォームの送信を毎回通知する宛先として、{brand} に {address} を登録しました。",
    mail_how: { other: "通知メールを受け取るには、{count} 日以内に次のリンクを開いて確認してください。" },
    mail_link: "このアドレスを確認する",
    mail_footer: "お心当たりのない場合は、何もする必要はありません。確認されない限り、通知メールは送信されません。",
  },

  opt_in: {
    thanks: "お送りしたメールを開いて、確認を完了してください。確認されるまで、送信内容は保留されます。",
    mail_how: {
      other: "確認するには、{count} 日以内に次のリンクを開き、ボタンを押してください。",
    },
    mail_footer:
      "お心当たりのない場合は、ほかの方があなたのアドレスを入力した可能性があります。何もする必要はありません。送信された内容は削除されます。",
    done: "ありがとうございます。送信内容が確認されました。",
    late: "期限内に確認されなかったため、送信された内容は削除されました。フォームにもう一度ご記入いただけます。",
  },

  notification: {
    kicker: "新しい送信",
    title: "新しい送信: {form}",
    spam: "この送信は迷惑送信と判定されました。",
    files: "ファイル",
    links_until: "リンクの有効期限は {date} です。",
    shortened: "… (ここでは省略しています。全文はこのメールのテキスト版にあります)",
    more_fields: { other: "ほかに {count} 項目あります。このメールのテキスト版をご覧ください。" },
    sent_from: "フォーム「{form}」から {time} に送信されました。",
    reply_to: "このメールに返信すると、{address} に届きます。",
  },

  reply: {
    title: "{name} へのメッセージ",
    automatic: "このメールは、フォーム「{form}」から {time} に送信されたメッセージへの自動返信です。",
    not_you: "お心当たりのない場合は、別の方があなたのアドレスを入力したものです。何もする必要はありません。",
  },

  summary: {
    subject: { other: "新しい送信 {count} 件" },
    why: "このアドレス宛ての送信の通知メールが、1 時間に 60 通を超えました。超えた分は、1 時間に 1 通のメールにまとめてお送りします。",
    head: "{form}、{time}",
    head_spam: "{form}、{time} (迷惑送信)",
    counted: {
      other:
        "「{form}」の送信がほかに {count} 件あります。ここには載せきれませんが、ほかの送信とともに保存されています。",
    },
    more: { other: "ほかに {count} 件あります。テキスト版をご覧ください。" },
    footer: "このメールは、これらのフォームの通知先に登録されているアドレスにお送りしています。",
  },

  webhook: {
    off_subject: "「{form}」の Webhook を停止しました",
    failing_subject: "「{form}」の Webhook が失敗し続けています",
    gone: "{host} から 410 Gone が返されました。今後の配信は不要という意味です。",
    deleted: "{host} から {status} が返されました。Webhook が配信先で削除されたという意味です。",
    failing: "{time} から、{host} への配信がすべて失敗しています。最後の試行の結果は {end} でした。",
    its_address: "配信先",
    off_text:
      "Webhook を停止しました。再び有効にするまで、何も配信されません。送信内容はこれまでどおり保存され、配信されなかったものは、有効にしたあとで再配信できます。",
    failing_text:
      "各配信は 72 時間にわたって再試行されます。5 日間ひとつも成功しない場合、Webhook は停止されます。送信内容はこれまでどおり保存されます。",
    why: "このメールは、フォーム「{form}」がお客様のチームに属しているためお送りしています。",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "フォームの送信数が今月の上限に達しました",
    text: {
      other:
        "ご利用のプラン「{plan}」の上限は月 {count} 件です。{month} (UTC) の送信数がこの上限に達しました。迷惑送信は数えません。",
    },
    meaning:
      "今月のこれ以降の送信はこれまでどおり保存されますが、メール、自動返信、Webhook は送信されません。上位のプランに変更するか、翌月になると、再びすべて送信されます。",
    footer: "このメールは、チーム {team} の所有者に、月に 1 回までお送りしています。",
  },

  test: {
    subject: "[テスト] {subject}",
    note: "これはテストメールです。内容は架空のもので、実際の送信ではありません。",
    message: "これはテストです。フォームの送信がどのように届くかを示しています。",
  },
};

export default ja;
