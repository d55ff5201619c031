import type { In } from "../_types.ts";
import type en from "../en.ts";

type Acts = In<Pick<typeof en, "bulk" | "done">>;

/** The Portuguese texts of what is done to several submissions at once. */
const acts: Acts = {
  bulk: {
    deleteTitle: {
      one: "Excluir {count} envio?",
      many: "Excluir {count} de envios?",
      other: "Excluir {count} envios?",
    },
    deleteHelp:
      "Eles são excluídos com os seus arquivos e não podem ser recuperados. As entregas pendentes são canceladas.",
    doTitle: {
      one: "{action}: {count} envio",
      many: "{action}: {count} de envios",
      other: "{action}: {count} envios",
    },
    doHelp: "São todos os resultados, em todas as páginas da lista.",
    atLeast: "A contagem demorou demais: há pelo menos esse número.",
    type: "Digite {number} para confirmar",
    typeWrong: "Digite o número {number} para confirmar.",
    confirm: "Confirmar",
    cancel: "Cancelar",
    going: {
      one: "{count} envio processado até agora",
      many: "{count} de envios processados até agora",
      other: "{count} envios processados até agora",
    },
    goingHelp: "Há mais. Esta página continua sozinha; sem JavaScript, clique em “Continuar”.",
    continue: "Continuar",
    none: "Não há mais envios correspondentes.",
  },
  done: {
    mark_read: {
      one: "{count} marcado como lido",
      many: "{count} marcados como lidos",
      other: "{count} marcados como lidos",
    },
    mark_unread: {
      one: "{count} marcado como não lido",
      many: "{count} marcados como não lidos",
      other: "{count} marcados como não lidos",
    },
    mark_spam: {
      one: "{count} movido para o spam",
      many: "{count} movidos para o spam",
      other: "{count} movidos para o spam",
    },
    mark_not_spam: {
      one: "{count} movido para a caixa de entrada",
      many: "{count} movidos para a caixa de entrada",
      other: "{count} movidos para a caixa de entrada",
    },
    deliver: {
      one: "{count} movido para a caixa de entrada; o que faltou está sendo enviado",
      many: "{count} movidos para a caixa de entrada; o que faltou está sendo enviado",
      other: "{count} movidos para a caixa de entrada; o que faltou está sendo enviado",
    },
    delete: { one: "{count} excluído", many: "{count} excluídos", other: "{count} excluídos" },
    select: "Selecione pelo menos um envio primeiro.",
    nothing: "Não havia nada a alterar.",
    shortcutsOff: "Os atalhos de teclado estão desativados neste navegador.",
    shortcutsOn: "Os atalhos de teclado estão ativados neste navegador.",
  },
};

export default acts;
