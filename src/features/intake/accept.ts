import type { Core } from "../../core/core.ts";
import { levelOfPosts } from "../../core/options/under-test.ts";
import { put, type Row } from "../../core/rows.ts";
import { warnOfNoRecipients } from "../../core/set-up.ts";
import { StaleWriteError, StoreDownError, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { fileWrites } from "../files/store.ts";
import { knownFree, type Reservation, reserve, reserveUnwritten } from "../jobs/quota.ts";
import { protectFields } from "../privacy/protect.ts";
import { toSubmission } from "../submissions/view.ts";
import { cachedTeam, knownTeam } from "../teams/service.ts";
import { mayLimitStock, type Room, roomWrites, type Stock, takeRoom } from "../teams/stock.ts";
import { usageWrite } from "../teams/usage.ts";
import { logAccepted, logWaiting } from "./accepted.ts";
import { assertOpenAt } from "./availability.ts";
import { causedBy, wakeFor } from "./causes.ts";
import { composePost, isSpam } from "./compose.ts";
import { draftRemoval } from "./drafts.ts";
import type { Posted } from "./fields.ts";
import { type Mark, markWrite, once } from "./idempotency.ts";
import { asksConsent, pendingWrites } from "./pending.ts";
import { type Judgement, judge } from "./pipeline.ts";
import { assertPlace, commitInPlace, hasLimit, placeWrites } from "./places.ts";
import type { Accepted, Post, Visitor, Within } from "./post.ts";
import { commitOnce, repeatedId, storedAs } from "./uncertain-commit.ts";
import { hasUnique, isUniqueMark, uniqueWrites } from "./unique.ts";

/** The form of an endpoint, ready to accept a post. Throws `form_not_found`, `form_locked`, `form_inactive`. */
export async function openForm(core: Core, id: string): Promise<Row<"forms">> {
  const form = core.rows.known("forms", id) ?? (await core.rows.cached("forms", id));
  if (!form) throw new ApiError("form_not_found");
  const team = knownTeam(core, form.value.team_id) ?? (await cachedTeam(core, form.value.team_id));
  if (form.value.locked || team?.value.locked) throw new ApiError("form_locked");
  if (!form.value.active || !team?.value.active) throw new ApiError("form_inactive");
  return form;
}

/**
 * Judges a parsed post and makes it durable with all its emails and webhooks. When this resolves, they are committed; when it
 * throws, nothing is, except for `unavailable` with a key for sending it again. `within` a host's transaction, the host
 * commits: workers find the jobs later, and listeners get no event. Throws the codes of the public endpoint's table.
 */
export async function accept(
  core: Core,
  form: Row<"forms">,
  posted: Posted,
  visitor: Visitor,
  idempotencyKey: string | null,
  within: Within = null,
): Promise<Accepted> {
  assertFilled(posted);
  const post = { form, posted, visitor, within };
  // An unused hidden input sends an empty key.
  if (!idempotencyKey) return store(core, post);
  if (idempotencyKey.length > 255) {
    throw new ApiError("invalid_parameter", {
      param: "Idempotency-Key",
      message: "`Idempotency-Key` must have at most 255 characters.",
    });
  }
  const again = repeatedId(core, form.id, idempotencyKey);
  if (again) return storedAs(core, post, again, () => store(core, post, { id: again }));
  return once(core, post, idempotencyKey, (mark) => store(core, post, { mark, key: idempotencyKey }));
}

/** Throws `empty_submission`. */
export function assertFilled({
  files,
  fields,
}: Pick<Posted, "fields"> & { readonly files: Pick<Posted["files"], "keys"> }): void {
  const filled = files.keys.length > 0 || fields.some(({ value }) => value.trim() !== "");
  if (filled) return;
  // A developer's own form: nothing in it says why a browser sends nothing.
  const message =
    levelOfPosts() === "info" ? "The form was empty. Browsers send only inputs that have a `name`." : undefined;
  throw new ApiError("empty_submission", { message });
}

const MAX_RACES = 20;

/** Under which id or idempotency key a post is stored; by default a new id and no key. */
interface As {
  readonly id?: string;
  readonly mark?: Mark;
  readonly key?: string;
}

async function store(core: Core, post: Post, as: As = {}): Promise<Accepted> {
  const { form, posted, visitor } = post;
  assertOpenAt(form.value, core.clock.now());
  if (hasLimit(form.value)) await assertPlace(core, form);
  let judgement = await judge(core, form, posted, visitor, posted.files.keys);
  let room: Room | null = null;
  let reservation: Reservation | null = null;
  let races = 0;
  for (;;) {
    try {
      if (mayLimitStock(core, form.value.team_id)) room ??= await roomFor(core, post);
      const spam = isSpam(judgement.verdict);
      if (spam) await reservation?.giveBack();
      // A submission that waits for a confirmation is counted when it is confirmed.
      reservation =
        spam || asksConsent(form.value)
          ? null
          : (reservation ?? knownFree(core, form.value.team_id) ?? (await reserved(core, post)));
      return await record(core, post, judgement, as, reservation !== null);
    } catch (error) {
      const contested = error instanceof StaleWriteError ? judgement.contested(error.id) : null;
      if (contested) {
        judgement = contested;
        continue;
      }
      // Another post took the values meanwhile: the next look says so to the visitor.
      if (error instanceof StaleWriteError && isUniqueMark(error.id) && races++ < MAX_RACES) continue;
      judgement.release();
      // A commit without a response may have succeeded, so it stays counted.
      if (!(error instanceof ApiError && error.cause instanceof StoreDownError)) {
        await reservation?.giveBack();
        await room?.giveBack();
      }
      throw error;
    }
  }
}

/** Room in the team's storage for a post that will be stored, spam included. Throws `limit_reached`. */
const roomFor = (core: Core, { form: { value }, posted, within }: Post): Promise<Room | null> =>
  !isKept(value) || within?.isExclusive ? Promise.resolve(null) : takeRoom(core, value.team_id, stockOf(posted));

const isKept = (form: FormRecord): boolean => form.storage.store_submissions || asksConsent(form);
const stockOf = ({ files }: Posted): Stock => ({
  stored: 1,
  bytes: files.list.reduce((sum, { size }) => sum + size, 0),
});

const reserved = (core: Core, { form, within }: Post): Promise<Reservation | null> =>
  within?.isExclusive ? reserveUnwritten(core, form.value.team_id) : reserve(core, form.value.team_id, form.id);

async function record(
  core: Core,
  post: Post,
  { verdict, marks }: Judgement,
  { id: given, mark, key }: As,
  counted: boolean,
): Promise<Accepted> {
  const { form, posted, within } = post;
  const now = core.clock.now();
  const { team_id } = form.value;
  const id = given ?? core.sortableId(now);
  const protecting = protectFields(core, form, id, posted.fields);
  const { clear = posted.fields, ...content } = protecting ? await protecting : { fields: posted.fields };
  const { submission, words, waits } = await composePost(core, post, { verdict, now, counted, content });
  const caused = waits
    ? await pendingWrites(core, form, id, submission, { now, words, fields: posted.fields })
    : causedBy(core, form, id, submission, { now, counted });
  const { jobs, kept } = caused;
  const writes: Write[] = [...caused.writes, ...(kept ? fileWrites(posted.files.list, id, submission) : [])];
  const bytes = kept ? posted.files.list.reduce((sum, { size }) => sum + size, 0) : 0;
  if (bytes > 0) writes.push(usageWrite(team_id, submission.created_at, "file_bytes", bytes));
  writes.push(...draftRemoval(form.id, posted.special._draft));
  if (!submission.spam && hasUnique(form.value)) writes.push(...(await uniqueWrites(core, form, id, posted.fields)));
  const limited = !submission.spam && hasLimit(form.value);
  if (mark) writes.push(markWrite(mark, id, submission.spam, now));
  for (const { id: spent, expiresAt } of marks) {
    writes.push(put("marks", spent, { expires_at: iso(expiresAt) }, null));
  }
  if (within?.isExclusive && isKept(form.value)) writes.push(...(await roomWrites(core, team_id, stockOf(posted))));
  if (within && limited) writes.push(...(await placeWrites(core, form)));
  const commit = (): Promise<void> =>
    within
      ? within.commit(writes)
      : commitOnce(core, { formId: form.id, id, ...(key !== undefined && { key }) }, () =>
          limited
            ? commitInPlace(core, { form, writes, bytes: weight(posted) })
            : core.commitTogether(writes, weight(posted), team_id),
        );
  await (kept ? posted.files.keep(commit) : commit());
  if (within) return { id, submission };
  wakeFor(core, jobs);
  if (waits) {
    logWaiting(core, form, id);
    return { id, submission };
  }
  core.events.emit(
    submission.spam ? "submission.spam" : "submission.created",
    toSubmission(core, id, { ...submission, fields: clear }),
  );
  logAccepted(core, form, id, submission, jobs);
  warnOfNoRecipients(core, form);
  core.telemetry.count("form_backend.submissions", { spam: submission.spam, team_id });
  return { id, submission };
}

const weight = ({ fields }: Posted): number =>
  fields.reduce((sum, { key, value }) => sum + key.length + value.length, 200);
