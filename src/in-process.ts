import type { Core } from "./core.ts";
import { HostFormCreate, HostFormPatch } from "./forms/schema.ts";
import * as forms from "./forms/service.ts";
import { accept, openForm } from "./intake/accept.ts";
import { collectFields } from "./intake/fields.ts";
import { type JobsQuery, type JobView, listJobs } from "./jobs/list.ts";
import { type ApiKey, HOST, type KeyCreate } from "./keys/schema.ts";
import * as keys from "./keys/service.ts";
import { parseInput } from "./lib/input.ts";
import type { Submission } from "./submissions/schema.ts";
import { toSubmission } from "./submissions/view.ts";
import type { Team, TeamCreate, TeamPatch } from "./teams/schema.ts";
import * as teams from "./teams/service.ts";
import { WebhookCreate, WebhookPatch } from "./webhooks/schema.ts";
import * as webhooks from "./webhooks/service.ts";

/** What `submit` takes besides the form: fields as an object of strings or lists, or as `{ key, value }` entries. */
export interface SubmitInput {
  fields: Record<string, string | string[]> | { key: string; value: string }[];
  ip?: string | null;
  user_agent?: string | null;
  referer?: string | null;
  idempotency_key?: string;
}

/** Every service as the routes call it, for a host's own dashboard and scripts. Throws `ApiError` as HTTP answers it. */
export interface InProcessApi {
  /** Takes a submission as the public endpoint does: same fields, same checks, same durability. */
  submit(formId: string, input: SubmitInput): Promise<Submission>;
  readonly teams: {
    create(input: TeamCreate): Promise<Team>;
    get(id: string): Promise<Team>;
    update(id: string, patch: TeamPatch): Promise<Team>;
    list(): Promise<Team[]>;
  };
  readonly keys: {
    create(input: KeyCreate): Promise<ApiKey & { key: string }>;
    get(id: string): Promise<ApiKey>;
    list(query?: { team_id?: string }): Promise<ApiKey[]>;
    revoke(id: string): Promise<ApiKey>;
  };
  readonly forms: {
    create(input: HostFormCreate, options?: { team_id?: string }): ReturnType<typeof forms.createForm>;
    get(id: string): ReturnType<typeof forms.retrieveForm>;
    list(query?: forms.FormListQuery): ReturnType<typeof forms.listForms>;
    update(id: string, patch: HostFormPatch): ReturnType<typeof forms.updateForm>;
    delete(id: string): ReturnType<typeof forms.deleteForm>;
  };
  readonly webhooks: {
    create(formId: string, input: WebhookCreate): ReturnType<typeof webhooks.createWebhook>;
    list(formId: string): ReturnType<typeof webhooks.listWebhooks>;
    get(formId: string, id: string): ReturnType<typeof webhooks.getWebhook>;
    update(formId: string, id: string, patch: WebhookPatch): ReturnType<typeof webhooks.updateWebhook>;
    delete(formId: string, id: string): ReturnType<typeof webhooks.deleteWebhook>;
    rotateSecret(formId: string, id: string): ReturnType<typeof webhooks.rotateSecret>;
    test(formId: string, id: string): ReturnType<typeof webhooks.testWebhook>;
  };
  readonly jobs: { list(query?: JobsQuery): Promise<JobView[]> };
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
    submit: call((formId, input) => submit(core, formId, input)),
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
    forms: {
      create: call((input, options) =>
        forms.createForm(core, HOST, parseInput(HostFormCreate, { ...input, ...options })),
      ),
      get: call((id) => forms.retrieveForm(core, HOST, id)),
      list: call((query = {}) => forms.listForms(core, HOST, query)),
      update: call((id, patch) => forms.updateForm(core, HOST, id, parseInput(HostFormPatch, patch))),
      delete: call((id) => forms.deleteForm(core, HOST, id)),
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
    jobs: { list: call((query = {}) => listJobs(core, query)) },
  };
}

async function submit(core: Core, formId: string, input: SubmitInput): Promise<Submission> {
  const form = await openForm(core, formId);
  const posted = collectFields();
  const entries = Array.isArray(input.fields)
    ? input.fields.map(({ key, value }) => [key, value] as const)
    : Object.entries(input.fields).flatMap(([key, value]) =>
        (Array.isArray(value) ? value : [value]).map((one) => [key, one] as const),
      );
  for (const [key, value] of entries) posted.add(key, value);
  const visitor = {
    ip: input.ip ?? null,
    country: null,
    user_agent: input.user_agent ?? null,
    referer: input.referer ?? null,
  };
  const { id, submission } = await accept(core, form, posted.done(), visitor, input.idempotency_key ?? null);
  return toSubmission(core, id, submission);
}
