import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Portuguese texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "O endereço tem mais de {count} caracteres.",
    urlControl: "O endereço contém um caractere de controle.",
    urlScheme: "O endereço deve começar com https://.",
    urlSchemes: "O endereço deve começar com https:// ou http://.",
    urlPlain: "O endereço deve começar com https://. Só quem opera o serviço pode permitir http sem criptografia.",
    urlUser: "O endereço não pode conter nome de usuário nem senha.",
    urlFragment: "O endereço não pode conter um fragmento (#).",
    urlPort: "A porta do endereço deve ser 80, 443 ou a partir de 1024.",
    urlHost: "O endereço não tem host.",
    urlName: "O host do endereço não é um nome válido.",
    urlPrivate:
      "O endereço aponta para uma rede privada ou reservada. Só quem opera o serviço pode permitir redes próprias.",
    urlMasked:
      "O endereço está mascarado. Informe o endereço completo ou deixe-o como está para manter o que foi salvo.",
    urlService: "Este endereço não é de {service}. Um endereço válido tem esta forma: {example}",
    urlOther: "O endereço do webhook não é de {service}. Informe também um endereço desta forma: {example}",
    urlShown: "No formato “{format}”, o endereço fica visível. Para mudar o formato, informe o endereço completo.",
    rotated: "O segredo já foi renovado duas vezes em 24 horas. Espere até que o mais antigo expire.",
    noWebhooks: "O plano da equipe não inclui webhooks.",
    planWebhooks: "O número de webhooks por formulário que o plano da equipe inclui já foi atingido: {count}.",
    planForms: "O número de formulários que o plano da equipe inclui já foi atingido: {count}.",
    planRecipients: "Número máximo de destinatários por formulário no plano da equipe: {count}.",
    serverPrivate: "É um endereço privado ou reservado.",
    serverResolved: "Este host tem um endereço privado ou reservado.",
    serverLogin: "O servidor recusou a senha ou o nome de usuário: {detail}",
    serverUnreachable: "Não foi possível acessar o servidor nesta porta: {detail}",
    serverSilent: "O servidor não responde nesta porta: {detail}",
    serverTls: "Não é compatível com o servidor, ou o certificado dele não é válido: {detail}",
    serverNoMail: "O servidor não aceita e-mails: {detail}",
    serverBoth: "Para entrar no servidor, são necessários nome de usuário e senha.",
    serverMoved: "Informe a senha de novo se você mudar o host.",
    alias: "Um nome tem de 1 a 254 caracteres: letras, algarismos e . _ @ + -",
    captchaSecret: "É obrigatório com um captcha.",
    captchaKind:
      "Não é uma chave secreta do reCAPTCHA, hCaptcha, Turnstile ou ALTCHA. Copie a chave secreta, não a chave do site.",
    senderDomains: "Deve ser um endereço de um destes domínios: {domains}",
    senderEmpty: "Deve ficar vazio: o serviço só envia com o próprio endereço.",
    senderServer:
      "Deve ser um endereço de um destes domínios, a menos que você escolha um servidor de e-mail da equipe: {domains}",
    senderOnly: "Um endereço próprio exige um servidor de e-mail da equipe. Escolha um ou deixe o campo vazio.",
    againLimit: "Número máximo de e-mails por hora que podem ser reenviados a um endereço: {count}.",
    monthFull: "O limite mensal do plano se esgotou, e este envio o ultrapassa. Reenvie no próximo mês.",
    longAgo: "No máximo 14 dias atrás.",
  },
};

export default texts;
