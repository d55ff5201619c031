import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { Caller } from "../../model/keys.ts";
import {
  MAX_MESSAGE_FILES,
  type Message,
  type MessageCreate,
  type MessageRecord,
  type ThreadMessage,
} from "../../model/messages.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { linkExpiry } from "../files/links.ts";
import { fileWrites } from "../files/store.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { authorOf } from "../keys/author.ts";
import { senderOf, viaOf } from "../mail/sender.ts";
import { plainFor } from "../privacy/shown.ts";
import { cachedTeam, planOf } from "../teams/service.ts";
import { jobWrite } from "../webhooks/new-job.ts";
import { recipientsOf } from "./addresses.ts";
import { attachmentsOf } from "./attachments.ts";
import { takeReply } from "./limits.ts";
import { messagesFor, toMessage } from "./shown.ts";
import { latestOf, messageKey, ownMessageId, referencesOf, threadOf } from "./thread.ts";

/** The messages under a submission, oldest first, as `show` makes them of their rows. Throws `submission_not_found`. */
export async function listMessages<M extends ThreadMessage>(
  core: Core,
  caller: Caller,
  form: Row<"forms"> | null,
  form_id: string,
  submission_id: string,
  show: (core: Core, rows: readonly Row<"messages">[]) => Promise<M[]>,
  latest?: number,
): Promise<M[]> {
  const submission = await submissionOf(core, form_id, submission_id);
  const rows = await (latest === undefined ? threadOf(core, submission_id) : latestOf(core, submission_id, latest));
  const messages = await show(core, rows);
  return messagesFor(core, caller, form?.value ?? null, submission, messages);
}

/** Files that were stored for an answer, and are taken away again unless it is committed by `keep`. */
interface Uploaded {
  readonly list: readonly StoredFile[];
  keep(commit: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Additions to an answer that a person writes in the inbox. */
interface Composed {
  /** The number of files that `upload` brings, and the upload itself, which begins once nothing else is wrong. */
  readonly files?: number;
  readonly upload?: (() => Promise<Uploaded>) | undefined;
  /** The mail goes out this much later, so that it can be taken back. */
  readonly delayMs?: number;
}

/**
 * Answers a submission: stores the message and its email job together. With a key, the same answer goes out once, however often
 * it is sent here. Throws `submission_not_found`, `plan_restricted`, `invalid_parameter`, `rate_limited`,
 * `idempotency_mismatch`.
 */
export async function sendMessage(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  submission_id: string,
  input: MessageCreate,
  idempotencyKey: string,
  { files = 0, upload, delayMs = 0 }: Composed = {},
): Promise<Message> {
  const submission = await submissionOf(core, form.id, submission_id);
  const team = await cachedTeam(core, form.value.team_id);
  if (!team || !planOf(core, team.value).replies)
    throw new ApiError("plan_restricted", { message: "The team's plan does not include answers." });
  const now = core.clock.now();
  const id = idempotencyKey === "" ? deliveryId(now) : idOf(submission_id, caller.id, idempotencyKey);
  if (idempotencyKey !== "") {
    const known = await core.rows.get("messages", id);
    if (known) return shown(repeated(known, input));
  }
  const thread = await threadOf(core, submission_id);
  const seen = plainFor(form.value, submission.value, "email", caller);
  const { to, cc } = recipientsOf({ form: form.value, submission: seen, thread }, input);
  const attachments = await attachmentsOf(
    core,
    form.id,
    { seen, all: submission.value },
    thread,
    input.attachments ?? [],
  );
  if (attachments.length + files > MAX_MESSAGE_FILES)
    throw wrongParameter("attachments", `are too many: an answer has at most ${MAX_MESSAGE_FILES} files`);
  const author = await authorOf(core, caller);
  const sender = await senderOf(core, form.value, "owner_email", core.rows.get);
  const message_id = ownMessageId(core, id);
  const value: MessageRecord = {
    submission_id,
    form_id: form.id,
    team_id: form.value.team_id,
    message_key: messageKey(message_id),
    direction: "out",
    author: { ...author },
    from: sender.from.address,
    to,
    cc,
    subject: input.subject || subjectOf(core, form, seen, thread),
    text: input.text,
    attachments,
    status: "queued",
    code: "PENDING",
    message_id,
    references: referencesOf(await rootOf(core, submission_id), thread),
    created_at: iso(now),
  };
  const uploads = await upload?.();
  try {
    if (uploads) {
      value.attachments.push(...uploads.list);
      value.uploads = uploads.list.map(({ file_id }) => file_id);
    }
    await takeReply(core, value.team_id, [...to, ...cc], id);
    const commit = (): Promise<void> =>
      retrying(async () => {
        // Under its version: a deletion that runs at the same moment would leave the message, and the address in it.
        const now = await submissionOf(core, form.id, submission_id);
        value.team_id = now.value.team_id;
        const writes = [
          put("submissions", submission_id, now.value, now.version),
          put("messages", id, value, null),
          ...fileWrites(uploads?.list ?? [], submission_id, { ...now.value, created_at: value.created_at }),
          ...jobWrites(core, id, value, { target: viaOf(sender), delayMs }),
        ];
        await core.commitNow(writes).catch(async (error: unknown) => {
          const known = error instanceof StaleWriteError ? await core.rows.get("messages", id) : null;
          throw known ? new Known(known) : error;
        });
      });
    await (uploads ? uploads.keep(commit) : commit());
  } catch (error) {
    if (!(error instanceof Known)) throw error;
    return shown(repeated(error.row, input));
  } finally {
    await uploads?.close();
  }
  core.queue.wake("email");
  return shown({ id, value });

  async function shown(row: Pick<Row<"messages">, "id" | "value">): Promise<Message> {
    const job = await core.rows.get("jobs", row.id);
    const [message] = await messagesFor(core, caller, form.value, submission, [toMessage(core, row, job?.value)]);
    return message as Message;
  }
}

/** The same answer was stored meanwhile. */
class Known extends Error {
  readonly row: Row<"messages">;
  constructor(row: Row<"messages">) {
    super(row.id);
    this.row = row;
  }
}

/** The email jobs of an answer: one, or one for each recipient where the mailer sends to one at a time. */
function jobWrites(
  core: Core,
  id: string,
  { to, cc, form_id, team_id, submission_id }: MessageRecord,
  { target, delayMs }: { readonly target: string; readonly delayMs: number },
): Write[] {
  const links_expire_at = iso(linkExpiry(core));
  const given = {
    kind: "reply",
    target,
    form_id,
    team_id,
    submission_id,
    event: "message.sent",
    links_expire_at,
  } as const;
  const at = core.storeClock.now() + delayMs;
  const [first = "", ...more] = to;
  const all = [...more, ...cc];
  if (all.length === 0) return [jobWrite(core, id, at, { ...given, to: first })];
  if (core.mailer.copies)
    return [jobWrite(core, id, at, { ...given, to: first, copies: { to: more, cc: [...cc], bcc: [] } })];
  return [first, ...all].map((one, n): Write => jobWrite(core, n === 0 ? id : `${id}.${n}`, at, { ...given, to: one }));
}

/** The ids that `jobWrites` gives to the email jobs of an answer. */
export const jobIdsOf = (id: string, { to, cc }: Pick<MessageRecord, "to" | "cc">): string[] => [
  id,
  ...[...to, ...cc].slice(1).map((_, n) => `${id}.${n + 1}`),
];

/** The same key of the same caller is the same answer. */
const idOf = (submission_id: string, caller: string, key: string): string =>
  `msg_${createHash("sha256")
    .update(JSON.stringify([submission_id, caller, key]))
    .digest("hex")
    .slice(0, 24)}`;

function repeated(known: Row<"messages">, { text, subject, to, cc }: MessageCreate): Row<"messages"> {
  const before = known.value;
  const same = (sent: readonly string[] | undefined, stored: readonly string[]): boolean =>
    sent === undefined || sent.join() === stored.join();
  if (before.text !== text || (subject && before.subject !== subject) || !same(to, before.to) || !same(cc, before.cc))
    throw new ApiError("idempotency_mismatch");
  return known;
}

async function submissionOf(core: Core, form_id: string, id: string): Promise<Row<"submissions">> {
  const row = await core.rows.get("submissions", id);
  if (row?.value.form_id !== form_id) throw new ApiError("submission_not_found");
  return row;
}

/** `Re:` and the subject so far. */
function subjectOf(
  core: Core,
  form: Row<"forms">,
  submission: SubmissionRecord,
  thread: readonly Row<"messages">[],
): string {
  const last = thread.findLast(({ value }) => !value.automatic && value.subject !== "")?.value.subject;
  const begun = oneLine(last ?? submission.subject ?? "") || oneLine(form.value.name) || core.options.brand.name;
  return /^re:/i.test(begun) ? begun : `Re: ${begun}`;
}

/** The Message-ID of the automatic reply, which is the first mail that the visitor has of us. */
async function rootOf(core: Core, submission_id: string): Promise<string | null> {
  const jobs = await jobsOf(core, submission_id);
  const reply = jobs.find(({ value }) => value.kind === "auto_response" && value.status === "succeeded");
  return reply ? ownMessageId(core, reply.id) : null;
}
