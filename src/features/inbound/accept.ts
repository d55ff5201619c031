import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { isEmail } from "../../lib/email.ts";
import { textOfHtml } from "../../lib/html-text.ts";
import { oneLine } from "../../lib/one-line.ts";
import { printable } from "../../lib/printable.ts";
import type { InboundMail } from "../../model/inbound.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { fileWrites } from "../files/store.ts";
import { openUploads, type Uploads } from "../intake/uploads.ts";
import { answeredWrite } from "../messages/limits.ts";
import { toMessage } from "../messages/shown.ts";
import { messageKey } from "../messages/thread.ts";
import { changeOf, reopening } from "../submissions/change.ts";
import { tallied } from "../submissions/tally.ts";
import { isAutomatic } from "./automatic.ts";
import { consequences } from "./consequences.ts";
import { submissionFor } from "./match.ts";
import { withoutQuotes } from "./quotes.ts";

/** Characters of one mail's text. Gmail writes at most about half of it. */
const MOST_TEXT = 200_000;
/** Mails to one conversation in an hour; more are a loop, or an attack. */
const MOST_AN_HOUR = 60;
const MOST_FILES = 50;
const MOST_ADDRESSES = 50;
const ATTACHMENT = "attachment";

/** Stores a mail in the conversation that it belongs to. `event` tells mails without a Message-ID apart. */
export async function acceptMail(
  core: Core,
  mail: InboundMail,
  event: string | null,
): Promise<"stored" | "repeated" | "unknown" | "too many"> {
  const submission = await submissionFor(core, mail);
  if (!submission) return "unknown";
  const id = idOf(submission.id, mail.messageId ?? event ?? contentOf(mail));
  if (await core.rows.get("messages", id)) return "repeated";
  if ((await lately(core, submission.id)) >= MOST_AN_HOUR) return "too many";

  const form = await core.rows.get("forms", submission.value.form_id);
  const value = await recordOf(core, submission, mail);
  const uploads = form && mail.files.length > 0 ? await openUploads(core, form).catch(unlessGone) : null;
  try {
    if (uploads) value.attachments = await stored(core, uploads, mail);
    const commit = (): Promise<boolean> => commitMail(core, form, submission.id, id, value);
    let isNew = false;
    const keep = async (): Promise<void> => {
      isNew = await commit();
    };
    await (uploads ? uploads.keep(keep) : keep());
    if (!isNew) return "repeated";
  } finally {
    await uploads?.close();
  }
  if (!value.automatic) {
    for (const lane of ["webhook", "email"]) core.queue.wake(lane);
    core.events.emit("message.received", { ...toMessage(core, { id, value }), form_id: value.form_id });
  }
  return "stored";
}

/** False where another process has stored the same mail. */
const commitMail = (
  core: Core,
  form: Row<"forms"> | null,
  submission_id: string,
  id: string,
  value: MessageRecord,
): Promise<boolean> =>
  retrying(async () => {
    const submission = await core.rows.get("submissions", submission_id);
    if (!submission) return false;
    const writes: Write[] = [
      put("messages", id, value, null),
      ...fileWrites(value.attachments, submission_id, { ...submission.value, created_at: value.created_at }),
    ];
    if (!value.automatic) {
      const after = reopened(submission.value, value.created_at);
      writes.push(
        put("submissions", submission_id, after, submission.version),
        ...tallied([{ id: submission_id, before: submission.value, after }], value.created_at),
        ...(isEmail(value.from) ? [answeredWrite(core, value.team_id, value.from)] : []),
        ...(form ? await consequences(core, form, submission.value, id, value) : []),
      );
    }
    try {
      await core.commitNow(writes);
      return true;
    } catch (error) {
      if (error instanceof StaleWriteError && (await core.rows.get("messages", id))) return false;
      throw error;
    }
  });

/** A submission to which somebody has written again: unread and open. */
const reopened = (record: SubmissionRecord, at: string): SubmissionRecord =>
  changeOf(record, reopening, Date.parse(at))?.next ?? { ...record, updated_at: at };

async function recordOf(core: Core, submission: Row<"submissions">, mail: InboundMail): Promise<MessageRecord> {
  const body = mail.text.trim() === "" && mail.html !== "" ? textOfHtml(mail.html) : mail.text;
  const whole = printable(body.slice(0, MOST_TEXT).toWellFormed()).trim();
  const text = await withoutQuotes(whole);
  const line = (one: string): string => oneLine(one).slice(0, 320).toWellFormed();
  const lines = (list: readonly string[]): string[] => list.slice(0, MOST_ADDRESSES).map(line);
  const { form_id, team_id } = submission.value;
  const messageId = mail.messageId !== null && mail.messageId.length <= 998 ? mail.messageId : null;
  return {
    submission_id: submission.id,
    form_id,
    team_id,
    message_key: messageId === null ? null : messageKey(messageId),
    direction: "in",
    author: null,
    from: line(mail.from),
    to: lines(mail.to),
    cc: lines(mail.cc),
    subject: oneLine(mail.subject).slice(0, 998).toWellFormed(),
    text,
    ...(text !== whole && { whole }),
    attachments: [],
    status: "received",
    code: "RECEIVED",
    message_id: messageId,
    references: mail.answers.slice(0, MOST_ADDRESSES).reverse(),
    ...(isAutomatic(mail) && { automatic: true }),
    ...(mail.dmarc !== undefined && { dmarc: line(mail.dmarc).slice(0, 20) }),
    created_at: iso(core.clock.now()),
  };
}

/** Stores the files of a mail by the rules of its form; those that the form refuses are left out. */
async function stored(core: Core, uploads: Uploads, { files }: InboundMail): Promise<StoredFile[]> {
  for (const { name, mime_type, content } of files.slice(0, MOST_FILES)) {
    const upload = { key: ATTACHMENT, name, declared: mime_type, content: Readable.from([content]) };
    try {
      await uploads.take(upload);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === "unavailable") throw error;
      core.options.logger.info(`a file of a mail was left out: ${error.message}`);
    }
  }
  try {
    await uploads.scan();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "unavailable") throw error;
    core.options.logger.info(`the files of a mail were left out: ${error.message}`);
    return [];
  }
  return [...uploads.list];
}

/** Null for the files of a mail whose team is gone. Any other error is thrown, so that the service brings the mail again. */
function unlessGone(error: unknown): null {
  if (error instanceof ApiError && error.code === "form_inactive") return null;
  throw error;
}

async function lately(core: Core, submission_id: string): Promise<number> {
  const where = [{ column: "created_at", op: "gte", value: iso(core.clock.now() - HOUR_MS) }] as const;
  const index = { index: "submission", equals: { submission_id }, where } as const;
  return (await core.rows.all("messages", { ...index, order: "desc", most: 2 * MOST_AN_HOUR })).filter(
    ({ value }) => value.direction === "in",
  ).length;
}

const idOf = (submission_id: string, name: string): string =>
  `msg_${createHash("sha256")
    .update(JSON.stringify([submission_id, name]))
    .digest("hex")
    .slice(0, 24)}`;

const contentOf = ({ from, subject, text }: InboundMail): string => JSON.stringify([from, subject, text]);
