import type { FormCheckResult } from "../../core/options/form-check.ts";
import type { HostForm } from "../../model/forms.ts";
import { spellingsOf } from "./look-alikes.ts";

/** Words for what no form may ask a stranger for, in the languages of our texts. Each stands alone or at the end of a name. */
const asked: Readonly<Record<string, RegExp>> = {
  "a password":
    /(^|[^a-z])(pass ?words?|pass ?wd|passwort|kennwort|mot de passe|contrase[ñn]as?|wachtwoord|hasło|palavra passe|senha|parola|şifre|sifre|パスワード|密码|口令|كلمة (السر|المرور)|סיסמה|סיסמא|пароль|비밀번호|mật khẩu|κωδικός πρόσβασης|पासवर्ड|รหัสผ่าน|kata sandi|lösenord|adgangskode|passord|salasana|heslo|jelszó)([^a-z]|$)/iu,
  "a card number":
    /(^|[^a-z])((credit|debit|bank)? ?card ?(number|no|num)|card ?num|cc ?(number|num)|cvv2?|cvc2?|kartennummer|kreditkartennummer|prüfziffer|numéro de carte|número de (la )?tarjeta|numero (della )?carta|kaartnummer|numer karty|número do cartão|kart numarası|カード番号|银行卡号|信用卡号|卡号|номер карты|카드번호|رقم البطاقة|מספר (ה)?כרטיס( אשראי)?)([^a-z]|$)/iu,
  "a PIN":
    /(^|[^a-z])((atm|card|bank|sim|secret|security)? ?pin( ?code| ?number)?|geheimzahl|code pin|kod pin|codice pin|暗証番号|رقم سري|пин ?код|핀번호)([^a-z]|$)/iu,
  "a seed phrase":
    /(^|[^a-z])((seed|recovery|secret|mnemonic|backup) ?(phrase|words)|mnemonic|private ?key|wallet ?(phrase|key)|wiederherstellungsphrase|phrase de récupération|frase (semilla|de recuperación|di recupero)|herstelzin|助记词|シードフレーズ)([^a-z]|$)/iu,
  "a one-time code":
    /(^|[^a-z])(otp|(one|1) ?time ?(code|password|pin)|2fa ?code|(sms|authenticator) ?code|tan|einmalcode|einmalpasswort|code à usage unique|código de un solo uso|codice monouso|eenmalige code|jednorazowy kod|tek kullanımlık (kod|şifre)|ワンタイムパスワード|一次性密码|验证码|код из (смс|sms)|인증번호)([^a-z]|$)/iu,
};
/** A postal code is no PIN, and a tax number no TAN: names that say what they are. */
const harmless =
  /\b(pin ?code (area|zip)|postal|post ?code|zip|map ?pin|pin ?board|tan ?(colou?r|leather|number tax))\b/giu;
/** Names and labels that are looked at, and characters of each. */
const MOST = 500;
const LONGEST = 200;

/**
 * Finds fields that ask for what no stranger should be told, by the names and labels that the form's settings have. It says so, and
 * locks nothing: a person decides.
 */
export function asksForSecrets({ settings, validation }: HostForm): FormCheckResult | null {
  const names = [
    ...validation.rules.map(({ field }) => field),
    ...Object.keys(settings.fields),
    ...Object.entries(settings.labels).flat(),
    ...settings.unique.fields,
  ].slice(0, MOST);
  for (const name of names) {
    // `cardNumber` and `card_number` are the words of “card number”.
    const words = name
      .slice(0, LONGEST)
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .replace(/[_\p{Pd}.[\]*/\\~·•]+/gu, " ")
      // Taken out, and not passed over: a postal code beside a password makes it no better.
      .replace(harmless, " ")
      .trim();
    const spellings = spellingsOf(words);
    const what = Object.keys(asked).find((kind) => spellings.some((one) => asked[kind]?.test(one)));
    if (what) return { reason: `The field “${name.slice(0, LONGEST)}” asks for ${what}.` };
  }
  return null;
}
