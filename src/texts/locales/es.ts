import type { Locale } from "./_types.ts";

/** Spanish. */
const es: Locale = {
  tag: "es",
  dir: "ltr",

  defaults: {
    headline: "¡Gracias!",
    message: "Hemos recibido tu envío.",
    return: "Volver",
    owner_subject: "Nuevo envío: {form}",
    reply_subject: "Gracias por tu mensaje",
    reply_message: "Gracias. Hemos recibido tu mensaje y te responderemos.",
    opt_in_subject: "Confirma tu dirección de correo",
    opt_in_message: "Confirma que has enviado el formulario «{form}» y que esta dirección de correo es tuya.",
  },

  page: {
    back: "Volver",
    back_by_browser: "Para volver al formulario, usa el botón «Atrás» del navegador.",
    send_again: "Enviar de nuevo",
    choose_again: {
      one: "Elige el archivo otra vez.",
      other: "Elige los archivos otra vez.",
    },
    value_again: "Escríbelo otra vez.",
    choose: "Elige una opción",
    incomplete: "El formulario no ha llegado completo. Revísalo antes de enviarlo de nuevo.",
    not_taken: "No se ha enviado nada: el servicio no está listo en este momento. Inténtalo de nuevo en unos segundos.",
    download: "Descargar",
    endpoint_title: "Esta dirección recibe un formulario",
    endpoint_text:
      "Recibe lo que envía el formulario de un sitio web; aquí no hay nada que ver. Si el formulario es tuyo, así se usa en una página:",
  },

  errors: {
    invalid_parameter: "No se puede leer lo que se ha enviado.",
    empty_submission: "El formulario estaba vacío.",
    plan_restricted: "Este formulario no acepta archivos.",
    form_inactive: "Este formulario no acepta envíos en este momento.",
    origin_not_allowed: "Este formulario no acepta envíos desde este sitio web.",
    not_found: "No hay nada en esta dirección.",
    form_not_found: "Este formulario no existe.",
    method_not_allowed: "Esta dirección no se usa de este modo.",
    request_timeout: "El envío ha tardado demasiado en llegar.",
    idempotency_in_progress: "Este mismo envío todavía se está procesando. Inténtalo de nuevo en un momento.",
    payload_too_large: "El envío ocupa más de lo que acepta este formulario.",
    too_many_files: "El envío tiene más archivos de los que acepta este formulario.",
    unsupported_media_type: "Este formulario no acepta envíos en este formato.",
    file_type_not_allowed: "No se aceptan archivos de este tipo.",
    idempotency_mismatch:
      "Este formulario ya se envió con otras respuestas. Envíalo de nuevo si estas también deben enviarse.",
    validation_failed: "Hay que revisar algunas respuestas.",
    captcha_failed: "El captcha no se ha resuelto. Inténtalo de nuevo.",
    rate_limited: "Demasiados envíos a la vez. Espera un poco e inténtalo de nuevo.",
    internal_error: "Algo ha fallado por nuestra parte.",
    unavailable: "El servicio no está disponible en este momento. Inténtalo de nuevo pronto.",
    unconfirmed: "No hemos podido comprobar si tu envío se ha guardado. Envíalo de nuevo: se guardará una sola vez.",
  },

  titles: {
    empty_submission: "No hay nada que enviar",
    invalid_parameter: "No se ha podido leer el formulario",
    form_inactive: "Este formulario está cerrado",
    origin_not_allowed: "No se acepta desde este sitio web",
    plan_restricted: "No se aceptan archivos",
    not_found: "Aquí no hay nada",
    form_not_found: "No se encuentra el formulario",
    method_not_allowed: "Esto no funciona aquí",
    request_timeout: "Ha tardado demasiado",
    idempotency_in_progress: "Espera un momento",
    idempotency_mismatch: "Ya se había enviado",
    payload_too_large: "Demasiado grande",
    too_many_files: "Demasiados archivos",
    unsupported_media_type: "Formato no aceptado",
    file_type_not_allowed: "Este archivo no se acepta",
    validation_failed: "Revisa tus respuestas",
    captcha_failed: "Inténtalo de nuevo",
    rate_limited: "Demasiados envíos",
    unavailable: "Inténtalo de nuevo",
    internal_error: "Algo ha fallado",
    other: "No ha funcionado",
  },

  validation: {
    required: "El campo «{field}» es obligatorio.",
    pattern: "El formato del campo «{field}» no es válido.",
    email: "El campo «{field}» debe ser una dirección de correo válida.",
    url: "El campo «{field}» debe ser una dirección web válida.",
    number: "El campo «{field}» debe ser un número.",
    contains: "El campo «{field}» debe contener «{wanted}».",
    not_contains: "El campo «{field}» no debe contener «{wanted}».",
    equals: "El campo «{field}» no tiene el valor esperado.",
    one_of: "El campo «{field}» debe ser uno de estos valores: {list}.",
    one_of_listed: "El campo «{field}» debe ser uno de los valores de la lista.",
    min_length: {
      one: "El campo «{field}» debe tener al menos {count} carácter.",
      other: "El campo «{field}» debe tener al menos {count} caracteres.",
    },
    max_length: {
      one: "El campo «{field}» debe tener como máximo {count} carácter.",
      other: "El campo «{field}» debe tener como máximo {count} caracteres.",
    },
    min: "El campo «{field}» debe ser como mínimo {wanted}.",
    max: "El campo «{field}» debe ser como máximo {wanted}.",
    date: "El campo «{field}» debe ser una fecha válida, por ejemplo 2026-12-31.",
    phone: "El campo «{field}» debe ser un número de teléfono válido.",
    too_long: "El campo «{field}» es demasiado largo para esta comprobación.",
    comma: ", ",
    more: { one: "{message} (y {count} error más)", other: "{message} (y {count} errores más)" },
  },

  files: {
    too_large: "El archivo de «{field}» ocupa más de {size}.",
    too_large_together: "Con el archivo de «{field}», los archivos ocupan en total más de {size}.",
    too_many: {
      one: "El archivo de «{field}» está de más: se acepta {count} como máximo.",
      other: "El archivo de «{field}» está de más: se aceptan {count} como máximo.",
    },
    type: "El archivo de «{field}» es de un tipo que este formulario no acepta.",
    virus: "El antivirus ha rechazado el archivo de «{field}».",
    bytes: { one: "{count} byte", other: "{count} bytes" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Este enlace ha caducado",
    old_text:
      "No se ha cambiado nada. Con el próximo envío del formulario llegará un correo nuevo con un enlace nuevo.",
    ask_title: "¿Recibir correos sobre los envíos?",
    ask_text: "{address} recibirá un correo por cada envío del formulario.",
    confirm: "Confirmar",
    done_title: "Confirmado",
    done_text: "Los correos sobre los envíos llegarán ahora a {address}.",
    invalid_title: "Este enlace no es válido",
    invalid_text: "Está incompleto o se ha modificado. Ábrelo otra vez desde el correo.",
    mail_subject: "¿Quieres recibir correos sobre los envíos de un formulario?",
    mail_asked:
      "{team} ha indicado {address} en {brand} como dirección a la que avisar de cada envío de un formulario.",
    mail_somebody:
      "Alguien ha indicado {address} en {brand} como dirección a la que avisar de cada envío de un formulario.",
    mail_how: {
      one: "Para recibir estos correos, abre este enlace y confirma en el plazo de {count} día:",
      other: "Para recibir estos correos, abre este enlace y confirma en el plazo de {count} días:",
    },
    mail_link: "Confirmar esta dirección",
    mail_footer: "Si no sabes de qué se trata, no hagas nada: sin tu confirmación no se enviará ninguno.",
  },

  opt_in: {
    thanks: "Abre el correo que te hemos enviado y confirma. Hasta entonces, tu envío queda en espera.",
    mail_how: {
      one: "Para confirmar, abre este enlace en el plazo de {count} día y pulsa el botón:",
      other: "Para confirmar, abre este enlace en el plazo de {count} días y pulsa el botón:",
    },
    mail_footer:
      "Si no has sido tú, otra persona ha escrito tu dirección. En ese caso no hagas nada: lo que se envió se eliminará.",
    done: "Gracias. Tu envío está confirmado.",
    late: "Nadie lo confirmó a tiempo, así que lo que se envió se ha eliminado. Puedes rellenar el formulario otra vez.",
  },

  notification: {
    kicker: "Nuevo envío",
    title: "Nuevo envío: {form}",
    spam: "Este envío se ha reconocido como spam.",
    files: "Archivos",
    links_until: "Los enlaces funcionan hasta el {date}.",
    shortened: "… (abreviado aquí; la parte de texto sin formato de este correo lo contiene todo)",
    more_fields: {
      one: "{count} campo más: está en la parte de texto sin formato de este correo.",
      other: "{count} campos más: están en la parte de texto sin formato de este correo.",
    },
    sent_from: "Enviado con el formulario «{form}» el {time}.",
    reply_to: "Responde a este correo para escribir a {address}.",
  },

  reply: {
    title: "Tu mensaje a {name}",
    automatic: "Esta es una respuesta automática a un mensaje enviado con el formulario «{form}» el {time}.",
    not_you: "Si no has sido tú, otra persona ha escrito tu dirección y no tienes que hacer nada.",
  },

  summary: {
    subject: { one: "{count} envío nuevo", other: "{count} envíos nuevos" },
    why: "En una hora iban a salir más de 60 correos sobre envíos a esta dirección. Los demás se reúnen aquí, en un solo correo por hora.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "{count} envío más de «{form}» no ha cabido aquí; está guardado con los demás.",
      other: "{count} envíos más de «{form}» no han cabido aquí; están guardados con los demás.",
    },
    more: {
      one: "{count} más: está en la parte de texto sin formato.",
      other: "{count} más: están en la parte de texto sin formato.",
    },
    footer: "Recibes este correo porque tu dirección está entre los destinatarios de estos formularios.",
  },

  webhook: {
    off_subject: "El webhook de «{form}» se ha desactivado",
    failing_subject: "El webhook de «{form}» falla una y otra vez",
    gone: "{host} ha respondido 410 Gone, es decir, ya no quiere recibir nada más.",
    deleted: "{host} ha respondido {status}, es decir, el webhook se ha eliminado allí.",
    failing: "Todas las entregas a {host} han fallado desde el {time}. El último intento terminó con {end}.",
    its_address: "su dirección",
    off_text:
      "El webhook se ha desactivado y no se le enviará nada hasta que se vuelva a activar. Los envíos se siguen guardando; los que no se entregaron podrán entregarse entonces.",
    failing_text:
      "Cada entrega se intenta durante 72 horas. Si ninguna lo consigue en 5 días, el webhook se desactiva. Los envíos se siguen guardando.",
    why: "Recibes este correo porque el formulario «{form}» pertenece a tu equipo.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Tus formularios han agotado los envíos de este mes",
    text: {
      one: "Tu plan «{plan}» incluye {count} envío al mes, y en {month} (UTC) ya se ha usado. El spam no cuenta.",
      other:
        "Tu plan «{plan}» incluye {count} envíos al mes, y en {month} (UTC) ya se han usado todos. El spam no cuenta.",
    },
    meaning:
      "Los demás envíos de este mes se guardan como siempre, pero sin correos, respuestas automáticas ni webhooks. Con un plan mayor, o a partir del mes que viene, todo se enviará otra vez.",
    footer: "Recibes este correo, como mucho una vez al mes, porque el equipo {team} es tuyo.",
  },

  test: {
    subject: "[Prueba] {subject}",
    note: "Este es un correo de prueba. Su contenido es inventado; nadie ha enviado nada.",
    message: "Esto es una prueba. Muestra cómo llega un envío de tu formulario.",
  },
};

export default es;
