import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Chinese texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "地址超过 {count} 个字符。",
    urlControl: "地址包含控制字符。",
    urlScheme: "地址必须以 https:// 开头。",
    urlSchemes: "地址必须以 https:// 或 http:// 开头。",
    urlPlain: "地址必须以 https:// 开头。未加密的 http 只能由本服务的运营方开放。",
    urlUser: "地址不能包含用户名或密码。",
    urlFragment: "地址不能包含 #。",
    urlPort: "地址的端口必须是 80、443，或者不小于 1024。",
    urlHost: "地址缺少主机名。",
    urlName: "地址的主机名无效。",
    urlPrivate: "地址指向私有或保留的网络。您自己的网络只能由本服务的运营方开放。",
    urlMasked: "地址已被遮盖。请填写完整地址，或保持不变以保留已保存的地址。",
    urlService: "这不是 {service} 的地址。正确的地址类似：{example}",
    urlOther: "Webhook 的地址不是 {service} 的地址。请同时填写这样的地址：{example}",
    urlShown: "格式“{format}”会显示地址，因此更改格式时请填写完整地址。",
    rotated: "密钥在 24 小时内已轮换两次。请等待最早的密钥过期。",
    noWebhooks: "团队的套餐不包含 Webhook。",
    planWebhooks: "团队的套餐中，每个表单最多有 {count} 个 Webhook。",
    planForms: "团队的套餐最多包含 {count} 个表单。",
    planRecipients: "团队的套餐中，每个表单最多有 {count} 个收件人。",
    serverPrivate: "这是私有或保留的地址。",
    serverResolved: "此主机的地址是私有或保留的地址。",
    serverLogin: "服务器拒绝了密码或用户名：{detail}",
    serverUnreachable: "无法通过此端口连接服务器：{detail}",
    serverSilent: "服务器在此端口没有响应：{detail}",
    serverTls: "此设置与服务器不符，或者服务器的证书无效：{detail}",
    serverNoMail: "服务器不接受邮件：{detail}",
    serverBoth: "登录需要同时填写用户名和密码。",
    serverMoved: "更改主机后，需要重新填写密码。",
    alias: "名称须为 1 到 254 个字符：字母、数字以及 . _ @ + -",
    captchaSecret: "使用验证码时，此项必填。",
    captchaKind:
      "这不是 reCAPTCHA、hCaptcha、Turnstile 或 ALTCHA 的密钥。请复制密钥（secret key），而不是网站密钥（site key）。",
    senderDomains: "必须是以下域名的邮箱地址：{domains}",
    senderEmpty: "必须留空：本服务只使用自己的地址发送。",
    senderServer: "必须是以下域名的邮箱地址，或者选择团队的邮件服务器：{domains}",
    senderOnly: "使用自己的地址需要团队的邮件服务器。请选择一个，或将此项留空。",
    againLimit: "每小时最多可以向同一地址重新发送 {count} 封邮件。",
    monthFull: "套餐本月的数量已用完，此提交超出了上限。请下个月再重新发送。",
    longAgo: "最早为 14 天前。",
  },
};

export default texts;
