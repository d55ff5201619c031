import type refusals from "../_refusals.ts";
import type { In } from "../_types.ts";

/** The French texts of refusals in whole sentences. */
const texts: In<typeof refusals> = {
  refused: {
    urlLong: "L’URL dépasse {count} caractères.",
    urlControl: "L’URL contient un caractère de contrôle.",
    urlScheme: "L’URL doit commencer par https://.",
    urlSchemes: "L’URL doit commencer par https:// ou http://.",
    urlPlain: "L’URL doit commencer par https://. Seul l’exploitant de ce service peut autoriser le http non chiffré.",
    urlUser: "L’URL ne doit contenir ni nom d’utilisateur ni mot de passe.",
    urlFragment: "L’URL ne doit pas contenir de fragment (#).",
    urlPort: "Le port de l’URL doit être 80, 443, ou 1024 et plus.",
    urlHost: "L’URL n’a pas d’hôte.",
    urlName: "L’hôte de l’URL n’est pas un nom valable.",
    urlPrivate:
      "L’URL mène à une adresse privée ou réservée. Seul l’exploitant de ce service peut autoriser celles de son propre réseau.",
    urlMasked:
      "L’URL est masquée. Saisissez-la en entier, ou ne la modifiez pas pour conserver celle qui est enregistrée.",
    urlService: "Ce n’est pas une URL de {service}. Elles ressemblent à ceci : {example}",
    urlOther: "L’URL du webhook n’est pas une URL de {service}. Saisissez-en une aussi, comme {example}",
    urlShown: "Le format « {format} » laisse voir l’URL. Saisissez-la donc en entier pour changer de format.",
    rotated: "Le secret a été renouvelé deux fois en 24 heures. Attendez que le plus ancien ait expiré.",
    noWebhooks: "L’offre de l’équipe ne comprend pas de webhooks.",
    planWebhooks: "Nombre de webhooks par formulaire compris dans l’offre de l’équipe : {count}.",
    planForms: "Nombre de formulaires compris dans l’offre de l’équipe : {count}.",
    planRecipients: "Nombre de destinataires par formulaire compris dans l’offre de l’équipe : {count}.",
    serverPrivate: "C’est une adresse privée ou réservée.",
    serverResolved: "Cet hôte a une adresse privée ou réservée.",
    serverLogin: "Le serveur refuse le mot de passe ou le nom d’utilisateur. Sa réponse : {detail}",
    serverUnreachable: "Le serveur est injoignable sur ce port : {detail}",
    serverSilent: "Le serveur ne répond pas sur ce port : {detail}",
    serverTls: "Ce choix ne convient pas au serveur, ou son certificat n’est pas valable : {detail}",
    serverNoMail: "Le serveur n’accepte pas d’e-mails : {detail}",
    serverBoth: "Pour se connecter, il faut un nom d’utilisateur et un mot de passe.",
    serverMoved: "Si vous changez l’hôte, saisissez à nouveau cette valeur.",
    alias: "Un alias compte de 1 à 254 caractères : lettres, chiffres et . _ @ + -",
    captchaSecret: "Avec un captcha, cette valeur est obligatoire.",
    captchaKind:
      "Ce n’est pas une clé secrète de reCAPTCHA, hCaptcha, Turnstile ou ALTCHA. Copiez la clé secrète, pas la clé du site.",
    senderDomains: "L’adresse doit appartenir à l’un de ces domaines : {domains}",
    senderEmpty: "Ce champ doit rester vide : le service n’utilise que sa propre adresse.",
    senderServer:
      "Choisissez un serveur de messagerie de l’équipe, ou une adresse dans l’un de ces domaines : {domains}",
    senderOnly:
      "Une adresse personnalisée demande un serveur de messagerie de l’équipe. Choisissez-en un, ou laissez ce champ vide.",
    againLimit: "Nombre maximal d’e-mails renvoyés par heure à une même adresse : {count}.",
    monthFull: "Le quota mensuel de l’offre est épuisé, et cet envoi le dépasse. Renvoyez-le le mois prochain.",
    longAgo: "La date peut remonter à 14 jours au plus.",
  },
};

export default texts;
