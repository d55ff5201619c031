import { addressPolicy } from "../../../lib/net-guard.ts";
import type { Findings } from "../../../lib/sender-dns/finding.ts";
import { ApiError, type Client, type Item } from "../../client/index.ts";
import { variable } from "../environment.ts";
import { findForm } from "../find.ts";
import { safeLine } from "../text.ts";
import { ask } from "./ask.ts";
import type { Checker } from "./checker.ts";
import type { Reached } from "./network.ts";

type Form = Item<"listForms">;

/** Forms that are looked at without `--form`. */
const MAX_FORMS = 20;
const SUBMISSIONS = 50;

export interface FormOptions {
  readonly form?: string;
  readonly origin?: string;
  readonly send?: boolean;
}

/** Checks forms through the API: endpoint, CORS, emails, webhooks, and the visitors' addresses. Throws `ApiError` if the key is refused. */
export async function checkForms(
  checker: Checker,
  api: Client,
  { url, reached }: { readonly url: string; readonly reached: Reached },
  { form: name, origin, send = false }: FormOptions,
): Promise<void> {
  const { check } = checker;
  const forms = name === undefined ? (await api.listForms({ limit: MAX_FORMS })).data : [await findForm(api, name)];
  const [first] = forms;
  if (!first) {
    return check("forms", async (find) =>
      find.skipped("There is no form yet.", "Create one with: form-backend forms create"),
    );
  }
  await check("endpoint", async (find) => {
    const base = first.endpoint.slice(0, first.endpoint.lastIndexOf("/f/"));
    if (base === url) return find.ok(`Forms post to ${base}/f/…`);
    find.failed(
      `Forms post to ${base}/f/…, because that is the backend's baseUrl, but this command reaches it at ${url}.`,
      "Set baseUrl (FORM_BACKEND_URL for serve) to the address that visitors use.",
    );
  });
  await check("trustProxy", (find) => checkProxy(checker, api, reached, find));
  for (const form of forms) {
    const label = forms.length > 1 ? ` ${safeLine(form.name)}` : "";
    if (form === first || name !== undefined || origin !== undefined) {
      await check(`CORS${label}`, (find) => checkCors(checker, api, { form, url, origin }, find));
    }
    await check(`mail${label}`, (find) => checkEmails(api, form, find));
    await check(`webhooks${label}`, (find) => checkWebhooks(api, form, send, find));
  }
}

/** Addresses of visitors that are a proxy's give it away. */
async function checkProxy({ io }: Checker, api: Client, { local, proxy }: Reached, find: Findings): Promise<void> {
  const { data } = await api.listAllSubmissions({ status: "all", limit: SUBMISSIONS });
  const addresses = new Set(data.flatMap(({ ip }) => (ip === null ? [] : [ip])));
  const [only] = addresses;
  const todo = "Set trustProxy (FORM_BACKEND_TRUST_PROXY for serve) to the number of proxies in front, such as 1.";
  if (only === undefined) {
    return find.skipped("No submission with an address yet.", "Post one from another machine, and repeat the check.");
  }
  const outside = addressPolicy();
  const seen = proxy === null ? "" : `, and responses have the header ${proxy}`;
  if (addresses.size === 1 && !outside.allows(only) && (!local || proxy !== null)) {
    const count = data.length === 1 ? "The latest submission came" : `The latest ${data.length} submissions all came`;
    return find.failed(
      `${count} from ${only}${seen}: that is a proxy, so rate limits and spam checks see one visitor.`,
      variable(io.env, "FORM_BACKEND_TRUST_PROXY") === undefined ? todo : `${todo} It may be too small now.`,
    );
  }
  find.ok(
    `The latest ${data.length} submissions came from ${addresses.size} ${addresses.size === 1 ? "address" : "addresses"}.`,
  );
}

/** The preflight that a browser sends before a script's post with JSON. */
async function checkCors(
  { io }: Checker,
  api: Client,
  { form, url, origin }: { readonly form: Form; readonly url: string; readonly origin: string | undefined },
  find: Findings,
): Promise<void> {
  const { allowed_origins } = await api.retrieveFormSettings({ form_id: form.id });
  const from = origin ?? allowed_origins[0] ?? "https://example.com";
  const answer = await ask(io, `${url}/f/${form.id}`, {
    method: "OPTIONS",
    headers: {
      origin: from,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    },
  });
  if ("reason" in answer) return find.failed(`The preflight got no response: ${answer.reason}`, answer.todo);
  const allowed = answer.headers.get("access-control-allow-origin");
  const methods = answer.headers.get("access-control-allow-methods") ?? "";
  if (allowed?.includes(",")) {
    return find.failed(
      `The response has Access-Control-Allow-Origin twice (${allowed}): browsers refuse it.`,
      "Remove the CORS headers that your proxy or host adds below this path.",
    );
  }
  if (allowed !== "*" && allowed !== from) {
    const refused = allowed_origins.length > 0 && !allowed_origins.includes(from);
    return refused
      ? find.failed(
          `The form does not allow ${from}.`,
          `Add it to the form's allowed_origins: ${allowed_origins.join(", ")}`,
        )
      : find.failed(
          `The preflight gets ${answer.status} without Access-Control-Allow-Origin: something else responds to OPTIONS.`,
          "Have your proxy or host pass OPTIONS below this path on to the backend.",
        );
  }
  if (!/\bPOST\b|\*/.test(methods)) {
    return find.failed(
      "The preflight does not allow POST.",
      "Have your proxy or host leave the CORS headers unchanged.",
    );
  }
  find.ok(`Pages of ${from} may post from scripts.`);
}

async function checkEmails(api: Client, form: Form, find: Findings): Promise<void> {
  const { enabled, recipients } = form.self_email_notification;
  if (enabled && recipients.length === 0) {
    find.warning(
      "The notification is on but has no recipients.",
      "Add an address to self_email_notification.recipients.",
    );
  }
  const latest = async (status: "failed" | "retrying") =>
    (await api.listEmails({ form_id: form.id, status, limit: 1 })).data[0];
  const email = (await latest("failed")) ?? (await latest("retrying"));
  if (email) {
    return find.failed(
      `The ${email.kind} of ${email.occurred_at.slice(0, 16).replace("T", " ")} ${email.status === "failed" ? "failed" : "is being retried"}: ${email.code}${email.message ? `, ${email.message}` : ""}.`,
      "Correct the mail server (see SMTP login), then send it again in the inbox.",
    );
  }
  if (recipients.length > 0 || !enabled)
    find.ok(
      enabled
        ? `No failed email. Recipients of notifications: ${recipients.length}.`
        : "No failed email. The notification is off.",
    );
}

async function checkWebhooks(api: Client, form: Form, send: boolean, find: Findings): Promise<void> {
  for (const { id, url, enabled, description, last_delivery } of form.webhooks) {
    const label = description || url;
    if (!enabled) {
      find.warning(`${label} is off: nothing is sent to it.`, "Correct the receiver, and turn the webhook on.");
      continue;
    }
    if (send) {
      const { delivered, http_status, node_error_code } = await api.testWebhook({ form_id: form.id, webhook_id: id });
      if (delivered) find.ok(`${label} accepted the test event with ${http_status}.`);
      else {
        const answer = http_status === null ? `gave no response (${node_error_code})` : `answered ${http_status}`;
        find.failed(
          `${label} ${answer} to the test event.`,
          "See the log of the receiver; it has to respond with 2xx within 15 s.",
        );
      }
      continue;
    }
    if (last_delivery === null || ["succeeded", "pending"].includes(last_delivery.status)) {
      find.ok(`${label}: ${last_delivery ? "the last delivery succeeded" : "nothing was sent yet"}.`);
      continue;
    }
    const { status, at, response_status } = last_delivery;
    find.failed(
      `${label}: the delivery of ${at.slice(0, 16).replace("T", " ")} is ${status}${response_status === null ? ", without a response" : `, answered with ${response_status}`}.`,
      `See: form-backend deliveries list ${form.id} ${id}`,
    );
  }
  if (form.webhooks.length === 0) find.ok("There are none.");
}

/** True if the key was refused. */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);
