import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Japanese texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "URL が {count} 文字を超えています。",
    urlControl: "URL に制御文字が含まれています。",
    urlScheme: "URL は https:// で始まる必要があります。",
    urlSchemes: "URL は https:// または http:// で始まる必要があります。",
    urlPlain: "URL は https:// で始まる必要があります。http を使うには、オプション `webhooks.allowHttp` が必要です。",
    urlUser: "URL にユーザー名やパスワードを含めることはできません。",
    urlFragment: "URL にフラグメント (#) を含めることはできません。",
    urlPort: "URL のポートは 80、443、または 1024 以上にしてください。",
    urlHost: "URL にホストがありません。",
    urlName: "URL のホストは有効な国際化ドメイン名ではありません。",
    urlPrivate:
      "URL がプライベートアドレスまたは予約済みアドレスを指しています。自社ネットワークのアドレスを使うには、オプション `webhooks.allowCidrs` が必要です。",
    urlMasked: "URL の一部が伏せられています。URL 全体を入力するか、保存済みの URL のままにしてください。",
    urlService: "{service} の URL ではありません。正しい URL の例: {example}",
    urlOther: "Webhook の URL が {service} のものではありません。次のような URL も入力してください: {example}",
    urlShown: "形式「{format}」では URL が表示されます。形式を変更するには、URL 全体を入力してください。",
    rotated:
      "シークレットは 24 時間以内に 2 回更新されています。最も古いものの期限が切れるまで待つか、`expire_previous` で今すぐ失効させてください。",
    noWebhooks: "チームのプランに Webhook は含まれていません。",
    planWebhooks:
      "チームのプランでは、フォームごとの Webhook は {count} 件までです。上限は、サービスの運営者がオプション `plans` の `webhooks_per_form` で変更できます。",
    planForms: "チームのプランでは、フォームは {count} 件までです。",
    planRecipients: "チームのプランでは、フォームごとの宛先は {count} 件までです。",
    serverPrivate: "プライベートアドレスまたは予約済みアドレスです。",
    serverResolved: "このホストは、プライベートアドレスまたは予約済みアドレスを指しています。",
    serverLogin: "サーバーがパスワードまたはユーザー名を拒否しました: {detail}",
    serverUnreachable: "このポートではサーバーに接続できません: {detail}",
    serverSilent: "このポートではサーバーが応答しません: {detail}",
    serverTls: "この設定がサーバーに合わないか、サーバーの証明書が無効です: {detail}",
    serverNoMail: "サーバーがメールを受け付けません: {detail}",
    serverBoth: "ログインにはユーザー名とパスワードの両方が必要です。",
    serverMoved: "ホストを変更する場合は、もう一度入力してください。",
    alias: "英数字と . _ @ + - を使って、1 文字以上 254 文字以内で入力してください。",
    captchaSecret: "CAPTCHA を使う場合は必須です。",
    captchaKind:
      "reCAPTCHA、hCaptcha、Turnstile、ALTCHA のシークレットキーではありません。サイトキーではなく、シークレットキーをコピーしてください。",
    senderDomains: "次のドメインのアドレスを入力してください: {domains}",
    senderEmpty: "空にしてください。",
    senderServer: "次のドメインのアドレスを入力するか、チームのメールサーバーを選んでください: {domains}",
    senderOnly: "空にするか、チームのメールサーバーを選んでください。",
    againLimit: "1 つのアドレスに再送信できるメールは、1 時間に {count} 通までです。",
    monthFull: "プランの今月の上限に達しているため、この送信は対象外です。来月、もう一度再配信してください。",
    longAgo: "14 日前まで指定できます。",
  },
};

export default texts;
