import { ApiError, type Client, type Item, type Result } from "../client/index.ts";
import { Failure } from "./failure.ts";
import { safeLine } from "./text.ts";

type Form = Result<"retrieveForm">;
type Webhook = Result<"retrieveWebhook">;

/** Requests in flight while a key is searched. */
const AT_ONCE = 8;
const KEY = /^[a-z][a-z0-9-]{0,62}$/;

/** The forms in groups, so that a search can stop early. */
async function* groups(client: Client): AsyncGenerator<Item<"listForms">[], void> {
  let group: Item<"listForms">[] = [];
  for await (const form of client.listForms.all({})) {
    group.push(form);
    if (group.length === AT_ONCE) {
      yield group;
      group = [];
    }
  }
  yield group;
}

/** The form with this id, or with this key. Throws `Failure` if there is none, or if forms of several teams have the key. */
export async function findForm(client: Client, name: string): Promise<Form> {
  try {
    return await client.retrieveForm({ form_id: name });
  } catch (error) {
    const missing =
      error instanceof ApiError && (error.code === "form_not_found" || error.code === "invalid_parameter");
    if (!missing) throw error;
  }
  const found: Form[] = [];
  if (KEY.test(name)) {
    for await (const group of groups(client)) {
      const settings = await Promise.all(group.map(({ id }) => client.retrieveFormSettings({ form_id: id })));
      found.push(...group.filter((_, i) => settings[i]?.key === name));
    }
  }
  const [form, other] = found;
  if (!form) throw new Failure(`There is no form with the id or key "${safeLine(name)}". \`forms list\` shows all.`);
  if (other) throw new Failure(`Forms of several teams have the key "${name}": use the id ${form.id} or ${other.id}.`);
  return form;
}

/** The webhook of a form with this id, or with this description. Throws `Failure` if there is not exactly one. */
export function findWebhook(form: Form, name: string): Webhook {
  const byId = form.webhooks.find(({ id }) => id === name);
  if (byId) return byId;
  const [webhook, other] = form.webhooks.filter(({ description }) => description === name);
  if (webhook && !other) return webhook;
  const ids = form.webhooks.map(({ id }) => id).join(", ") || "none";
  const which = other ? "several webhooks" : "no webhook";
  throw new Failure(`The form has ${which} with the name "${safeLine(name)}". The ids of its webhooks: ${ids}.`);
}
