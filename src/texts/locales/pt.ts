import type { Locale } from "./_types.ts";

/** Portuguese, as it is written in Brazil. */
const pt: Locale = {
  tag: "pt",
  dir: "ltr",

  defaults: {
    headline: "Obrigado!",
    message: "Recebemos o seu envio.",
    return: "Voltar",
    owner_subject: "Novo envio: {form}",
    reply_subject: "Obrigado pela sua mensagem",
    reply_message: "Obrigado. Recebemos a sua mensagem e entraremos em contato.",
    opt_in_subject: "Confirme o seu endereço de e-mail",
    opt_in_message: "Confirme que você enviou o formulário “{form}” e que este endereço de e-mail é seu.",
  },

  page: {
    back: "Voltar",
    back_by_browser: "Para voltar ao formulário, use o botão Voltar do navegador.",
    send_again: "Enviar novamente",
    choose_again: {
      one: "Escolha o arquivo novamente.",
      other: "Escolha os arquivos novamente.",
    },
    value_again: "Digite isto novamente.",
    choose: "Escolha uma opção",
    incomplete: "O formulário não chegou inteiro. Verifique-o antes de enviar novamente.",
    not_taken: "Nada foi enviado: o serviço não está pronto no momento. Tente novamente em alguns segundos.",
    download: "Baixar",
    endpoint_title: "Este endereço recebe um formulário",
    endpoint_text:
      "Ele recebe o que o formulário de um site envia; não há nada para ver aqui. Se o formulário é seu, use-o em uma página assim:",
  },

  errors: {
    invalid_parameter: "Não é possível ler o que foi enviado.",
    empty_submission: "O formulário estava vazio.",
    plan_restricted: "Este formulário não aceita arquivos.",
    form_inactive: "Este formulário não aceita envios no momento.",
    origin_not_allowed: "Este formulário não aceita envios deste site.",
    not_found: "Não há nada neste endereço.",
    form_not_found: "Este formulário não existe.",
    method_not_allowed: "Este endereço não é usado desta forma.",
    request_timeout: "O envio demorou demais para chegar.",
    idempotency_in_progress: "Este mesmo envio ainda está sendo processado. Tente novamente em instantes.",
    payload_too_large: "O envio é maior do que este formulário aceita.",
    too_many_files: "O envio tem mais arquivos do que este formulário aceita.",
    unsupported_media_type: "Este formulário não aceita envios neste formato.",
    file_type_not_allowed: "Arquivos deste tipo não são aceitos.",
    idempotency_mismatch:
      "Este formulário já foi enviado com outras respostas. Envie novamente se estas também devem ser enviadas.",
    validation_failed: "Algumas respostas precisam de revisão.",
    captcha_failed: "O captcha não foi resolvido. Tente novamente.",
    rate_limited: "Muitos envios de uma só vez. Espere um pouco e tente novamente.",
    internal_error: "Algo deu errado do nosso lado.",
    unavailable: "O serviço não está disponível no momento. Tente novamente em breve.",
    unconfirmed: "Não foi possível confirmar se o seu envio foi salvo. Envie novamente: ele será salvo uma única vez.",
  },

  titles: {
    empty_submission: "Nada para enviar",
    invalid_parameter: "Não foi possível ler o formulário",
    form_inactive: "Este formulário está fechado",
    origin_not_allowed: "Não aceito a partir deste site",
    plan_restricted: "Arquivos não são aceitos",
    not_found: "Não há nada aqui",
    form_not_found: "Formulário não encontrado",
    method_not_allowed: "Isto não funciona aqui",
    request_timeout: "Demorou demais",
    idempotency_in_progress: "Aguarde um momento",
    idempotency_mismatch: "Já foi enviado",
    payload_too_large: "Grande demais",
    too_many_files: "Arquivos demais",
    unsupported_media_type: "Formato não aceito",
    file_type_not_allowed: "Este arquivo não é aceito",
    validation_failed: "Verifique as suas respostas",
    captcha_failed: "Tente novamente",
    rate_limited: "Envios demais",
    unavailable: "Tente novamente",
    internal_error: "Algo deu errado",
    other: "Não funcionou",
  },

  validation: {
    required: "O campo “{field}” é obrigatório.",
    pattern: "O formato do campo “{field}” não é válido.",
    email: "O campo “{field}” deve ser um endereço de e-mail válido.",
    url: "O campo “{field}” deve ser um endereço da web válido.",
    number: "O campo “{field}” deve ser um número.",
    contains: "O campo “{field}” deve conter “{wanted}”.",
    not_contains: "O campo “{field}” não deve conter “{wanted}”.",
    equals: "O campo “{field}” não tem o valor esperado.",
    one_of: "O campo “{field}” deve ser um destes valores: {list}.",
    one_of_listed: "O campo “{field}” deve ser um dos valores da lista.",
    min_length: {
      one: "O campo “{field}” deve ter pelo menos {count} caractere.",
      other: "O campo “{field}” deve ter pelo menos {count} caracteres.",
    },
    max_length: {
      one: "O campo “{field}” deve ter no máximo {count} caractere.",
      other: "O campo “{field}” deve ter no máximo {count} caracteres.",
    },
    min: "O campo “{field}” deve ser no mínimo {wanted}.",
    max: "O campo “{field}” deve ser no máximo {wanted}.",
    date: "O campo “{field}” deve ser uma data válida, por exemplo 2026-12-31.",
    phone: "O campo “{field}” deve ser um número de telefone válido.",
    too_long: "O campo “{field}” é longo demais para esta verificação.",
    comma: ", ",
    more: { one: "{message} (e mais {count} erro)", other: "{message} (e mais {count} erros)" },
  },

  files: {
    too_large: "O arquivo em “{field}” passa de {size}.",
    too_large_together: "Com o arquivo em “{field}”, os arquivos passam de {size} no total.",
    too_many: {
      one: "O arquivo em “{field}” está sobrando: no máximo {count} é aceito.",
      other: "O arquivo em “{field}” está sobrando: no máximo {count} são aceitos.",
    },
    type: "O arquivo em “{field}” é de um tipo que este formulário não aceita.",
    virus: "O antivírus recusou o arquivo em “{field}”.",
    bytes: { one: "{count} byte", other: "{count} bytes" },
    kilobytes: "{amount} KB",
    megabytes: "{amount} MB",
  },

  confirmation: {
    old_title: "Este link expirou",
    old_text: "Nada foi alterado. No próximo envio do formulário, chegará um novo e-mail com um novo link.",
    ask_title: "Receber e-mails sobre os envios?",
    ask_text: "{address} receberá um e-mail a cada envio do formulário.",
    confirm: "Confirmar",
    done_title: "Confirmado",
    done_text: "Os e-mails sobre os envios agora chegam a {address}.",
    invalid_title: "Este link não é válido",
    invalid_text: "Ele está incompleto ou foi alterado. Abra-o novamente a partir do e-mail.",
    mail_subject: "Você quer receber e-mails sobre os envios de um formulário?",
    mail_asked: "{team} informou {address} em {brand} como endereço a ser avisado de cada envio de um formulário.",
    mail_somebody: "Alguém informou {address} em {brand} como endereço a ser avisado de cada envio de um formulário.",
    mail_how: {
      one: "Para receber esses e-mails, abra este link e confirme em até {count} dia:",
      other: "Para receber esses e-mails, abra este link e confirme em até {count} dias:",
    },
    mail_link: "Confirmar este endereço",
    mail_footer: "Se você não sabe do que se trata, não faça nada: sem a sua confirmação, nenhum será enviado.",
  },

  opt_in: {
    thanks: "Abra o e-mail que enviamos para você e confirme. Até lá, o seu envio fica em espera.",
    mail_how: {
      one: "Para confirmar, abra este link em até {count} dia e clique no botão:",
      other: "Para confirmar, abra este link em até {count} dias e clique no botão:",
    },
    mail_footer:
      "Se não foi você, outra pessoa informou o seu endereço. Nesse caso, não faça nada: o que foi enviado será excluído.",
    done: "Obrigado. O seu envio está confirmado.",
    late: "Ninguém confirmou a tempo, e o que foi enviado foi excluído. Você pode preencher o formulário de novo.",
  },

  notification: {
    kicker: "Novo envio",
    title: "Novo envio: {form}",
    spam: "Este envio foi reconhecido como spam.",
    files: "Arquivos",
    links_until: "Os links funcionam até {date}.",
    shortened: "… (abreviado aqui; a parte em texto simples deste e-mail traz tudo)",
    more_fields: {
      one: "Mais {count} campo: veja a parte em texto simples deste e-mail.",
      other: "Mais {count} campos: veja a parte em texto simples deste e-mail.",
    },
    sent_from: "Enviado pelo formulário “{form}” em {time}.",
    reply_to: "Responda a este e-mail para escrever a {address}.",
  },

  reply: {
    title: "A sua mensagem para {name}",
    automatic: "Esta é uma resposta automática a uma mensagem enviada pelo formulário “{form}” em {time}.",
    not_you: "Se não foi você, outra pessoa informou o seu endereço, e você não precisa fazer nada.",
  },

  summary: {
    subject: { one: "{count} novo envio", other: "{count} novos envios" },
    why: "Em uma hora, mais de 60 e-mails sobre envios iriam para este endereço. Os demais são reunidos aqui, em um só e-mail por hora.",
    head: "{form}, {time}",
    head_spam: "{form}, {time} (spam)",
    counted: {
      one: "Mais {count} envio de “{form}” não coube aqui; está salvo com os outros.",
      other: "Mais {count} envios de “{form}” não couberam aqui; estão salvos com os outros.",
    },
    more: {
      one: "Mais {count}: veja a parte em texto simples.",
      other: "Mais {count}: veja a parte em texto simples.",
    },
    footer: "Você recebe este e-mail porque o seu endereço está entre os destinatários destes formulários.",
  },

  webhook: {
    off_subject: "O webhook de “{form}” foi desativado",
    failing_subject: "O webhook de “{form}” continua falhando",
    gone: "{host} respondeu 410 Gone, ou seja, não quer receber mais nada.",
    deleted: "{host} respondeu {status}, ou seja, o webhook foi excluído lá.",
    failing: "Todas as entregas a {host} falharam desde {time}. A última tentativa terminou com {end}.",
    its_address: "o endereço dele",
    off_text:
      "O webhook foi desativado, e nada será enviado a ele até que seja ativado de novo. Os envios continuam sendo salvos; os que não foram entregues poderão então ser entregues novamente.",
    failing_text:
      "Cada entrega é tentada durante 72 horas. Se nenhuma der certo em 5 dias, o webhook é desativado. Os envios continuam sendo salvos.",
    why: "Você recebe este e-mail porque o formulário “{form}” pertence à sua equipe.",
    id: "Webhook {id}",
    id_described: "Webhook {id}: {description}",
  },

  plan: {
    subject: "Os seus formulários esgotaram os envios deste mês",
    text: {
      one: "O seu plano “{plan}” inclui {count} envio por mês, e em {month} (UTC) ele já foi usado. Spam não conta.",
      other:
        "O seu plano “{plan}” inclui {count} envios por mês, e em {month} (UTC) todos já foram usados. Spam não conta.",
    },
    meaning:
      "Os demais envios deste mês são salvos como sempre, mas sem e-mails, respostas automáticas e webhooks. Com um plano maior, ou a partir do próximo mês, tudo volta a ser enviado.",
    footer: "Você recebe este e-mail, no máximo uma vez por mês, porque a equipe {team} é sua.",
  },

  test: {
    subject: "[Teste] {subject}",
    note: "Este é um e-mail de teste. O conteúdo é inventado; ninguém enviou nada.",
    message: "Isto é um teste. Ele mostra como chega um envio do seu formulário.",
  },
};

export default pt;
