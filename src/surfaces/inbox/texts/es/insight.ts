import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Spanish texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Probar los ajustes de spam",
    panel: "Probar con los envíos guardados",
    help: "Lo que hay escrito aquí, guardado o no, se prueba con los envíos más recientes. No se cambia ni se envía nada.",
    button: "Probar",
    frame: "Resultado",
    idle: "Pulsa «Probar» y el resultado aparecerá aquí.",
    stored: "Los ajustes guardados, probados con los envíos más recientes.",
    change: "Cambiar los ajustes y probarlos",
    limit: "Número de envíos",
    sum: {
      one: "Serían spam: {caught} de {count} envío.",
      many: "Serían spam: {caught} de {count} de envíos.",
      other: "Serían spam: {caught} de {count} envíos.",
    },
    same: "Todos se quedarían donde están.",
    empty: "No hay envíos con los que probarlo.",
    toSpam: {
      one: "{count} de la bandeja de entrada sería spam",
      many: "{count} de la bandeja de entrada serían spam",
      other: "{count} de la bandeja de entrada serían spam",
    },
    toInbox: {
      one: "{count} de spam pasaría el filtro",
      many: "{count} de spam pasarían el filtro",
      other: "{count} de spam pasarían el filtro",
    },
    more: {
      one: "{count} más no se muestra.",
      many: "{count} más no se muestran.",
      other: "{count} más no se muestran.",
    },
    byCheck: "Spam por comprobación",
    custom: "Tus propias comprobaciones",
    session: "Página",
    notTried: "Estas necesitan más datos de los guardados, así que cuenta su resultado guardado: {checks}.",
    off: "El contenido no se comprueba porque «{leaf}» está desactivado.",
    keptBack:
      "Esta bandeja de entrada oculta algunos valores, así que no se puede probar nada con los envíos guardados.",
    without: "Sin esta comprobación",
    withoutTitle: "Sin «{check}»",
    withoutSum: {
      one: "De {count} envío en spam, habrían pasado sin esta comprobación: {through}.",
      many: "De los últimos {count} de envíos en spam, habrían pasado sin esta comprobación: {through}.",
      other: "De los últimos {count} envíos en spam, habrían pasado sin esta comprobación: {through}.",
    },
    back: "Volver a las estadísticas",
    refused: {
      one: "Se habrían rechazado: {refused} de {count} envío.",
      many: "Se habrían rechazado: {refused} de {count} de envíos.",
      other: "Se habrían rechazado: {refused} de {count} envíos.",
    },
    noneRefused: {
      one: "De {count} envío, no se habría rechazado ninguno.",
      many: "De {count} de envíos, no se habría rechazado ninguno.",
      other: "De {count} envíos, no se habría rechazado ninguno.",
    },
    hurried: "No ha dado tiempo a más.",
    byRule: "Rechazos por campo y comprobación",
    which: "Se habrían rechazado",
  },
  lint: {
    tab: "Revisión",
    title: "Revisión de {form}",
    caption: "Campos que no llegan como esperan los ajustes",
    help: {
      one: "En comparación con el último envío, sin contar el spam.",
      many: "En comparación con los últimos {count} de envíos, sin contar el spam.",
      other: "En comparación con los últimos {count} envíos, sin contar el spam.",
    },
    nothing: "Por ahora no ha llegado nada.",
    few: {
      one: "Por ahora solo ha llegado {count} envío, muy poco para saberlo.",
      many: "Por ahora solo han llegado {count} de envíos, muy pocos para saberlo.",
      other: "Por ahora solo han llegado {count} envíos, muy pocos para saberlo.",
    },
    fine: "Todo en orden",
    fineHelp: "Todos los campos que mencionan los ajustes siguen llegando.",
    field: "Campo",
    found: "Qué se ha encontrado",
    places: "Mencionado en",
    noPlace: "Ningún ajuste",
    never: {
      one: "No ha llegado nunca en {count} envío",
      many: "No ha llegado nunca en {count} de envíos",
      other: "No ha llegado nunca en {count} envíos",
    },
    stopped: "Llegó por última vez el {time}",
    renamed: "Llegó por última vez el {time}, cuando apareció «{instead}»",
  },
  difference: {
    title: "En comparación con lo entregado",
    same: {
      one: "Tiene los mismos campos que el último entregado.",
      many: "Tiene los mismos campos que los últimos {count} entregados.",
      other: "Tiene los mismos campos que los últimos {count} entregados.",
    },
    other: {
      one: "En comparación con el último entregado:",
      many: "En comparación con los últimos {count} entregados:",
      other: "En comparación con los últimos {count} entregados:",
    },
    missing: "Aquí falta «{field}».",
    added: "Aquí «{field}» es nuevo.",
  },
  quiet: {
    badge: {
      one: "{count} día sin envíos",
      many: "{count} de días sin envíos",
      other: "{count} días sin envíos",
    },
    banner: {
      one: "No llega nada desde hace {count} día. Lo habitual al día: {usual}. Envía el formulario una vez desde su página para ver si todavía funciona.",
      many: "No llega nada desde hace {count} de días. Lo habitual al día: {usual}. Envía el formulario una vez desde su página para ver si todavía funciona.",
      other:
        "No llega nada desde hace {count} días. Lo habitual al día: {usual}. Envía el formulario una vez desde su página para ver si todavía funciona.",
    },
    check: "Comprobar la dirección",
  },
};

export default insight;
