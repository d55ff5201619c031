import { oneLine } from "../../lib/one-line.ts";
import { folded, spellingsOf } from "./look-alikes.ts";

/** A language's words for handing over, for what no stranger should get, and for a warning not to. `joined`: other words begin or end theirs. */
interface Words {
  readonly verbs: string;
  readonly secrets: string;
  readonly denials: string;
  readonly joined?: true;
}

const languages: readonly Words[] = [
  {
    verbs:
      "confirm|verify|validate|(re-?)?enter|update|provide|submit|send( us)?|tell us|give us|reply with|type( in)?|restore|re-?confirm",
    secrets:
      "pass ?(words?|codes?|phrases?)(?! (reset|manager|policy|protected|change))|(credit |debit |bank |payment )card (numbers?|details|data)|card numbers?|cvv2?|cvc|(atm |card |banking |bank )?pins?(?! ?(code area|board))|(seed|recovery|secret|backup) (phrase|words)|(12|24) words|private keys?|one.?time (codes?|passwords?)|otp|2fa codes?|(log.?in|sign.?in|banking|online banking) (details|credentials|data|information)|credentials|social security numbers?",
    denials: "never|not|nobody|no one|don't|don’t|doesn't|won't|won’t|cannot|can't|without|instead of",
  },
  {
    verbs:
      "bestätigen|bestätige|verifizieren|überprüfen|aktualisieren|eingeben|geben|gib|senden|schicken|teilen|nennen|validieren|hinterlegen",
    secrets:
      "passw(ort|orter|ortes)|kennwort|kennworter|kreditkarten(nummer|daten)|kartennummer|prufziffer|pin|geheimzahl|tan|einmal(code|passwort)|wiederherstellungsphrase|zugangsdaten|anmeldedaten|login-?daten",
    denials: "nie|niemals|nicht|kein|keine|keinen|keinesfalls|niemand|ohne|statt",
  },
  {
    verbs:
      "confirmez|confirmer|vérifiez|vérifier|saisissez|saisir|entrez|entrer|indiquez|indiquer|envoyez|communiquez|renseignez|validez|mettez à jour|fournissez",
    secrets:
      "mots? de passe|numéro de (votre |la )?carte|code (pin|secret|confidentiel)|cryptogramme|identifiants|phrase (secrète|de récupération)|code à usage unique",
    denials: "jamais|pas|aucun|aucune|personne|sans",
  },
  {
    verbs:
      "confirm(e|ar|a)|verifi(que|car|ca)|introduzca|introduce|introducir|ingres(e|a|ar)|actuali(ce|za|zar)|envíe(nos)?|envía(nos)?|facilite|escriba|valide",
    secrets:
      "contraseñas?|clave (de acceso|bancaria|secreta)|número de (su |tu |la )?tarjeta|pin|cvv|código de un solo uso|frase (semilla|de recuperación)|datos de (acceso|inicio de sesión|su tarjeta)",
    denials: "nunca|no|jamás|ningún|nadie|sin",
  },
  {
    verbs:
      "conferm(i|a|are)|verific(hi|a|are)|inseri(sca|sci|re)|aggiorn(i|a|are)|invi(i|a|are)|fornisca|fornire|comunichi",
    secrets:
      "password|numero (della |di )?(sua |tua )?carta|pin|cvv|codice (monouso|segreto|pin)|credenziali|frase di recupero|dati (di accesso|della carta)",
    denials: "mai|non|nessuno|nessuna|senza",
  },
  {
    verbs: "bevestig|bevestigen|verifieer|verifieren|vul|vult|voer|voert|stuur|stuurt|geef|werk|update",
    secrets: "wachtwoord|wachtwoorden|kaartnummer|pincode|pin|cvv|inloggegevens|eenmalige code|herstelzin",
    denials: "nooit|niet|geen|niemand|zonder",
  },
  {
    verbs: "potwierdź|potwierdzić|zweryfikuj|zweryfikować|wpisz|podaj|podać|prześlij|wyślij|zaktualizuj|wprowadź",
    secrets:
      "hasła|hasło|hasłem|numer (swojej |twojej )?karty|pin|cvv|kod (jednorazowy|pin)|dane (do )?logowania|frazę odzyskiwania",
    denials: "nigdy|nie|nikt|nikomu|bez",
  },
  {
    verbs:
      "confirm(e|ar|a)|verifi(que|car|ca)|introduza|insira|digit(e|ar)|informe|atuali(ze|zar)|envie|indique|forneça",
    secrets:
      "senhas?|palavra[- ]passe|número do (seu )?cartão|pin|cvv|código de (uso único|segurança do cartão)|dados de (acesso|login)|credenciais|frase de recuperação",
    denials: "nunca|não|jamais|ninguém|sem",
  },
  {
    verbs: "doğrulayın|doğrulamak|onaylayın|girin|giriniz|güncelleyin|gönderin|yazın|bildirin",
    secrets:
      "şifre(niz|nizi|yi|sini)?|parola(nız|nızı|yı)?|kart numara(sı|nız|nızı|sını)|pin|cvv|tek kullanımlık (kod|şifre)\\w*|giriş bilgileri\\w*|kurtarma ifade\\w*",
    denials: "asla|hiçbir|kimse|vermeyin|paylaşmayın|istemeyiz|istemez|girmeyin|değil",
  },
  {
    verbs: "入力|ご確認|再確認|更新|送信|ご記入|お知らせ|ご提供",
    secrets: "パスワード|暗証番号|カード番号|ログイン情報|ワンタイム|シードフレーズ|認証コード|セキュリティコード",
    denials: "ません|ないで|決して|しない|不要",
    joined: true,
  },
  {
    verbs: "确认|確認|输入|輸入|填写|填寫|提供|更新|发送|提交|验证您|核实",
    secrets: "密码|密碼|银行卡号|信用卡号|卡号|短信验证码|助记词|登录信息|私钥",
    denials: "不要|不会|请勿|切勿|绝不|从不|无需|不需要|不得",
    joined: true,
  },
  {
    verbs: "أكد|تأكيد|أدخل|إدخال|تحديث|حدّث|حدث|أرسل|إرسال|زودنا",
    secrets:
      "كلمة المرور|كلمة السر|كلمة مرور|رقم البطاقة|رقم بطاقت|الرقم السري|رمز التحقق|بيانات الدخول|بيانات تسجيل الدخول|عبارة الاسترداد",
    denials: "لا|لن|أبدا|عدم|دون",
    joined: true,
  },
  {
    verbs: "אשר|אמת|הזן|הזינו|להזין|עדכן|עדכנו|לעדכן|שלח|שלחו|מלאו|הקלד|הקלידו",
    secrets: "סיסמ|מספר הכרטיס|מספר כרטיס|קוד חד פעמי|קוד חד-פעמי|פרטי ההתחברות|פרטי הכניסה|קוד סודי|מילות השחזור",
    denials: "לא|לעולם|אין|אל|בלי",
    joined: true,
  },
];

/** An account that is threatened, in all of these languages. */
const accounts =
  "accounts?|mailbox|wallet|konto|postfach|compte|cuenta|conto|account|rekening|konta|conta|hesab\\w*|アカウント|口座|账户|帐户|账号|حساب\\S*|حسابك|חשבונ\\S*|החשבון";
const states =
  "suspended|limited|locked|blocked|disabled|deactivated|restricted|terminated|closed|gesperrt|eingeschrankt|deaktiviert|suspendu|bloque|desactive|limite|suspendid[ao]|bloquead[ao]|limitad[ao]|desactivad[ao]|sospeso|bloccato|limitato|geblokkeerd|beperkt|opgeschort|zablokowane|zawieszone|suspens[ao]|desativad[ao]|askiya|kilitlen\\w*|停止|制限|ロック|冻结|停用|受限|封|تعليق|إيقاف|تقييد|הושעה|נחסם|ננעל|הוגבל";

/** The distance of two words of one demand, and of a warning from it, in characters. */
const NEAR = 40;
const BESIDE = 30;
/** A longer sentence is looked at in pieces. */
const MOST = 300;

/** Words are written without a space between them. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const word = (list: string, joined = SPACELESS.test(list)): string =>
  joined ? `(?:${list})` : `(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`;
const near = `[^]{0,${NEAR}}?`;
const compiled = languages.map(({ verbs, secrets, denials, joined }) => {
  const [verb, secret] = [word(folded(verbs), joined), word(folded(secrets), joined)];
  return {
    demand: new RegExp(`${verb}${near}${secret}|${secret}${near}${verb}`, "u"),
    denial: new RegExp(word(folded(denials)), "u"),
  };
});
const threat = new RegExp(
  `${word(folded(accounts))}${near}(?:${folded(states)})|(?:${folded(states)})${near}${word(folded(accounts))}`,
  "u",
);
const acting =
  /(?<!\p{L})(?:click|log ?in|sign ?in|verify|confirm|validate|klicken|bestatigen|verifizieren|cliquez|confirmez|verifiez|clic|haga clic|confirm[ea]r?|verifi(?:que|car|ca)|clicchi|clicca|confermi|conferma|klik|bevestig|kliknij|potwierdz|clique|tiklayin|dogrulayin)(?!\p{L})|クリック|確認|点击|点擊|验证|确认|انقر|اضغط|أكد|לחצ|לחץ|אמת/u;
/** "If your account is locked" is help, and no threat. */
const conditional = /^\W*(?:if|when|wenn|falls|si|se|als|wanneer|jesli|gdy|eger|quando|cuando)(?!\p{L})/u;

/** Finds what a text tells its reader to hand over, or the threat that makes them: words for the reason, or null. */
export function* demandsIn(text: string): Generator<void, string | null> {
  let isThreat = false;
  let acts = false;
  for (const sentence of sentencesOf(text)) {
    yield;
    for (const spelling of new Set(spellingsOf(sentence).map(folded))) {
      for (const { demand, denial } of compiled) {
        const found = demand.exec(spelling);
        if (!found) continue;
        const around = spelling.slice(Math.max(0, found.index - BESIDE), found.index + found[0].length + BESIDE);
        if (!denial.test(around)) return `tells its reader to hand over a secret: “${oneLine(sentence.slice(0, 120))}”`;
      }
      isThreat ||= threat.test(spelling) && !conditional.test(spelling);
      acts ||= acting.test(spelling.replace(/https?:\S*/g, ""));
    }
  }
  return isThreat && acts ? "threatens its reader with the loss of an account" : null;
}

function* sentencesOf(text: string): Generator<string> {
  for (const sentence of text.split(/[!?。！？؟\n]+|\.(?=\s|$)/u)) {
    for (let at = 0; at < sentence.length; at += MOST) {
      const piece = sentence.slice(at, at + MOST);
      if (/\p{L}/u.test(piece)) yield piece;
    }
  }
}
