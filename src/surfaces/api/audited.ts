import type { Core } from "../../core/core.ts";
import type { Operation } from "../../core/http/route.ts";
import type { Transaction } from "../../drivers/storage/types.ts";
import { keep } from "../../features/audit/keep.ts";
import { DEFAULT_TEAM } from "../../features/teams/service.ts";
import { iso } from "../../lib/clock.ts";
import type { AuditActor, AuditWay } from "../../model/audit.ts";
import type { Caller } from "../../model/keys.ts";
import { olderRoutes, routes } from "./table.ts";

/** The way of a program; an entry of the inbox is kept by the inbox. */
export type ProgramWay = Exclude<AuditWay, "inbox" | "link">;

/** Something that was done. */
export interface Done {
  readonly action: string;
  readonly team_id: string;
  readonly form_id: string | null;
  readonly ids: readonly string[];
}

/** A successful call of a row: its parsed input, and what its handler returned. */
export interface Happened {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
}

/** The entry of a row: its action, null where nothing was done, and the ids of its targets. Never an address of a person. */
interface Audited {
  readonly action: string | ((call: Happened) => string | null);
  readonly ids?: (call: Happened) => readonly unknown[];
  /** Set where a call without a team is of all teams that the caller reaches: each has an entry. */
  readonly everywhere?: true;
}

type Changing<R> = { [K in keyof R]: R[K] extends { readonly method: "GET" } ? never : K }[keyof R];
type Rows = typeof routes & Pick<typeof olderRoutes, Changing<typeof olderRoutes>>;

const param =
  (name: string) =>
  ({ params }: Happened): readonly unknown[] => [params[name]];
const made = ({ result }: Happened): readonly unknown[] => [result["id"]];
const fields = ({ body }: Happened): readonly string[] => leavesOf(body);
const aWebhook = param("webhook_id");
const aSubmission = param("submission_id");

const bulk = ({ body, result }: Happened): string | null => {
  if (result["changed"] === 0) return null;
  const action = body["action"] === "not_spam" ? "mark_not_spam" : String(body["action"]);
  return action === "mark_not_spam" && body["deliver"] === true ? "deliver" : action;
};

function marked({ body, query }: Happened): string {
  if (body["spam"] === false) return query["deliver"] === true ? "deliver" : "mark_not_spam";
  if (body["spam"] === true) return "mark_spam";
  if (typeof body["read"] === "boolean") return body["read"] ? "mark_read" : "mark_unread";
  return "update";
}

/** Every row that changes or sends something, and those that hand out much; null for one that only reads. */
const audited: { readonly [K in Changing<Rows>]: Audited | null } & { readonly exportSubmissions: Audited } = {
  createForm: { action: "create_form" },
  createFormWithWebhooks: { action: "create_form" },
  updateForm: { action: "update_form", ids: fields },
  updateFormSettings: { action: "update_form", ids: ({ body }) => leavesOf({ settings: body }) },
  deleteForm: { action: "delete_form" },
  addRecipient: { action: "update_form", ids: () => ["self_email_notification.recipients"] },
  removeRecipient: { action: "update_form", ids: () => ["self_email_notification.recipients"] },
  uploadImage: { action: "upload_image", ids: made },
  deleteImage: { action: "delete_image", ids: param("image_id") },
  sendTestEmail: { action: "test_email" },
  backtestSpam: null,
  exportSubmissions: { action: "export" },
  updateSubmission: { action: marked, ids: aSubmission },
  deleteSubmission: { action: "delete", ids: aSubmission },
  bulkSubmissions: { action: bulk, ids: ({ body }) => body["ids"] as readonly string[] },
  bulkMatchingSubmissions: { action: bulk },
  createNote: { action: "add_note", ids: aSubmission },
  deleteNote: { action: "delete_note", ids: aSubmission },
  createSavedReply: { action: "save_reply", ids: made },
  updateSavedReply: { action: "save_reply", ids: param("reply_id") },
  deleteSavedReply: { action: "delete_reply", ids: param("reply_id") },
  forgetSpamModel: { action: "forget_spam" },
  createWebhook: { action: "create_webhook", ids: made },
  updateWebhook: { action: "update_webhook", ids: aWebhook },
  deleteWebhook: { action: "delete_webhook", ids: aWebhook },
  rotateWebhookSecret: { action: "rotate_webhook", ids: aWebhook },
  testWebhook: { action: "test_webhook", ids: aWebhook },
  redeliver: { action: "send_again", ids: aSubmission },
  recoverDeliveries: { action: "recover", ids: aWebhook },
  backfillWebhook: { action: "backfill", ids: aWebhook },
  resendEmail: { action: "send_again", ids: param("email_id") },
  sendMessage: { action: "reply", ids: aSubmission },
  // The address would outlive what its owner wants forgotten.
  addSuppression: { action: "suppress_address" },
  removeSuppression: { action: "release_address" },
  exportDataSubject: { action: "export_person", everywhere: true },
  eraseDataSubject: { action: "erase_person", everywhere: true },
};

const byRow: ReadonlyMap<object, Audited> = new Map(
  Object.entries<Audited | null>(audited).flatMap(([name, entry]) => {
    const row = ({ ...routes, ...olderRoutes } as Record<string, Operation>)[name];
    return row && entry ? [[row, entry] as const] : [];
  }),
);

/** Keeps a successful call of a row in the audit of its team, or teams; nothing for a row that only reads. Never rejects. */
export async function keepRow(
  core: Core,
  caller: Caller,
  via: ProgramWay,
  row: object,
  form: { readonly id: string; readonly team_id: string } | null,
  { result, ...input }: Omit<Happened, "result"> & { readonly result: unknown },
): Promise<void> {
  const entry = byRow.get(row);
  if (!entry) return;
  const call: Happened = { ...input, result: isObject(result) ? result : {} };
  const action = typeof entry.action === "string" ? entry.action : entry.action(call);
  if (action === null) return;
  const ids = (entry.ids?.(call) ?? []).filter((id): id is string => typeof id === "string");
  const teams = form ? [form.team_id] : await teamsOf(core, caller, call, entry);
  const isNew = action === "create_form" && typeof call.result["id"] === "string";
  const form_id = form?.id ?? (isNew ? String(call.result["id"]) : textIn(call.params, "form_id"));
  for (const team_id of teams) await keepCall(core, caller, via, { action, team_id, form_id, ids });
}

/** Keeps what a program did. Never rejects. */
export const keepCall = (core: Core, caller: Caller, via: ProgramWay, done: Done, tx?: Transaction): Promise<void> => {
  const { auth, id, name, person } = caller;
  const user = { id: person?.id ?? id, name: person?.name ?? name ?? "" };
  return keep(core, { ...done, user, actor: actorOf(auth, id), via, at: iso(core.clock.now()) }, tx);
};

const actorOf = (auth: Caller["auth"], id: string): AuditActor =>
  auth === "api_key" ? "key" : auth === "oauth" ? "token" : id === "host" ? "host" : "person";

/** The team of a call without a form, or of a deleted form, or all that it was about. */
async function teamsOf(
  core: Core,
  caller: Caller,
  { params, query, body, result }: Happened,
  { everywhere }: Audited,
): Promise<readonly string[]> {
  const named = textIn(result, "team_id") ?? textIn(body, "team_id") ?? textIn(query, "team_id");
  if (named !== null) return [named];
  // The host may mean all teams there are, of which those count where something was done.
  const reached = everywhere ? (caller.team_ids ?? textsIn(result, "team_ids")) : (caller.team_ids?.slice(0, 1) ?? []);
  return reached.length > 0 ? reached : [await teamOfForm(core, textIn(params, "form_id"))];
}

/** The team of a form, deleted or not; the host's own without one. */
export async function teamOfForm(core: Core, form_id: string | null): Promise<string> {
  if (form_id === null) return DEFAULT_TEAM;
  const read = async (collection: "forms" | "deleted_forms") =>
    (await core.rows.get(collection, form_id).catch(() => null))?.value.team_id;
  return (await read("forms")) ?? (await read("deleted_forms")) ?? DEFAULT_TEAM;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const textIn = (from: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = from[name];
  return typeof value === "string" ? value : null;
};

const textsIn = (from: Readonly<Record<string, unknown>>, name: string): readonly string[] => {
  const value = from[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
};

/** The paths of what a patch sets, to the second level. */
export const leavesOf = (patch: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(patch).flatMap(([name, value]) =>
    isObject(value) && !Array.isArray(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
