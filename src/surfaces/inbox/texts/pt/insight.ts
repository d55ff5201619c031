import type insightInEnglish from "../_insight.ts";
import type { In } from "../_types.ts";

/** The Portuguese texts of what a form's own submissions say about its settings. */
const insight: In<typeof insightInEnglish> = {
  backtest: {
    title: "Testar as configurações de spam",
    panel: "Testar com envios salvos",
    help: "O que está digitado aqui, salvo ou não, é testado com os envios mais recentes. Nada é alterado nem enviado.",
    button: "Testar",
    frame: "Resultado",
    idle: "Clique em “Testar”, e o resultado aparece aqui.",
    stored: "As configurações salvas, testadas com os envios mais recentes.",
    change: "Mudar as configurações e testar",
    limit: "Número de envios",
    sum: {
      one: "De {count} envio, seriam spam: {caught}.",
      many: "De {count} de envios, seriam spam: {caught}.",
      other: "De {count} envios, seriam spam: {caught}.",
    },
    same: "Todos ficariam onde estão.",
    empty: "Não há envios com que testar.",
    toSpam: {
      one: "{count} da caixa de entrada seria spam",
      many: "{count} da caixa de entrada seriam spam",
      other: "{count} da caixa de entrada seriam spam",
    },
    toInbox: {
      one: "{count} do spam passaria",
      many: "{count} do spam passariam",
      other: "{count} do spam passariam",
    },
    more: {
      one: "Mais {count} não é exibido.",
      many: "Mais {count} não são exibidos.",
      other: "Mais {count} não são exibidos.",
    },
    byCheck: "Spam por verificação",
    custom: "As suas próprias verificações",
    session: "Página",
    notTried: "Estas precisam de mais do que está salvo, por isso vale o resultado já salvo: {checks}.",
    off: "O conteúdo não é verificado, porque “{leaf}” está desativado.",
    keptBack: "Esta caixa de entrada omite alguns valores, por isso nada pode ser testado com envios salvos.",
    without: "Sem esta verificação",
    withoutTitle: "Sem “{check}”",
    withoutSum: {
      one: "De {count} envio recente no spam, teriam passado sem esta verificação: {through}.",
      many: "Dos {count} de envios mais recentes no spam, teriam passado sem esta verificação: {through}.",
      other: "Dos {count} envios mais recentes no spam, teriam passado sem esta verificação: {through}.",
    },
    back: "Voltar às estatísticas",
    refused: {
      one: "De {count} envio, teriam sido recusados: {refused}.",
      many: "De {count} de envios, teriam sido recusados: {refused}.",
      other: "De {count} envios, teriam sido recusados: {refused}.",
    },
    noneRefused: {
      one: "De {count} envio, nenhum teria sido recusado.",
      many: "De {count} de envios, nenhum teria sido recusado.",
      other: "De {count} envios, nenhum teria sido recusado.",
    },
    hurried: "Não houve tempo para mais.",
    byRule: "Recusas por campo e verificação",
    which: "Teriam sido recusados",
  },
  lint: {
    tab: "Diagnóstico",
    title: "Diagnóstico de {form}",
    caption: "Campos que não chegam como as configurações esperam",
    help: {
      one: "Em comparação com {count} envio recente, sem contar spam.",
      many: "Em comparação com os {count} de envios mais recentes, sem contar spam.",
      other: "Em comparação com os {count} envios mais recentes, sem contar spam.",
    },
    nothing: "Nada chegou até agora.",
    few: {
      one: "Só {count} envio chegou até agora, e isso é pouco para uma conclusão.",
      many: "Só {count} de envios chegaram até agora, e isso é pouco para uma conclusão.",
      other: "Só {count} envios chegaram até agora, e isso é pouco para uma conclusão.",
    },
    fine: "Está tudo bem",
    fineHelp: "Todos os campos citados nas configurações continuam chegando.",
    field: "Campo",
    found: "O que foi encontrado",
    places: "Citado em",
    noPlace: "Nenhuma configuração",
    never: {
      one: "Nunca veio em {count} envio",
      many: "Nunca veio em {count} de envios",
      other: "Nunca veio em {count} envios",
    },
    stopped: "Veio pela última vez em {time}",
    renamed: "Veio pela última vez em {time}, quando “{instead}” começou",
  },
  difference: {
    title: "Em comparação com o que foi entregue",
    same: {
      one: "Tem os mesmos campos que o último entregue ({count} envio).",
      many: "Tem os mesmos campos que os últimos {count} de envios entregues.",
      other: "Tem os mesmos campos que os últimos {count} envios entregues.",
    },
    other: {
      one: "Em comparação com o último entregue ({count} envio):",
      many: "Em comparação com os últimos {count} de envios entregues:",
      other: "Em comparação com os últimos {count} envios entregues:",
    },
    missing: "“{field}” está faltando aqui.",
    added: "“{field}” é novo aqui.",
  },
  quiet: {
    badge: {
      one: "Sem envios há {count} dia",
      many: "Sem envios há {count} de dias",
      other: "Sem envios há {count} dias",
    },
    banner: {
      one: "Nada chega há {count} dia. O habitual é {usual} por dia. Envie o formulário uma vez pela página dele para ver se ainda funciona.",
      many: "Nada chega há {count} de dias. O habitual é {usual} por dia. Envie o formulário uma vez pela página dele para ver se ainda funciona.",
      other:
        "Nada chega há {count} dias. O habitual é {usual} por dia. Envie o formulário uma vez pela página dele para ver se ainda funciona.",
    },
    check: "Verificar o endereço",
  },
};

export default insight;
