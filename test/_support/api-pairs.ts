import type { Operation } from "../../src/core/http/route.ts";
import { routes } from "../../src/surfaces/api/table.ts";
import { pixelPng } from "../unit/features/images/_images.ts";
import { harness } from "./backend.ts";

export type World = Awaited<ReturnType<typeof world>>;
export type RowName = keyof typeof routes;

/** A call of a row in process, and the HTTP request of the same call. */
export interface Pair {
  /** The call in process, where the row names none because another row has the same. */
  readonly call?: string;
  readonly host: (world: World) => Promise<unknown>;
  readonly query?: string;
  readonly body?: unknown;
  /** Turns the HTTP response into the result of the call in process. Default: both are equal. */
  readonly as?: (json: never) => unknown;
}

const since = "2025-12-31T00:00:00Z";
const someone = { email: "ann@example.com" };

export const pairs: Readonly<Record<Exclude<RowName, "me" | "tlsAllowed">, Pair>> = {
  health: { host: ({ b }) => b.health() },
  openapi: { host: async ({ b }) => b.openapi() },
  listForms: { host: ({ b }) => b.forms.list({ limit: 1 }), query: "?limit=1" },
  createForm: { host: ({ b }) => b.forms.create({ name: "New" }), body: { name: "New" } },
  listEmailServers: {
    call: "emailServers.list",
    host: async ({ b }) => ({ data: (await b.emailServers.list()).map(({ id, name, from }) => ({ id, name, from })) }),
  },
  retrieveForm: { host: ({ b, form }) => b.forms.get(form) },
  updateForm: {
    host: ({ b, form }) => b.forms.update(form, { name: "Changed" }),
    body: { name: "Changed" },
  },
  retrieveFormSettings: {
    call: "forms.get",
    host: async ({ b, form }) => (await b.forms.get(form)).settings,
  },
  updateFormSettings: {
    call: "forms.update",
    host: async ({ b, form }) => (await b.forms.update(form, { settings: { labels: { a: "A" } } })).settings,
    body: { labels: { a: "A" } },
  },
  deleteForm: { host: ({ b, form }) => b.forms.delete(form) },
  addRecipient: {
    host: ({ b, form }) => b.forms.addRecipient(form, "new@example.com"),
    body: { email: "new@example.com" },
  },
  removeRecipient: {
    host: ({ b, form }) => b.forms.removeRecipient(form, "owner@example.com"),
  },
  uploadImage: {
    host: ({ b, form }) => b.forms.uploadImage(form, { file: pixelPng, use: "after_submit_logo", name: "logo" }),
    body: () => {
      const parts = new FormData();
      parts.append("use", "after_submit_logo");
      parts.append("name", "logo");
      parts.append("file", new Blob([new Uint8Array(pixelPng)]), "logo.png");
      return parts;
    },
  },
  deleteImage: { host: ({ b, form, image }) => b.forms.deleteImage(form, image) },
  sendTestEmail: {
    host: ({ b, form }) => b.forms.sendTestEmail(form),
    body: { kind: "self_email_notification", to: "owner@example.com" },
  },
  listFields: { host: ({ b, form }) => b.forms.fields(form) },
  listSubmissions: {
    host: ({ b, form }) => b.submissions.list(form, { status: "all", field: { email: { eq: "ann@example.com" } } }),
    query: "?status=all&include=work&field[email][eq]=ann@example.com",
  },
  listAllSubmissions: { call: "submissions.list", host: ({ b }) => b.submissions.list(null), query: "?include=work" },
  countSubmissions: {
    host: ({ b, form }) => b.submissions.count(form, { group_by: "field:email" }),
    query: "?group_by=field:email",
  },
  backtestSpam: {
    host: ({ b, form }) => b.submissions.backtestSpam(form, { spam: { words: ["casino"] }, limit: 100 }),
    body: { spam: { words: ["casino"] }, limit: 100 },
  },
  retrieveStatistics: {
    host: ({ b, form }) => b.forms.statistics(form, { interval: "week", time_zone: "Asia/Kathmandu" }),
    query: "?interval=week&time_zone=Asia/Kathmandu",
  },
  exportSubmissions: {
    host: async ({ b, form }) => new Response(await b.submissions.export(form, { format: "json" })).json(),
    query: "?format=json",
  },
  listNotes: { host: ({ b, form, submission }) => b.submissions.notes(form, submission) },
  createNote: {
    host: ({ b, form, submission }) =>
      b.submissions.addNote(form, submission, { text: "Called back.", author: { id: "7", name: "test" } }),
    body: { text: "Called back." },
  },
  deleteNote: { host: ({ b, form, submission, note }) => b.submissions.deleteNote(form, submission, note) },
  listSavedReplies: { host: ({ b }) => b.savedReplies.list() },
  createSavedReply: {
    host: ({ b }) => b.savedReplies.create({ name: "Thanks", text: "Hello {{name}}" }),
    body: { name: "Thanks", text: "Hello {{name}}" },
  },
  updateSavedReply: {
    host: ({ b, reply }) => b.savedReplies.update(reply, { name: "Hello" }),
    body: { name: "Hello" },
  },
  deleteSavedReply: { host: ({ b, reply }) => b.savedReplies.delete(reply) },
  retrieveSubmission: {
    host: ({ b, form, submission }) => b.submissions.get(form, submission),
    query: "?include=work",
  },
  updateSubmission: {
    host: ({ b, form, submission }) => b.submissions.update(form, submission, { spam: false }, { deliver: true }),
    query: "?deliver=true&include=work",
    body: { spam: false },
  },
  deleteSubmission: {
    host: ({ b, form, submission }) => b.submissions.delete(form, submission),
  },
  bulkSubmissions: {
    host: ({ b, form, submission }) => b.submissions.bulk(form, { action: "mark_read", ids: [submission, "gone"] }),
    body: ({ submission }: World) => ({ action: "mark_read", ids: [submission, "gone"] }),
  },
  bulkMatchingSubmissions: {
    host: ({ b, form }) => b.submissions.bulkMatching(form, { status: "all", read: false }, { action: "mark_read" }),
    query: "?status=all&read=false",
    body: { action: "mark_read" },
  },
  listWebhooks: {
    host: ({ b, form }) => b.webhooks.list(form),
    as: ({ data }: { data: unknown }) => data,
  },
  createWebhook: {
    host: ({ b, form }) => b.webhooks.create(form, { url: "https://example.com/other" }),
    body: { url: "https://example.com/other" },
  },
  retrieveWebhook: { host: ({ b, form, webhook }) => b.webhooks.get(form, webhook) },
  updateWebhook: {
    host: ({ b, form, webhook }) => b.webhooks.update(form, webhook, { enabled: false }),
    body: { enabled: false },
  },
  deleteWebhook: { host: ({ b, form, webhook }) => b.webhooks.delete(form, webhook) },
  rotateWebhookSecret: {
    host: ({ b, form, webhook }) => b.webhooks.rotateSecret(form, webhook),
  },
  testWebhook: { host: ({ b, form, webhook }) => b.webhooks.test(form, webhook) },
  listDeliveries: {
    host: ({ b, form, webhook }) => b.deliveries.list(form, webhook, { status: "succeeded", limit: 1 }),
    query: "?status=succeeded&limit=1",
  },
  retrieveDelivery: {
    host: ({ b, form, webhook, submission }) => b.deliveries.get(form, webhook, submission),
  },
  redeliver: {
    host: ({ b, form, webhook, submission }) => b.deliveries.redeliver(form, webhook, submission),
  },
  backfillWebhook: {
    host: ({ b, form, webhook }) => b.webhooks.backfill(form, webhook, { created_after: since }),
    body: { created_after: since },
  },
  recoverDeliveries: {
    host: ({ b, form, webhook }) => b.deliveries.recover(form, webhook, { since, statuses: ["failed"] }),
    body: { since, statuses: ["failed"] },
  },
  listEmails: {
    host: ({ b, form }) => b.emails.list(form, { kind: "owner_email", status: "succeeded", limit: 1 }),
    query: "?kind=owner_email&status=succeeded&limit=1",
  },
  resendEmail: { host: ({ b, form, email }) => b.emails.resend(form, email) },
  listMessages: { host: ({ b, form, submission }) => b.messages.list(form, submission) },
  sendMessage: {
    call: "messages.send",
    host: ({ b, form, submission }) => b.messages.send(form, submission, { text: "Thank you." }),
    body: { text: "Thank you." },
    // A person is named by the credential.
    as: (json: object) => ({ ...json, author: { id: "host", name: "Form Backend" } }),
  },
  listSuppressions: { host: ({ b }) => b.suppressions.list({ limit: 1 }), query: "?limit=1" },
  addSuppression: {
    host: ({ b }) => b.suppressions.add({ email: "owner@example.com" }),
    body: { email: "owner@example.com" },
  },
  removeSuppression: { host: ({ b }) => b.suppressions.remove("owner@example.com") },
  getSpamModel: { host: ({ b }) => b.spamModel.get() },
  forgetSpamModel: { host: ({ b }) => b.spamModel.forget() },
  retrieveSenderDomain: { host: ({ b }) => b.senderDomains.get("sender.test", { team_id: "default" }) },
  exportDataSubject: { host: ({ b }) => b.dataSubjects.export(someone), body: someone },
  eraseDataSubject: { host: ({ b }) => b.dataSubjects.erase(someone), body: someone },
};

/** The name of a row's call in process. */
export const callOf = (name: keyof typeof pairs): string | undefined =>
  pairs[name].call ?? (routes[name] as Operation).call;

/** Rows without a call in process, and why. */
export const httpOnly: Readonly<Record<string, string>> = {
  me: "a call in process has no credential that it could describe",
  tlsAllowed: "a proxy asks by the status; in process, `hostAllowed` says true or false",
};

/** Calls without a row, and why. */
export const inProcessOnly: Readonly<Record<string, string>> = {
  fetch: "answers HTTP",
  handle: "answers HTTP",
  ready: "the life of the process",
  close: "the life of the process",
  tick: "the life of the process",
  nextDueAt: "the life of the process",
  sweep: "the life of the process",
  on: "hands over a function",
  off: "hands over a function",
  submit: "the public endpoint's",
  usage: "what a host bills",
  renderToken: "the public endpoint's",
  "inbox.link": "lets a person in, which is the host's to decide",
  "inbox.endSessions": "shows a person out, which is the host's to decide",
  hostAllowed: "the other side of `GET /v1/tls-allowed`, which is a status",
  "forms.useSchema": "hands over a function",
  "forms.overview": "what a list of forms in a host's own pages needs at one glance",
  "forms.copy": "crosses teams, which are the host's",
  "forms.move": "crosses teams, which are the host's",
  "forms.lock": "the host's judgement about a form, which its team can't undo",
  "forms.unlock": "the host's judgement about a form, which its team can't undo",
  "forms.shred": "past undoing, and so the host's",
  "forms.html": "for a host that renders the page of the form itself",
  "submissions.import": "reads whole files, and mails and delivers nothing",
  "submissions.deleteImported": "the other side of `submissions.import`",
  "forms.ensure": "what start-up code needs; over HTTP, create a form with `settings.key`",
  "audit.list": "who did what in a team, which the host shows where it wants",
  "audit.export": "who did what in a team, which the host shows where it wants",
  "teams.create": "tenancy is the host's",
  "teams.get": "tenancy is the host's",
  "teams.update": "tenancy is the host's",
  "teams.verifyDomain": "tenancy is the host's",
  "teams.list": "tenancy is the host's",
  "teams.export": "takes everything of a customer out, which is the host's to give",
  "teams.delete": "tenancy is the host's",
  "teams.deletion": "tenancy is the host's",
  "teams.ensure": "tenancy is the host's",
  "keys.create": "tenancy is the host's",
  "keys.get": "tenancy is the host's",
  "keys.list": "tenancy is the host's",
  "keys.revoke": "tenancy is the host's",
  "emailServers.create": "tenancy is the host's",
  "emailServers.get": "tenancy is the host's",
  "emailServers.list": "tenancy is the host's",
  "emailServers.update": "tenancy is the host's",
  "emailServers.delete": "tenancy is the host's",
  "abuse.list": "reports about forms of every team",
  "jobs.list": "shows the addresses of every mail",
  "jobs.page": "shows the addresses of every mail",
  "jobs.get": "knows jobs of every form and kind",
  "jobs.retry": "knows jobs of every form and kind",
  "jobs.recover": "sends what any form has",
  "secrets.reseal": "belongs to the option `secret`, which only the host has",
};

export const world = async () => {
  const b = harness({ rateLimit: false, plans: { unlimited: { webhooks_per_form: 2 } } });
  b.answerWebhooks((call) => (call.body.includes("fails") ? 410 : 200));
  const { id: form } = await b.forms.create({
    name: "Contact",
    avatar: "📬",
    self_email_notification: { recipients: ["owner@example.com"] },
  });
  const { id: webhook } = await b.webhooks.create(form, { url: "https://example.com/hook" });
  const { id: submission } = await b.submit(form, { fields: { email: "ann@example.com", text: "Hello" } });
  await b.tick();
  await b.submit(form, { fields: { email: "bob@example.com", text: "fails" } });
  await b.tick();
  const { id: image } = await b.forms.uploadImage(form, { file: pixelPng, use: "after_submit_logo", name: "first" });
  const [job] = await b.jobs.list({ submission_id: submission, kind: "owner_email" });
  await b.suppressions.add({ email: "owner@example.com" });
  await b.teams.update("default", { sender_domains: ["sender.test"] });
  // By the key that deletes it, for nobody else may.
  const noted = await b.call("POST", `/v1/forms/${form}/submissions/${submission}/notes`, { body: { text: "Mine." } });
  const { id: reply } = await b.savedReplies.create({ name: "Thanks", text: "Hello" });
  return { b, form, webhook, submission, image, email: job?.id ?? "", note: String(noted.json.id), reply };
};
