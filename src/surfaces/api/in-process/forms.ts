import type { Core } from "../../../core/core.ts";
import type { Transaction } from "../../../drivers/storage/types.ts";
import { ApiError } from "../../../errors.ts";
import { reachForm } from "../../../features/forms/access.ts";
import { createForm, ensureForm } from "../../../features/forms/create.ts";
import { listDeleted } from "../../../features/forms/deleted.ts";
import type { RecipientList } from "../../../features/forms/recipients.ts";
import { shredForm } from "../../../features/forms/shred.ts";
import { bytesOf, type FileInput } from "../../../features/images/bytes.ts";
import { useSchema } from "../../../features/intake/validate.ts";
import type { TestEmail, TestEmailOptions } from "../../../features/mail/test-email.ts";
import { formHtml } from "../../../features/markup/service.ts";
import type { Shredded } from "../../../features/privacy/data-keys.ts";
import {
  type FormOverviewList,
  type FormOverviewQuery,
  formsOverview,
} from "../../../features/submissions/overview.ts";
import { parseInput } from "../../../lib/input.ts";
import type { StandardSchema } from "../../../lib/standard-schema.ts";
import type { DeletedFormList } from "../../../model/deleted-forms.ts";
import type { FieldList } from "../../../model/field-list.ts";
import { HostFormCreate, type HostFormPatch } from "../../../model/form-input.ts";
import type { DeletedFormQuery, FormDeleted, HostForm, HostFormList } from "../../../model/forms.ts";
import { type ImageDeleted, ImageFields, type UploadedImage } from "../../../model/images.ts";
import { HOST } from "../../../model/keys.ts";
import type { MarkupInput } from "../../../model/markup.ts";
import type { Statistics } from "../../../model/statistics.ts";
import type { HostCalls, HostDone } from "./call.ts";
import { type FormsOfHost, formsOfHost } from "./forms-of-host.ts";

/** Range and buckets of `forms.statistics`. */
export interface StatisticsInput {
  /** At this moment or later. Default: 48 hours, 30 days, 26 weeks or 12 months before `to`. */
  from?: string;
  /** Before this moment. Default: now. */
  to?: string;
  /** Default `day`; weeks begin on Monday. */
  interval?: "hour" | "day" | "week" | "month";
  /** An IANA name such as `Europe/Berlin`; days begin at midnight there. Default `UTC`. */
  time_zone?: string;
}

/** Options of `forms.create`. */
export interface FormCreateOptions {
  /** The team of the form, in place of the input's; by default `default`. */
  team_id?: string;
  /**
   * Your open transaction in the store's database, as `submit` takes it: the form is made, or taken back, with it. No event says
   * that it was created.
   */
  tx?: Transaction;
}

/** Forms, and everything that is configured of them. */
export interface FormsApi extends FormsOfHost {
  /**
   * Creates a form in a team: `team_id`, or `default`. Only `name` is required; the rest has defaults.
   * Returns the form with its settings. With `tx`, your open transaction, the form is committed or taken back with it.
   *
   * @throws `invalid_parameter`, `plan_restricted`, `team_inactive`, `owner_unverified`
   * @example
   * const form = await backend.forms.create({ name: "Contact" });
   */
  create(input: HostFormCreate, options?: FormCreateOptions): Promise<HostForm>;
  /**
   * Returns the team's form with this key (`settings.key`). If there is none, it is created from `input`; an existing form is
   * not changed. Several processes may call it at the same time, for example at start, and get the same form.
   *
   * @throws `invalid_parameter`, `plan_restricted`, `team_inactive`, `owner_unverified`
   * @example
   * const contact = await backend.forms.ensure("contact", { name: "Contact" });
   */
  ensure(key: string, input: HostFormCreate): Promise<HostForm>;
  /**
   * Returns one form with its settings.
   *
   * @throws `form_not_found`
   */
  get(id: string): Promise<HostForm>;
  /**
   * Returns a page of forms, newest first: of one team with `team_id`, otherwise of all. `limit` is 1 to 100, default 25;
   * `cursor` is the `next_cursor` of the page before.
   *
   * @throws `invalid_parameter`
   */
  list(query?: {
    limit?: number | undefined;
    cursor?: string | undefined;
    team_id?: string | undefined;
  }): Promise<HostFormList>;
  /**
   * With `deleted: true`, returns a page of deleted forms, the last deleted first: `{ id, team_id, name, deleted_at }`. What a form left is read by its id.
   * A form leaves the list once the last of its submissions has gone.
   *
   * @throws `invalid_parameter`
   * @example
   * const { data } = await backend.forms.list({ deleted: true, team_id: "acme" });
   */
  list(query: DeletedFormQuery): Promise<DeletedFormList>;
  /**
   * Returns a page of forms at a glance, newest first: unread submissions, all posts and those of this month, posts of each of
   * the last `days` (0 to 90, default 30), and webhooks that fail or are turned off. It reads only counters, so a million
   * submissions don't make it slower. `team_id`, `limit` and `cursor` as in `list`.
   *
   * @throws `invalid_parameter`
   * @example
   * const { data } = await backend.forms.overview({ team_id: "acme" });
   * const unread = data.reduce((sum, form) => sum + (form.unread ?? 0), 0);
   */
  overview(query?: FormOverviewQuery): Promise<FormOverviewList>;
  /**
   * Changes the values that `patch` contains, also in `settings`. Lists are replaced as a whole; null removes an entry of
   * `settings.labels`. Returns the changed form.
   *
   * @throws `form_not_found`, `invalid_parameter`, `plan_restricted`
   */
  update(id: string, patch: HostFormPatch): Promise<HostForm>;
  /**
   * Deletes a form. Its submissions stay and can still be read in process. Returns `{ id, deleted: true }`.
   *
   * @throws `form_not_found`
   */
  delete(id: string): Promise<FormDeleted>;
  /**
   * Deletes the key that encrypts the form's fields and files, so nobody can read them any more. Works for deleted forms too. A
   * backup of the store contains the key until you delete the backup. Later posts get a new key; other processes notice within
   * 2 s. Returns `{ id, shredded: true }`.
   *
   * @throws `form_not_found`
   */
  shred(id: string): Promise<Shredded>;
  /**
   * Adds one address to those that get the form's notification; if it is already on the list, nothing changes. Returns the
   * complete list.
   *
   * @throws `form_not_found`, `invalid_parameter`, `plan_restricted`
   */
  addRecipient(id: string, email: string): Promise<RecipientList>;
  /**
   * Removes one address from those that get the form's notification. Returns the remaining list.
   *
   * @throws `form_not_found`, `invalid_parameter`, `recipient_not_found`
   */
  removeRecipient(id: string, email: string): Promise<RecipientList>;
  /**
   * Stores an image of at most 5 MB for the form's emails or pages. Returns it with its `url`, for you to put into the form's
   * field for `use`; the form itself is not changed.
   *
   * @throws `form_not_found`, `invalid_parameter`, `limit_reached`, `payload_too_large`, `plan_restricted`, `unavailable`
   */
  uploadImage(id: string, image: { file: FileInput } & ImageFields): Promise<UploadedImage>;
  /**
   * Removes an image of the form. Emails and pages that use its URL show no image from then on.
   *
   * @throws `form_not_found`, `not_found`
   */
  deleteImage(id: string, imageId: string): Promise<ImageDeleted>;
  /**
   * Sends one of the form's emails now, with sample values, even if it is disabled. `kind` is `self_email_notification`
   * (default) or `auto_response`; `to` is an address, by default the form's first recipient. Returns what was sent to whom and
   * when; nothing is stored or retried. Limits: 3 an hour to one address, 20 an hour for a team.
   *
   * @throws `form_not_found`, `invalid_parameter`, `rate_limited`, `unavailable`
   */
  sendTestEmail(id: string, input?: TestEmailOptions): Promise<TestEmail>;
  /**
   * Returns the field names of the newest 2,000 submissions, the most frequent first, at most 200.
   *
   * @throws `form_not_found`
   */
  fields(id: string): Promise<FieldList>;
  /**
   * Returns how often the form was seen, started and submitted, for each hour, day, week or month (at most 400), oldest first.
   * Views and starts are counted while the setting `statistics` is on.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  statistics(id: string, query?: StatisticsInput): Promise<Statistics>;
  /**
   * Also validates posts to the form with a Standard Schema (zod, valibot, arktype), in this process; null removes it. The
   * schema gets each field as a string, or as a list if the name is repeated. Its output is not stored.
   *
   * @throws `TypeError` if it is not a Standard Schema
   */
  useSchema(id: string, schema: StandardSchema | null): void;
  /**
   * Returns the form as HTML to paste into a page or a template: labels, `autocomplete`, `inputmode`, `required` and `pattern` as the
   * rules, the schema of `useSchema` (zod, arktype) and past submissions say. `errors` and `values` make the page that shows a post
   * again, with an error summary.
   *
   * @throws `form_not_found`, `invalid_parameter`
   * @example
   * const markup = await backend.forms.html(id, { fields: ["name", "email", { name: "topic", options: ["Sales", "Help"] }] });
   */
  html(id: string, options?: MarkupInput): Promise<string>;
}

/** Forms, as rows of the table. */
const created = ({ id, team_id }: HostForm): HostDone => ({ action: "create_form", team_id, form_id: id });

export const formsApi = (core: Core, { row, group, own, ensuring }: HostCalls): FormsApi => ({
  ...group("forms"),
  create: own(
    async (opened, input: HostFormCreate, { tx, ...team }: FormCreateOptions = {}) => {
      const body = { ...input, ...team };
      if (tx === undefined) return row("createForm", { body });
      return (await createForm(opened, HOST, parseInput(HostFormCreate, body), [], { tx })).value;
    },
    (form, _, { tx } = {}) => (tx === undefined ? null : { ...created(form), tx }),
  ),
  ensure: ensuring(
    async (opened, made, key: string, input: HostFormCreate) => {
      const { settings, ...rest } = parseInput(HostFormCreate, { ...input, settings: { key, ...input.settings } });
      if (settings?.key === key) return ensureForm(opened, HOST, key, { ...rest, settings }, made);
      throw new ApiError("invalid_parameter", {
        param: "settings.key",
        message: "`settings.key` must be the key itself.",
      });
    },
    (form) => created(form),
  ),
  overview: own((opened, query?: FormOverviewQuery) => formsOverview(opened, HOST, query)),
  shred: own(shredForm, (_, form_id) => ({ action: "shred_form", form_id })),
  ...formsOfHost({ own }),
  list: own((opened, query: { deleted?: boolean } = {}) =>
    query.deleted === true
      ? listDeleted(opened, query as DeletedFormQuery)
      : (row("listForms", { query }) as Promise<HostFormList | DeletedFormList>),
  ) as FormsApi["list"],
  addRecipient: (id, email) => row("addRecipient", { params: { form_id: id }, body: { email } }),
  uploadImage: (id, { file, ...fields }) =>
    row("uploadImage", {
      params: { form_id: id },
      body: async () => ({ ...parseInput(ImageFields, fields), ...(await bytesOf(file)) }),
    }),
  sendTestEmail: (id, input = {}) => row("sendTestEmail", { params: { form_id: id }, body: input }),
  useSchema: (id, schema) => useSchema(core, id, schema),
  html: own(async (opened, id: string, options?: MarkupInput) =>
    formHtml(opened, HOST, await reachForm(opened, HOST, id), options),
  ),
});
