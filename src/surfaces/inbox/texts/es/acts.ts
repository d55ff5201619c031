import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Spanish texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: {
      one: "¿Eliminar {count} envío?",
      many: "¿Eliminar {count} de envíos?",
      other: "¿Eliminar {count} envíos?",
    },
    deleteHelp: "Se eliminan con sus archivos y no se pueden recuperar. Las entregas pendientes se omiten.",
    doTitle: {
      one: "{action}: {count} envío",
      many: "{action}: {count} de envíos",
      other: "{action}: {count} envíos",
    },
    doHelp: "Son todos los envíos que coinciden, en todas las páginas de la lista.",
    atLeast: "El recuento tardaba demasiado: hay al menos esta cantidad.",
    type: "Escribe {number} para confirmar",
    typeWrong: "Escribe el número {number} para confirmar.",
    confirm: "Confirmar",
    cancel: "Cancelar",
    going: {
      one: "{count} envío procesado por ahora",
      many: "{count} de envíos procesados por ahora",
      other: "{count} envíos procesados por ahora",
    },
    goingHelp: "Quedan más. Esta página continúa sola; sin JavaScript, pulsa «Continuar».",
    continue: "Continuar",
    none: "Ya no coincide ningún envío.",
  },
  done: {
    mark_read: {
      one: "{count} marcado como leído",
      many: "{count} marcados como leídos",
      other: "{count} marcados como leídos",
    },
    mark_unread: {
      one: "{count} marcado como no leído",
      many: "{count} marcados como no leídos",
      other: "{count} marcados como no leídos",
    },
    mark_spam: { one: "{count} movido a spam", many: "{count} movidos a spam", other: "{count} movidos a spam" },
    mark_not_spam: {
      one: "{count} movido a la bandeja de entrada",
      many: "{count} movidos a la bandeja de entrada",
      other: "{count} movidos a la bandeja de entrada",
    },
    deliver: {
      one: "{count} movido a la bandeja de entrada; se está enviando lo pendiente",
      many: "{count} movidos a la bandeja de entrada; se está enviando lo pendiente",
      other: "{count} movidos a la bandeja de entrada; se está enviando lo pendiente",
    },
    delete: { one: "{count} eliminado", many: "{count} eliminados", other: "{count} eliminados" },
    select: "Selecciona primero al menos un envío.",
    nothing: "No había nada que cambiar.",
    shortcutsOff: "Los atajos de teclado están desactivados en este navegador.",
    shortcutsOn: "Los atajos de teclado están activados en este navegador.",
  },
};

export default acts;
