import { toVisitorError } from "../../core/http/envelope.ts";
import { addressKey, addressOf } from "../../core/http/limits.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { toldIn } from "../../texts/locales/_told.ts";
import { messagePage } from "../pages/message-page.ts";
import { facing } from "../teams/face.ts";
import { confirmRecipient, readLink } from "./recipient-confirmation.ts";

const PATH = "/c/recipient/:token";

/** The target of a confirmation link. Only pressing the button confirms: programs that scan mails open its links too. */
export const confirmationRoutes: readonly RawRoute[] = [
  { method: "GET", path: PATH, handler: (exchange, params) => answer(exchange, params["token"] ?? "", false) },
  { method: "POST", path: PATH, handler: (exchange, params) => answer(exchange, params["token"] ?? "", true) },
];

async function answer(exchange: Exchange, token: string, confirms: boolean): Promise<Response> {
  const { core, request, requestId } = exchange;
  const words = core.options.languages.choose({ header: request.headers.get("accept-language") });
  const said = words.confirmation;
  let { look } = core.options;
  try {
    const ip = addressKey(addressOf(exchange));
    if (ip !== null) await core.limits.take("perIp", ip);
    const asked = readLink(core, token);
    if (!asked) return messagePage({ words, look, title: said.old_title(), message: said.old_text(), status: 410 });
    const { address, team_id } = asked;
    const { options } = await facing(core, team_id);
    look = options.look;
    if (!confirms) {
      return messagePage({
        words,
        look,
        title: said.ask_title(),
        message: said.ask_text({ address }),
        button: { text: said.confirm(), action: `${options.baseUrl}/c/recipient/${token}` },
      });
    }
    await confirmRecipient(core, asked);
    return messagePage({ words, look, title: said.done_title(), message: said.done_text({ address }) });
  } catch (thrown) {
    const error = toVisitorError(thrown, requestId, core.options.logger);
    const unknown = error.status === 404;
    return messagePage({
      words,
      look,
      title: unknown ? said.invalid_title() : words.titles.other(),
      message: unknown ? said.invalid_text() : toldIn(words, error).message,
      status: error.status,
      headers: error.headers,
    });
  }
}
