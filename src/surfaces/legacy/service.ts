import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { createForm } from "../../features/forms/create.ts";
import { parseMailbox } from "../../lib/email.ts";
import { parseInput } from "../../lib/input.ts";
import { mergeLeaves } from "../../lib/merge.ts";
import { HostFormCreate } from "../../model/form-input.ts";
import type { Caller } from "../../model/keys.ts";
import { type LegacyCreate, parameters } from "./schema.ts";

/** Creates a form with its webhook in one commit, and returns its endpoint. Throws the errors of `createForm`, in legacy terms. */
export async function createLegacyForm(core: Core, caller: Caller, sent: LegacyCreate): Promise<string> {
  try {
    const { webhooks, ...input } = toForm(sent);
    // Old clients send addresses of any domain: replies go there, and mail is sent from it if it may be.
    const form = await createForm(core, caller, parseInput(HostFormCreate, input), webhooks, { anySender: true });
    return form.value.endpoint;
  } catch (error) {
    throw error instanceof ApiError ? inLegacyTerms(error) : error;
  }
}

/** The v1 input for legacy parameters. */
function toForm(sent: LegacyCreate): Record<string, unknown> & { webhooks: { url: string }[] } {
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

/** An error about a v1 field, said of the parameter that sets it. */
function inLegacyTerms(error: ApiError): ApiError {
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
