import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The Spanish texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "La URL supera el máximo de caracteres: {count}.",
    urlControl: "La URL contiene un carácter de control.",
    urlScheme: "La URL debe empezar por https://.",
    urlSchemes: "La URL debe empezar por https:// o http://.",
    urlPlain: "La URL debe empezar por https://; para http sin cifrar hace falta la opción `webhooks.allowHttp`.",
    urlUser: "La URL no puede contener un nombre de usuario ni una contraseña.",
    urlFragment: "La URL no puede contener un fragmento (#).",
    urlPort: "El puerto de la URL debe ser 80, 443 o a partir de 1024.",
    urlHost: "A la URL le falta el host.",
    urlName: "El host de la URL no es un nombre internacional válido.",
    urlPrivate:
      "La URL apunta a una dirección privada o reservada; para las de una red propia hace falta la opción `webhooks.allowCidrs`.",
    urlMasked: "La URL está oculta en parte. Indica la URL completa o no la cambies para conservar la guardada.",
    urlService: "La URL no es de {service}. Una de este servicio tiene este aspecto: {example}",
    urlOther:
      "La URL del webhook no es de {service}. Indica también una de este servicio, que tiene este aspecto: {example}",
    urlShown: "En el formato «{format}» la URL es visible, así que indica la URL completa para cambiar el formato.",
    rotated:
      "El secreto ya se ha rotado dos veces en 24 horas. Espera a que caduque el más antiguo o hazlo caducar ya con `expire_previous`.",
    noWebhooks: "El plan del equipo no incluye webhooks.",
    planWebhooks:
      "Webhooks por formulario incluidos en el plan del equipo: {count}. Quien opera el servicio puede aumentarlos con `webhooks_per_form` en la opción `plans`.",
    planForms: "Formularios incluidos en el plan del equipo: {count}.",
    planRecipients: "Destinatarios por formulario incluidos en el plan del equipo: {count}.",
    serverPrivate: "Es una dirección privada o reservada.",
    serverResolved: "Este host tiene una dirección privada o reservada.",
    serverLogin: "El servidor rechaza la contraseña o el nombre de usuario: {detail}",
    serverUnreachable: "No se puede conectar con el servidor en este puerto: {detail}",
    serverSilent: "El servidor no responde en este puerto: {detail}",
    serverTls: "No encaja con el servidor, o su certificado no es válido: {detail}",
    serverNoMail: "El servidor no acepta correo: {detail}",
    serverBoth: "Es obligatorio: para autenticarse hacen falta el nombre de usuario y la contraseña.",
    serverMoved: "Indica de nuevo la contraseña si cambias el host.",
    alias: "Debe tener de 1 a 254 caracteres: letras, dígitos y . _ @ + -",
    captchaSecret: "Es obligatorio con un proveedor de captcha.",
    captchaKind:
      "No es una clave secreta de reCAPTCHA, hCaptcha, Turnstile ni ALTCHA. Copia la clave secreta, no la del sitio web.",
    senderDomains: "Debe ser una dirección de {domains}.",
    senderEmpty: "Debe quedar vacío.",
    senderServer: "Debe ser una dirección de {domains}, o elige un servidor de correo del equipo.",
    senderOnly: "Debe quedar vacío, o elige un servidor de correo del equipo.",
    againLimit: "Correos que se pueden reenviar por hora a una misma dirección, como máximo: {count}.",
    monthFull:
      "El plan ha agotado los envíos de este mes y este envío supera el límite. Vuelve a enviarlo el mes que viene.",
    longAgo: "No puede ser de hace más de 14 días.",
  },
};

export default texts;
