import type { Locale } from "./_types.ts";

/** French. */
const fr: Locale = {
  tag: "fr",
  dir: "ltr",

  defaults: {
    headline: "Merci !",
    message: "Votre envoi nous est bien parvenu.",
    return: "Retour",
    owner_subject: "Nouvel envoi : {form}",
    reply_subject: "Merci pour votre message",
    reply_message: "Merci. Nous avons bien reçu votre message et nous vous répondrons.",
    opt_in_subject: "Veuillez confirmer votre adresse e-mail",
    opt_in_message:
      "Veuillez confirmer que vous avez envoyé le formulaire « {form} » et que cette adresse e-mail est la vôtre.",
  },

  page: {
    back: "Retour",
    back_by_browser: "Pour revenir au formulaire, utilisez le bouton « Précédent » de votre navigateur.",
    send_again: "Envoyer à nouveau",
    choose_again: {
      one: "Veuillez choisir à nouveau le fichier.",
      other: "Veuillez choisir à nouveau les fichiers.",
    },
    value_again: "Veuillez saisir à nouveau cette valeur.",
    choose: "Veuillez choisir",
    incomplete: "Le formulaire n’est pas arrivé en entier. Veuillez le vérifier avant de l’envoyer à nouveau.",
    not_taken:
      "Rien n’a été envoyé : le service n’est pas prêt pour le moment. Veuillez réessayer dans quelques secondes.",
    download: "Télécharger",
    endpoint_title: "Cette adresse reçoit un formulaire",
    endpoint_text:
      "Elle reçoit ce qu’envoie le formulaire d’un site web ; il n’y a rien à voir ici. Si ce formulaire est le vôtre, voici comment l’utiliser dans une page :",
  },

  errors: {
    invalid_parameter: "Les données envoyées sont illisibles.",
    empty_submission: "Le formulaire était vide.",
    plan_restricted: "Ce formulaire n’accepte pas de fichiers.",
    form_inactive: "Ce formulaire n’accepte pas d’envois pour le moment.",
    origin_not_allowed: "Ce formulaire n’accepte pas d’envois depuis ce site.",
    not_found: "Il n’y a rien à cette adresse.",
    form_not_found: "Ce formulaire n’existe pas.",
    method_not_allowed: "Cette adresse ne s’utilise pas de cette façon.",
    request_timeout: "L’envoi a pris trop de temps.",
    idempotency_in_progress: "Ce même envoi est encore en cours de traitement. Réessayez dans un instant.",
    payload_too_large: "L’envoi est plus volumineux que ce formulaire ne l’accepte.",
    too_many_files: "L’envoi contient plus de fichiers que ce formulaire n’en accepte.",
    unsupported_media_type: "Ce formulaire n’accepte pas ce format d’envoi.",
    file_type_not_allowed: "Ce type de fichier n’est pas accepté.",
    idempotency_mismatch:
      "Ce formulaire a déjà été envoyé avec d’autres réponses. Envoyez-le à nouveau si celles-ci doivent l’être aussi.",
    validation_failed: "Certaines réponses sont à revoir.",
    captcha_failed: "Le captcha n’a pas été résolu. Veuillez réessayer.",
    rate_limited: "Trop d’envois à la fois. Patientez un peu, puis réessayez.",
    internal_error: "Une erreur s’est produite de notre côté.",
    unavailable: "Le service est momentanément indisponible. Réessayez bientôt.",
    unconfirmed:
      "Nous n’avons pas pu vérifier que votre envoi a été enregistré. Envoyez-le à nouveau : il ne sera enregistré qu’une fois.",
  },

  titles: {
    empty_submission: "Rien à envoyer",
    invalid_parameter: "Le formulaire est illisible",
    form_inactive: "Ce formulaire est fermé",
    origin_not_allowed: "Envoi refusé depuis ce site",
    plan_restricted: "Les fichiers ne sont pas acceptés",
    not_found: "Il n’y a rien ici",
    form_not_found: "Formulaire introuvable",
    method_not_allowed: "Cela ne fonctionne pas ici",
    request_timeout: "L’envoi a pris trop de temps",
    idempotency_in_progress: "Un instant, s’il vous plaît",
    idempotency_mismatch: "Déjà envoyé",
    payload_too_large: "Trop volumineux",
    too_many_files: "Trop de fichiers",
    unsupported_media_type: "Format non accepté",
    file_type_not_allowed: "Ce fichier n’est pas accepté",
    validation_failed: "Veuillez vérifier vos réponses",
    captcha_failed: "Veuillez réessayer",
    rate_limited: "Trop d’envois",
    unavailable: "Veuillez réessayer",
    internal_error: "Une erreur s’est produite",
    other: "L’envoi n’a pas abouti",
  },

  validation: {
    required: "Le champ « {field} » est obligatoire.",
    pattern: "Le format du champ « {field} » n’est pas valable.",
    email: "Le champ « {field} » doit contenir une adresse e-mail valable.",
    url: "Le champ « {field} » doit contenir une adresse web valable.",
    number: "Le champ « {field} » doit contenir un nombre.",
    contains: "Le champ « {field} » doit contenir « {wanted} ».",
    not_contains: "Le champ « {field} » ne doit pas contenir « {wanted} ».",
    equals: "Le champ « {field} » n’a pas la valeur attendue.",
    one_of: "Le champ « {field} » doit avoir l’une de ces valeurs : {list}.",
    one_of_listed: "Le champ « {field} » doit avoir l’une des valeurs proposées.",
    min_length: {
      one: "Le champ « {field} » doit contenir au moins {count} caractère.",
      other: "Le champ « {field} » doit contenir au moins {count} caractères.",
    },
    max_length: {
      one: "Le champ « {field} » doit contenir au plus {count} caractère.",
      other: "Le champ « {field} » doit contenir au plus {count} caractères.",
    },
    min: "La valeur du champ « {field} » doit être d’au moins {wanted}.",
    max: "La valeur du champ « {field} » doit être d’au plus {wanted}.",
    date: "Le champ « {field} » doit contenir une date valable, par exemple 2026-12-31.",
    phone: "Le champ « {field} » doit contenir un numéro de téléphone valable.",
    too_long: "Le champ « {field} » est trop long pour cette vérification.",
    comma: ", ",
    more: { one: "{message} (et {count} autre erreur)", other: "{message} (et {count} autres erreurs)" },
  },

  files: {
    too_large: "Le fichier de « {field} » dépasse {size}.",
    too_large_together: "Avec le fichier de « {field} », l’ensemble des fichiers dépasse {size}.",
    too_many: {
      one: "Le fichier de « {field} » est de trop : {count} fichier au plus est accepté.",
      other: "Le fichier de « {field} » est de trop : {count} fichiers au plus sont acceptés.",
    },
    type: "Le fichier de « {field} » est d’un type que ce formulaire n’accepte pas.",
    virus: "Le fichier de « {field} » a été refusé par l’antivirus.",
    bytes: { one: "{count} octet", other: "{count} octets" },
    kilobytes: "{amount} Ko",
    megabytes: "{amount} Mo",
  },

  confirmation: {
    old_title: "Ce lien a expiré",
    old_text:
      "Rien n’a été modifié. Au prochain envoi du formulaire, vous recevrez un nouvel e-mail avec un nouveau lien.",
    ask_title: "Recevoir des e-mails à chaque envoi ?",
    ask_text: "{address} recevra un e-mail à chaque envoi du formulaire.",
    confirm: "Confirmer",
    done_title: "C’est confirmé",
    done_text: "Les e-mails sur les envois parviendront désormais à {address}.",
    invalid_title: "Ce lien n’est pas valable",
    invalid_text: "Il est incomplet ou a été modifié. Ouvrez-le à nouveau depuis l’e-mail.",
    mail_subject: "Voulez-vous recevoir les envois d’un formulaire par e-mail ?",
    mail_asked: "{team} a indiqué {address} dans {brand} comme adresse à prévenir de chaque envoi d’un formulaire.",
    mail_somebody:
      "Quelqu’un a indiqué {address} dans {brand} comme adresse à prévenir de chaque envoi d’un formulaire.",
    mail_how: {
      one: "Pour recevoir ces e-mails, ouvrez ce lien et confirmez d’ici {count} jour :",
      other: "Pour recevoir ces e-mails, ouvrez ce lien et confirmez d’ici {count} jours :",
    },
    mail_link: "Confirmer cette adresse",
    mail_footer:
      "Si vous ne savez pas de quoi il s’agit, ne faites rien : sans votre confirmation, aucun autre e-mail ne sera envoyé.",
  },

  opt_in: {
    thanks: "Veuillez ouvrir l’e-mail que nous vous avons envoyé et confirmer. D’ici là, votre envoi reste en attente.",
    mail_how: {
      one: "Pour confirmer, ouvrez ce lien d’ici {count} jour et appuyez sur le bouton :",
      other: "Pour confirmer, ouvrez ce lien d’ici {count} jours et appuyez sur le bouton :",
    },
    mail_footer:
      "Si ce n’était pas vous, quelqu’un d’autre a saisi votre adresse. Dans ce cas, ne faites rien : ce qui a été envoyé sera supprimé.",
    done: "Merci. Votre envoi est confirmé.",
    late: "Personne n’a confirmé à temps, et ce qui avait été envoyé a été supprimé. Vous pouvez remplir le formulaire à nouveau.",
  },

  notification: {
    kicker: "Nouvel envoi",
    title: "Nouvel envoi : {form}",
    spam: "Cet envoi a été reconnu comme indésirable.",
    files: "Fichiers",
    links_until: "Les liens fonctionnent jusqu’au {date}.",
    shortened: "… (abrégé ici ; la partie en texte brut de cet e-mail contient tout)",
    more_fields: {
      one: "{count} champ de plus : voir la partie en texte brut de cet e-mail.",
      other: "{count} champs de plus : voir la partie en texte brut de cet e-mail.",
    },
    sent_from: "Envoyé avec le formulaire « {form} » le {time}.",
    reply_to: "Répondez à cet e-mail pour écrire à {address}.",
  },

  reply: {
    title: "Votre message à {name}",
    automatic: "Ceci est une réponse automatique à un message envoyé avec le formulaire « {form} » le {time}.",
    not_you: "Si ce n’était pas vous, quelqu’un d’autre a saisi votre adresse, et vous n’avez rien à faire.",
  },

  summary: {
    subject: { one: "{count} nouvel envoi", other: "{count} nouveaux envois" },
    why: "Plus de 60 e-mails d’envois devaient partir vers cette adresse en une heure. Les suivants sont réunis ici, dans un seul e-mail par heure.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (indésirable)",
    counted: {
      one: "{count} autre envoi de « {form} » n’a pas trouvé place ici ; il est enregistré avec les autres.",
      other: "{count} autres envois de « {form} » n’ont pas trouvé place ici ; ils sont enregistrés avec les autres.",
    },
    more: {
      one: "{count} de plus : voir la partie en texte brut.",
      other: "{count} de plus : voir la partie en texte brut.",
    },
    footer: "Vous recevez cet e-mail parce que votre adresse figure parmi les destinataires de ces formulaires.",
  },

  webhook: {
    off_subject: "Le webhook de « {form} » a été désactivé",
    failing_subject: "Le webhook de « {form} » échoue sans cesse",
    gone: "{host} a répondu 410 Gone, c’est-à-dire qu’il ne veut plus rien recevoir.",
    deleted: "{host} a répondu {status}, c’est-à-dire que le webhook y a été supprimé.",
    failing: "Tous les envois vers {host} ont échoué depuis le {time}. La dernière tentative s’est terminée par {end}.",
    its_address: "son adresse",
    off_text:
      "Le webhook a été désactivé, et rien ne lui sera envoyé avant sa réactivation. Les envois du formulaire sont toujours enregistrés ; ceux qui n’ont pas été transmis pourront alors l’être à nouveau.",
    failing_text:
      "Chaque transmission est tentée pendant 72 heures. Si aucune n’aboutit pendant 5 jours, le webhook est désactivé. Les envois du formulaire sont toujours enregistrés.",
    why: "Vous recevez cet e-mail parce que le formulaire « {form} » appartient à votre équipe.",
    id: "Webhook {id}",
    id_described: "Webhook {id} : {description}",
  },

  plan: {
    subject: "Vos formulaires ont atteint le nombre d’envois du mois",
    text: {
      one: "Votre offre « {plan} » comprend {count} envoi par mois, et ce nombre est atteint pour {month} (UTC). Les envois indésirables ne comptent pas.",
      other:
        "Votre offre « {plan} » comprend {count} envois par mois, et ce nombre est atteint pour {month} (UTC). Les envois indésirables ne comptent pas.",
    },
    meaning:
      "Les envois suivants de ce mois sont toujours enregistrés, mais sans e-mails, réponses automatiques ni webhooks. Avec une offre plus large, ou dès le mois prochain, tout sera de nouveau transmis.",
    footer: "Vous recevez cet e-mail, une fois par mois au plus, parce que l’équipe {team} vous appartient.",
  },

  test: {
    subject: "[Test] {subject}",
    note: "Ceci est un e-mail de test. Son contenu est inventé ; personne n’a rien envoyé.",
    message: "Ceci est un test. Il montre comment arrive un envoi de votre formulaire.",
  },
};

export default fr;
