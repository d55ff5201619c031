import { errorBody } from "../../core/http/error-body.ts";
import { ApiError, type ErrorCode } from "../../errors.ts";
import { defaultAfterSubmit } from "../../features/forms/defaults.ts";
import type { Note } from "../../model/activities.ts";
import type { FormEmail } from "../../model/emails.ts";
import { defaultSettings, type FormSettings } from "../../model/form-settings.ts";
import type { Form } from "../../model/forms.ts";
import type { Delivery } from "../../model/jobs.ts";
import type { Scope } from "../../model/keys.ts";
import type { SavedReply } from "../../model/saved.ts";
import type { Submission } from "../../model/submissions.ts";
import type { Webhook } from "../../model/webhooks.ts";
import { conversationExamples } from "./examples-conversations.ts";
import type { JsonSchema } from "./schema-book.ts";

const at = "2026-11-21T08:00:00.000Z";
const form_id = "a1B2c3D4e5F";
const submission_id = "019b76da6a00000000000001";

const webhook: Webhook = {
  id: "whk_5f0c1d2e3f4a5b6c7d8e9f00",
  url: "https://example.com/hooks/forms",
  enabled: true,
  description: "CRM",
  events: ["submission.created"],
  signing: { algorithm: "hmac-sha256", header: "X-Service-Signature" },
  last_delivery: { at, status: "succeeded", response_status: 204, attempt: 1 },
  created_at: at,
};

const form: Form = {
  id: form_id,
  team_id: "default",
  name: "Contact",
  active: true,
  folder_id: null,
  avatar: "📬",
  endpoint: `https://app.example.com/forms/f/${form_id}`,
  created_at: at,
  last_submission_at: at,
  submissions: { this_month: 12, all_time: 340 },
  storage: { store_submissions: true, keep_for: "forever" },
  spam: { protection: true, captcha: { provider: "none", secret_key_set: false } },
  self_email_notification: {
    enabled: true,
    recipients: ["owner@example.com"],
    include_spam: false,
    subject: "New submission: {{form.name}}",
    logo_url: "",
    logo_height: 48,
    template: { type: "theme", theme: "fancy", html: "" },
    sender: { type: "default", server_id: "", name: "", email: "" },
  },
  auto_response: {
    enabled: false,
    subject: "Thank you for your message",
    from_name: "",
    logo_url: "",
    logo_height: 48,
    template: {
      type: "theme",
      theme: "fancy",
      message: "Thank you. We received your message and will get back to you.",
      html: "",
    },
  },
  after_submit: { type: "page", ...defaultAfterSubmit() },
  webhooks: [webhook],
  validation: { enabled: true, rules: [{ field: "email", checks: [{ type: "email", value: "", message: "" }] }] },
};

const settings: FormSettings = {
  ...defaultSettings(),
  key: "contact",
  allowed_origins: ["https://example.com"],
  labels: { msg: "Your message" },
};

const submission: Submission = {
  id: submission_id,
  form_id,
  created_at: at,
  spam: false,
  read: false,
  ip: "203.0.113.9",
  country: "DE",
  user_agent: "Mozilla/5.0",
  referer: "https://example.com/contact",
  fields: [
    { key: "email", value: "ann@example.com" },
    { key: "message", value: "Hello!" },
  ],
  attachments: [],
};

const ann = { id: "7", name: "Ann" };
const note: Note = {
  id: "act_5f0c1d2e3f4a5b6c7d8e9f00",
  author: ann,
  text: "Called back, waits for an offer.",
  created_at: at,
};
const reply: SavedReply = { id: "rpl_5f0c1d2e3f4a5b6c7d8e9f00", name: "Thanks", text: "Hello {{name}}, thank you!" };

const delivery: Delivery = {
  submission_id,
  webhook_id: webhook.id,
  status: "retrying",
  code: "ERROR_WEBHOOK_HTTP_5XX",
  attempt: 2,
  http_status: 503,
  message: "HTTP 503",
  occurred_at: at,
};

const email: FormEmail = {
  id: "msg_019b76da6a0012345678901234567890",
  submission_id,
  kind: "owner_email",
  to: "owner@example.com",
  status: "retrying",
  code: "ERROR_EMAIL_SMTP_4XX",
  message: "450 4.2.2 Mailbox full",
  attempt: 2,
  next_attempt_at: "2026-11-21T08:02:00.000Z",
  occurred_at: at,
};

const serverId = "srv_019b76da6a0012345678901234567890";
const emailServer = { id: serverId, name: "Our server", from: "Our team <team@example.com>" };

/** An example of each schema that is named in the document. A test parses every one by its schema. */
const examples: Readonly<Record<string, unknown>> = {
  Form: form,
  EmailServerName: emailServer,
  EmailServerNames: { data: [emailServer] },
  FormList: { data: [form], has_more: false, next_cursor: null },
  FormCreate: { name: "Contact", self_email_notification: { recipients: ["owner@example.com"] } },
  FormPatch: { active: false, after_submit: { redirect: { success_url: "https://example.com/thanks" } } },
  FormSettings: settings,
  FormSettingsPatch: { key: "contact", labels: { phone: null, msg: "Your message" } },
  FormDeleted: { id: form_id, deleted: true },
  RecipientAdd: { email: "owner@example.com" },
  RecipientList: { data: ["owner@example.com"] },
  ImageUpload: { file: "(the bytes of logo.png)", use: "after_submit_logo", name: "logo" },
  UploadedImage: {
    id: "img_5f0c1d2e3f4a5b6c7d8e9f00",
    url: "https://app.example.com/forms/files/img_5f0c1d2e3f4a5b6c7d8e9f00/logo.png",
    use: "after_submit_logo",
    name: "logo",
    mime_type: "image/png",
    size: 4310,
    width: 320,
    height: 80,
  },
  ImageDeleted: { id: "img_5f0c1d2e3f4a5b6c7d8e9f00", deleted: true },
  Statistics: {
    data: [{ start: "2026-11-21T00:00:00.000Z", views: 120, starts: 40, submissions: 30, spam: 4 }],
    totals: { views: 120, starts: 40, submissions: 30, spam: 4, completion_rate: 0.75 },
  },
  FieldList: { data: [{ name: "email", count: 340, last_seen: at }], submissions_read: 340 },
  Submission: submission,
  SubmissionList: { data: [submission], has_more: true, next_cursor: "WyIyMDI2Il0.mXkq3vYb0c1d2e3f4a5b6c" },
  SubmissionCount: { count: 340, exact: true, groups: [{ key: "2026-11-21", count: 12 }], other: 328 },
  SubmissionPatch: { read: true },
  SubmissionDeleted: { id: submission_id, deleted: true },
  SubmissionBulk: { action: "mark_read", ids: [submission_id] },
  SubmissionBulkResult: { changed: 1, not_found: [] },
  SubmissionBulkMatching: { action: "mark_read" },
  SpamBacktest: { spam: { words: ["casino"], threshold: "high" }, limit: 500 },
  SpamBacktestResult: {
    checked: 500,
    caught: 41,
    missed: [],
    false_positives: [submission_id],
    changed: { to_spam: 1, to_inbox: 0 },
    by_check: [{ check: "blocked_word", caught: 41 }],
    unavailable: ["honeypot", "token", "captcha", "session", "repeated"],
  },
  SubmissionBulkStep: { matched: 500, changed: 480, has_more: true, next_cursor: "WyIyMDI2Il0.c2ln" },
  Person: ann,
  Work: { state: "open", assignee: ann, labels: ["urgent"], snoozed_until: null, notes: 1 },
  Note: note,
  NoteList: { data: [note] },
  NoteCreate: { text: note.text },
  NoteDeleted: { id: note.id, deleted: true },
  SavedReply: reply,
  SavedReplyList: { data: [reply] },
  SavedReplyCreate: { name: reply.name, text: reply.text },
  SavedReplyPatch: { name: "Thank you" },
  SavedReplyDeleted: { id: reply.id, deleted: true },
  Webhook: webhook,
  WebhookList: { data: [webhook] },
  WebhookCreate: { url: webhook.url, description: "CRM" },
  WebhookPatch: { enabled: false },
  WebhookWithSecret: { ...webhook, last_delivery: null, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  RotateSecret: { expire_previous: true },
  WebhookDeleted: { id: webhook.id, deleted: true },
  WebhookTest: { delivered: true, http_status: 204, node_error_code: null, duration_ms: 87 },
  Delivery: delivery,
  RecoverInput: { since: at, statuses: ["failed"] },
  Backfilled: { queued: 38, has_more: false },
  BackfillInput: { created_after: "2026-01-01T00:00:00.000Z" },
  Recovered: { recovered: 41, has_more: false },
  DeliveryList: { data: [delivery], has_more: false },
  ...conversationExamples({ at, submission_id }),
  Email: email,
  EmailList: { data: [email], has_more: false, next_cursor: null },
  DataSubject: { email: "ann@example.com" },
  DataSubjectExport: { data: [submission] },
  ErasureReceipt: { erased: { submissions: 3, files: 1, deliveries: 5 }, at },
  TestEmailInput: { kind: "self_email_notification", to: "owner@example.com" },
  TestEmail: { kind: "self_email_notification", to: "owner@example.com", sent_at: at },
  Me: {
    auth: "api_key",
    key_id: "key_5f0c1d2e3f4a5b6c7d8e9f00",
    workspace: { id: "default", name: "Default" },
    teams: [{ id: "default", name: "Default", plan: "unlimited" }],
    scopes: ["forms:read", "submissions:read"],
    form_ids: null,
    expires_at: null,
  },
  Health: { status: "ok", time: at },
  TlsAllowed: { domain: "forms.example.com", allowed: true },
  OpenApi: { openapi: "3.1.0", info: { title: "Management API", version: "1" } },
};

/** The example of a schema of the document, with a name to refer to it by; a list of something named is shown with one entry. */
export function exampleOf(schema: JsonSchema): { name: string; value: unknown } | null {
  const items = schema["items"] as JsonSchema | undefined;
  if (items) {
    const item = exampleOf(items);
    return item && { name: `${item.name}s`, value: [item.value] };
  }
  const name = String(schema["$ref"] ?? "").replace("#/components/schemas/", "");
  return name in examples ? { name, value: examples[name] } : null;
}

/** A fault of one field, as it reads in the example. */
const faults: Partial<Record<ErrorCode, { param: string; message: string }>> = {
  invalid_parameter: { param: "name", message: "`name` must have at most 128 characters." },
  plan_restricted: {
    param: "self_email_notification.recipients",
    message: "Recipients per form in the team's plan: 1.",
  },
};

/** An example error. */
export function errorExample(code: ErrorCode, scopes: readonly Scope[]): unknown {
  const required = code === "insufficient_scope" ? scopes.slice(0, 1) : undefined;
  return errorBody(new ApiError(code, { ...faults[code], required }), "req_5f0c1d2e3f4a5b6c7d8e9f00");
}
