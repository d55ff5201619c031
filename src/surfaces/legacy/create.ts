import { ApiError } from "../../errors.ts";
import { parseMailbox } from "../../lib/email.ts";
import { mergeLeaves } from "../../lib/merge.ts";
import { type LegacyCreate, parameters } from "./schema.ts";

/** The input of `createFormWithWebhooks` for legacy parameters. */
export function toForm(sent: LegacyCreate): Record<string, unknown> & { webhooks: { url: string }[] } {
  let input = {};
  const set = (path: string, value: unknown) => {
    input = mergeLeaves(input, path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value) as object);
  };
  for (const [name, { takes, sets }] of Object.entries(parameters)) {
    const value = sent[name];
    const [path = "", addressPath = ""] = sets;
    if (value === undefined || takes === "nothing" || name === "webhook") continue;
    if (takes === "sender") {
      const mailbox = parseMailbox(String(value));
      if (mailbox) set(addressPath, mailbox.address);
      if (!mailbox || mailbox.name) set(path, mailbox ? mailbox.name : value);
    } else if (typeof takes === "object") {
      set(path, takes[String(value)] || undefined);
    } else if (!path.endsWith(".template.html") || custom(name)) {
      set(path, value);
    }
  }
  return { ...input, webhooks: sent["webhook"] === undefined ? [] : [{ url: String(sent["webhook"]) }] };

  // In v1 a template with html is custom whatever its theme, so html is left out with a built-in theme.
  function custom(codeParameter: string): boolean {
    return (sent[codeParameter.replace("_code", "_theme")] ?? "Custom") === "Custom";
  }
}

/** An error about a v1 field, said of the parameter that sets it; any other is returned as it is. */
export function inLegacyTerms(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { param, code, headers, message } = error;
  if (param === undefined) return error;
  const path = param === "url" || param === "webhooks" ? "webhooks.0.url" : param;
  const [name] =
    Object.entries(parameters).find(([, { sets }]) => sets.some((own) => path === own || path.startsWith(`${own}.`))) ??
    [];
  if (!name) return error;
  return new ApiError(code, {
    param: name,
    message: message.replaceAll(`\`${param}\``, `\`${name}\``),
    headers,
    cause: error,
  });
}
