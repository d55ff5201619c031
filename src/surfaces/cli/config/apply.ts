import { type LeafChange, patchOf } from "../../../lib/differences.ts";
import { distinct } from "../../../lib/email.ts";
import { webhookNames } from "../../../model/form-as-code.ts";
import { withWebhooks } from "../../../model/routing.ts";
import { ApiError, type Client, type Input } from "../../client/index.ts";
import { exit, Failure } from "../failure.ts";
import type { FormStep } from "./plan.ts";

/** The secret of a new webhook, which the API returns this once. */
export interface NewSecret {
  readonly form: string;
  readonly webhook: string;
  readonly secret: string;
}

/** Carries out a plan, one form after the other. Stops at the first refusal; repeating plan and apply finishes the rest. */
export async function applyAll(
  client: Client,
  team_id: string,
  steps: readonly FormStep[],
  on: { done(step: FormStep): void; secret(made: NewSecret): Promise<void> },
): Promise<void> {
  for (const [i, step] of steps.entries()) {
    try {
      await applyOne(client, team_id, step, on.secret);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const rest = i === 0 ? "" : ` ${i} of ${steps.length} forms are done; \`plan\` shows the rest.`;
      throw new Failure(`${step.key}: ${reason(error, step)}${rest}`, codeOf(error));
    }
    on.done(step);
  }
}

const RECIPIENTS = "self_email_notification.recipients";

const codeOf = ({ status }: ApiError) => (status === 401 || status === 403 ? exit.refused : exit.failed);

function reason({ code, message, param }: ApiError, { action }: FormStep): string {
  const moved = code === "version_mismatch" || (action !== "create" && code === "form_not_found");
  const made = action === "create" && param === "settings.key";
  return moved || made ? "it has changed since it was read. Plan again." : `${message} (${code})`;
}

async function applyOne(
  client: Client,
  team_id: string,
  step: FormStep,
  secret: (made: NewSecret) => Promise<void>,
): Promise<void> {
  const { action, key, live, form, settings, webhooks } = step;
  if (action === "delete") {
    await client.deleteForm({ form_id: live?.form.id ?? "" }, { ifMatch: live?.etag });
    return;
  }
  const ids = new Map([...webhookNames(live?.form.webhooks ?? [])].map(([id, name]) => [name, id]));
  // A routing may name webhooks that are not there yet.
  const isLate = webhooks.some(({ id }) => id === null) && settings.some(isRouting);
  const early = settingsPatch(step, ids, (change) => !isLate || !isRouting(change));
  const form_id = live ? live.form.id : await create(client, team_id, step, early);
  if (live) await update(client, live.etag, form_id, step, early, isLate);
  // First, since a new one may need the place or the URL; the server takes them out of the routing.
  for (const { id, changes } of webhooks) {
    if (changes === null) await client.deleteWebhook({ form_id, webhook_id: id ?? "" });
  }
  for (const { name, id, changes } of webhooks) {
    if (changes === null) continue;
    // The leaf's path begins with `webhooks` and the name.
    const body = patchOf(changes.map((change) => ({ ...change, path: change.path.slice(2) })));
    if (id !== null) await client.updateWebhook({ ...body, form_id, webhook_id: id });
    else {
      const made = await client.createWebhook({ ...body, form_id, description: name } as Input<"createWebhook">);
      ids.set(name, made.id);
      await secret({ form: key, webhook: name, secret: made.secret });
    }
  }
  if (isLate) {
    const late = { ...settingsPatch(step, ids, isRouting), form_id };
    await client.updateFormSettings(late as Input<"updateFormSettings">);
    if (live && form.length > 0) await client.updateForm({ ...patchOf(form), form_id } as Input<"updateForm">);
  }
}

const isRouting = ({ path }: LeafChange): boolean => path[1] === "routing";

/** Some of the settings that change, with the ids of webhooks in place of their names. */
function settingsPatch(
  { settings, policies, otherwise }: FormStep,
  ids: ReadonlyMap<string, string>,
  some: (change: LeafChange) => boolean,
): Record<string, unknown> {
  const own = patchOf(settings.filter(some).map((change) => ({ ...change, path: change.path.slice(1) })));
  const routing = own["routing"] as Record<string, unknown> | undefined;
  const whole = routing?.["otherwise"] ? { ...routing, otherwise } : routing;
  return {
    ...own,
    ...(own["fields"] !== undefined && { fields: policies }),
    ...(routing && { routing: withWebhooks(whole, (name) => ids.get(name) ?? name) }),
  };
}

/** Made together with its key, so that a second apply can't make it again. */
async function create(client: Client, team_id: string, { form }: FormStep, settings: object): Promise<string> {
  const body = { ...patchOf(form), settings, team_id } as unknown as Input<"createForm">;
  return (await client.createForm(body)).id;
}

/** Each call is on condition that the form is as the one before left it. */
async function update(
  client: Client,
  etag: string,
  form_id: string,
  { form, settings }: FormStep,
  early: object,
  isLate: boolean,
): Promise<void> {
  let ifMatch = etag;
  const onHeaders = (headers: Headers): void => {
    ifMatch = headers.get("etag") ?? ifMatch;
  };
  // Routing names recipients alone: the new ones that it names are there before it, and old ones until after it.
  const mail = form.find(({ path }) => path.join(".") === RECIPIENTS);
  const routing = JSON.stringify(settings.filter(isRouting).map(({ after }) => after)).toLowerCase();
  const before = (mail?.before ?? []) as string[];
  const recipients = distinct([
    ...before,
    ...((mail?.after ?? []) as string[]).filter((address) => routing.includes(JSON.stringify(address.toLowerCase()))),
  ]);
  if (mail && recipients.length > before.length) {
    await client.updateForm({ form_id, self_email_notification: { recipients } }, { ifMatch, onHeaders });
  }
  // Also without a change of its own: the call checks the version before webhooks are touched.
  await client.updateFormSettings({ ...early, form_id } as Input<"updateFormSettings">, { ifMatch, onHeaders });
  if (form.length > 0 && !isLate) {
    await client.updateForm({ ...patchOf(form), form_id } as Input<"updateForm">, { ifMatch, onHeaders });
  }
}
