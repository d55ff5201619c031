import type { Core } from "./core.ts";
import type { EmailServer, EmailServerCreate, EmailServerDeleted, EmailServerPatch } from "./email-servers/schema.ts";
import * as emailServers from "./email-servers/service.ts";
import { addRecipient, RecipientAdd, type RecipientList, removeRecipient } from "./forms/recipients.ts";
import {
  type Form,
  type FormDeleted,
  type FormList,
  FormListQuery,
  HostFormCreate,
  HostFormPatch,
} from "./forms/schema.ts";
import * as forms from "./forms/service.ts";
import { bytesOf, type FileInput } from "./images/bytes.ts";
import { ImageFields, type UploadedImage } from "./images/schema.ts";
import { uploadImage } from "./images/service.ts";
import { renderTokenOf } from "./intake/handouts.ts";
import { type SubmitInput, type SubmitOptions, submit } from "./intake/submit.ts";
import { useSchema } from "./intake/validate.ts";
import { type JobsQuery, type JobView, listJobs } from "./jobs/list.ts";
import type { Delivery, DeliveryStatus } from "./jobs/schema.ts";
import { type ApiKey, HOST, type KeyCreate } from "./keys/schema.ts";
import * as keys from "./keys/service.ts";
import { parseInput } from "./lib/input.ts";
import type { StandardSchema } from "./lib/standard-schema.ts";
import { countSubmissions } from "./submissions/count.ts";
import { exportSubmissions } from "./submissions/export.ts";
import { listFields } from "./submissions/fields.ts";
import { type HostSubmissionList, listAllSubmissions, listSubmissions } from "./submissions/list.ts";
import { asQuery, type SubmissionFiltersInput } from "./submissions/query.ts";
import {
  AllSubmissionsQuery,
  type FieldList,
  type HostSubmission,
  SubmissionBulk,
  type SubmissionBulkResult,
  type SubmissionCount,
  SubmissionCountQuery,
  type SubmissionDeleted,
  SubmissionExportQuery,
  SubmissionListQuery,
  SubmissionPatch,
  SubmissionPatchQuery,
} from "./submissions/schema.ts";
import * as submissions from "./submissions/service.ts";
import type { Team, TeamCreate, TeamPatch } from "./teams/schema.ts";
import * as teams from "./teams/service.ts";
import * as deliveries from "./webhooks/deliveries.ts";
import { recoverDeliveries } from "./webhooks/recover.ts";
import {
  type DeliveryList,
  DeliveryListQuery,
  type Recovered,
  RecoverInput,
  type Webhook,
  WebhookCreate,
  type WebhookDeleted,
  WebhookPatch,
  type WebhookTest,
} from "./webhooks/schema.ts";
import * as webhooks from "./webhooks/service.ts";

/** Filters, order and page of `submissions.list`; `form_id` narrows a list over all forms. */
export interface SubmissionListInput extends SubmissionFiltersInput {
  order?: "asc" | "desc";
  /** 1 to 100, default 25. */
  limit?: number;
  cursor?: string;
  form_id?: string[];
}

/** Every service as the routes call it, for a host's own dashboard and scripts. Throws `ApiError` as HTTP answers it. */
export interface InProcessApi {
  /**
   * Takes a submission as the public endpoint does: same fields, same checks, same durability. With `tx` it is committed or taken
   * back together with what else that transaction of yours writes.
   */
  submit(formId: string, input: SubmitInput, options?: SubmitOptions): Promise<HostSubmission>;
  /** A token for the hidden field `_token` of a page with the form: good for one post, from 2 s to 24 h after it was made. */
  renderToken(formId: string): Promise<string>;
  readonly teams: {
    create(input: TeamCreate): Promise<Team>;
    get(id: string): Promise<Team>;
    update(id: string, patch: TeamPatch): Promise<Team>;
    list(): Promise<Team[]>;
  };
  readonly keys: {
    /** `key` is shown this once: only its hash is kept. */
    create(input: KeyCreate): Promise<ApiKey & { key: string }>;
    get(id: string): Promise<ApiKey>;
    list(query?: { team_id?: string }): Promise<ApiKey[]>;
    /** At once in this process, within 5 s in others. */
    revoke(id: string): Promise<ApiKey>;
  };
  /**
   * SMTP servers that teams send with; each is tried before it is kept. On a private network only where `webhooks.allowCidrs`
   * allows it; while `baseUrl` is plain http, as in development, also on this machine.
   */
  readonly emailServers: {
    create(input: EmailServerCreate): Promise<EmailServer>;
    get(id: string): Promise<EmailServer>;
    list(query?: { team_id?: string }): Promise<EmailServer[]>;
    update(id: string, patch: EmailServerPatch): Promise<EmailServer>;
    /** The forms that sent with it go back to the default sender. */
    delete(id: string): Promise<EmailServerDeleted>;
  };
  readonly forms: {
    create(input: HostFormCreate, options?: { team_id?: string }): Promise<Form>;
    get(id: string): Promise<Form>;
    /** `limit`: 1 to 100, default 25. */
    list(query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
      team_id?: string | undefined;
    }): Promise<FormList>;
    update(id: string, patch: HostFormPatch): Promise<Form>;
    /** Its submissions stay. */
    delete(id: string): Promise<FormDeleted>;
    /** Adds one address to those that get the form's notification. */
    addRecipient(id: string, email: string): Promise<RecipientList>;
    removeRecipient(id: string, email: string): Promise<RecipientList>;
    /** Keeps an image for the form's mails or pages; put its `url` where `use` says. */
    uploadImage(id: string, image: { file: FileInput } & ImageFields): Promise<UploadedImage>;
    /**
     * Judges posts to the form in this process by a Standard Schema (zod, valibot, arktype) too; null takes it away.
     * It sees each field as a string, or as a list where the name is repeated; what it makes of them is not stored.
     */
    useSchema(id: string, schema: StandardSchema | null): void;
    /** The field names that submissions carry, most used first. */
    fields(id: string): Promise<FieldList>;
  };
  /** `formId` may be that of a deleted form, whose submissions stay. */
  readonly submissions: {
    /** The submissions of a form, or of every form. */
    list(formId: string | null, query?: SubmissionListInput): Promise<HostSubmissionList>;
    get(formId: string, id: string): Promise<HostSubmission>;
    count(formId: string, query?: SubmissionFiltersInput & { group_by?: string }): Promise<SubmissionCount>;
    /** `deliver` with `spam: false` also runs what spam had skipped. */
    update(
      formId: string,
      id: string,
      patch: SubmissionPatch,
      options?: { deliver?: boolean },
    ): Promise<HostSubmission>;
    delete(formId: string, id: string): Promise<SubmissionDeleted>;
    bulk(formId: string, input: SubmissionBulk): Promise<SubmissionBulkResult>;
    /** The bytes that HTTP sends; cancel the stream when it is not read to its end. */
    export(
      formId: string,
      query?: SubmissionFiltersInput & { order?: "asc" | "desc"; format?: "csv" | "json" | "ndjson" },
    ): Promise<ReadableStream<Uint8Array>>;
  };
  readonly webhooks: {
    /** `secret` is shown this once. */
    create(formId: string, input: WebhookCreate): Promise<Webhook & { secret: string }>;
    list(formId: string): Promise<Webhook[]>;
    get(formId: string, id: string): Promise<Webhook>;
    update(formId: string, id: string, patch: WebhookPatch): Promise<Webhook>;
    delete(formId: string, id: string): Promise<WebhookDeleted>;
    /** The old secret signs beside the new one for 24 h. */
    rotateSecret(formId: string, id: string): Promise<Webhook & { secret: string }>;
    /** Sends one `submission.test` event now; nothing is logged or tried again. */
    test(formId: string, id: string): Promise<WebhookTest>;
  };
  readonly deliveries: {
    list(
      formId: string,
      webhookId: string,
      query?: { status?: DeliveryStatus; limit?: number; before?: string },
    ): Promise<DeliveryList>;
    get(formId: string, webhookId: string, submissionId: string): Promise<Delivery>;
    /** Sends one again under the same `webhook-id`, also while the webhook is off. */
    redeliver(formId: string, webhookId: string, submissionId: string): Promise<Delivery>;
    /**
     * Sends every delivery again that ended in one of `statuses` (default both) since a moment at most 14 days ago: same
     * `webhook-id`, 72 h to succeed. Spam stays skipped. At most 10,000 per call; `has_more` says to call again.
     */
    recover(
      formId: string,
      webhookId: string,
      input: { since: string; statuses?: ("failed" | "skipped")[] },
    ): Promise<Recovered>;
  };
  readonly jobs: {
    /** Mails and webhooks with their state, newest first, at most 1,000. */
    list(query?: JobsQuery): Promise<JobView[]>;
  };
}

/** The services bound to the host as caller; every call opens the drivers first. */
export function inProcessApi(core: Core, ready: () => Promise<void>): InProcessApi {
  const call =
    <A extends unknown[], R>(fn: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ready();
      return fn(...args);
    };
  return {
    submit: call((formId, input, options) => submit(core, formId, input, options)),
    renderToken: call(async (formId) => (await renderTokenOf(core, formId)).token),
    teams: {
      create: call((input) => teams.createTeam(core, input)),
      get: call((id) => teams.getTeam(core, id)),
      update: call((id, patch) => teams.updateTeam(core, id, patch)),
      list: call(() => teams.listTeams(core)),
    },
    keys: {
      create: call((input) => keys.createKey(core, input)),
      get: call((id) => keys.getKey(core, id)),
      list: call((query) => keys.listKeys(core, query)),
      revoke: call((id) => keys.revokeKey(core, id)),
    },
    emailServers: {
      create: call((input) => emailServers.createServer(core, input)),
      get: call((id) => emailServers.getServer(core, id)),
      list: call((query) => emailServers.listServers(core, query)),
      update: call((id, patch) => emailServers.updateServer(core, id, patch)),
      delete: call((id) => emailServers.deleteServer(core, id)),
    },
    forms: {
      create: call((input, options) =>
        forms.createForm(core, HOST, parseInput(HostFormCreate, { ...input, ...options })),
      ),
      get: call((id) => forms.retrieveForm(core, HOST, id)),
      list: call((query = {}) => forms.listForms(core, HOST, parseInput(FormListQuery, asQuery(query)))),
      update: call((id, patch) => forms.updateForm(core, HOST, id, parseInput(HostFormPatch, patch))),
      delete: call((id) => forms.deleteForm(core, HOST, id)),
      addRecipient: call((id, email) => addRecipient(core, HOST, id, parseInput(RecipientAdd, { email }).email)),
      removeRecipient: call((id, email) => removeRecipient(core, HOST, id, parseInput(RecipientAdd, { email }).email)),
      uploadImage: call(async (id, { file, ...fields }) =>
        uploadImage(core, HOST, id, { ...parseInput(ImageFields, fields), ...(await bytesOf(file)) }),
      ),
      useSchema: (id, schema) => useSchema(core, id, schema),
      fields: call((id) => listFields(core, HOST, id)),
    },
    submissions: {
      list: call((formId, query = {}) =>
        formId === null
          ? listAllSubmissions(core, HOST, parseInput(AllSubmissionsQuery, asQuery(query)))
          : listSubmissions(core, HOST, formId, parseInput(SubmissionListQuery, asQuery(query))),
      ),
      get: call((formId, id) => submissions.retrieveSubmission(core, HOST, formId, id)),
      count: call((formId, query = {}) =>
        countSubmissions(core, HOST, formId, parseInput(SubmissionCountQuery, asQuery(query))),
      ),
      update: call((formId, id, patch, options = {}) => {
        const query = parseInput(SubmissionPatchQuery, asQuery(options));
        return submissions.updateSubmission(core, HOST, formId, id, parseInput(SubmissionPatch, patch), query);
      }),
      delete: call((formId, id) => submissions.deleteSubmission(core, HOST, formId, id)),
      bulk: call((formId, input) => submissions.bulkSubmissions(core, HOST, formId, parseInput(SubmissionBulk, input))),
      export: call(async (formId, query = {}) => {
        const input = parseInput(SubmissionExportQuery, asQuery(query));
        return (await exportSubmissions(core, HOST, formId, input)).stream;
      }),
    },
    webhooks: {
      create: call((formId, input) => webhooks.createWebhook(core, HOST, formId, parseInput(WebhookCreate, input))),
      list: call((formId) => webhooks.listWebhooks(core, HOST, formId)),
      get: call((formId, id) => webhooks.getWebhook(core, HOST, formId, id)),
      update: call((formId, id, patch) =>
        webhooks.updateWebhook(core, HOST, formId, id, parseInput(WebhookPatch, patch)),
      ),
      delete: call((formId, id) => webhooks.deleteWebhook(core, HOST, formId, id)),
      rotateSecret: call((formId, id) => webhooks.rotateSecret(core, HOST, formId, id)),
      test: call((formId, id) => webhooks.testWebhook(core, HOST, formId, id)),
    },
    deliveries: {
      list: call((formId, webhookId, query = {}) =>
        deliveries.listDeliveries(core, HOST, formId, webhookId, parseInput(DeliveryListQuery, asQuery(query))),
      ),
      get: call((formId, webhookId, id) => deliveries.retrieveDelivery(core, HOST, formId, webhookId, id)),
      redeliver: call((formId, webhookId, id) => deliveries.redeliver(core, HOST, formId, webhookId, id)),
      recover: call((formId, webhookId, input) =>
        recoverDeliveries(core, HOST, formId, webhookId, parseInput(RecoverInput, input)),
      ),
    },
    jobs: { list: call((query = {}) => listJobs(core, query)) },
  };
}
