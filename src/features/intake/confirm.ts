import type { Core } from "../../core/core.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import { warnOfNoRecipients } from "../../core/set-up.ts";
import { StoreDownError } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { block, nullable, text, time } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { overBlob } from "../files/store.ts";
import { deliversBeyond, reserve } from "../jobs/quota.ts";
import type { OptInLink } from "../mail/opt-in-link.ts";
import { opened } from "../privacy/shown.ts";
import { removeFiles } from "../submissions/removal.ts";
import { toSubmission } from "../submissions/view.ts";
import { takeRoom } from "../teams/stock.ts";
import { logAccepted } from "./accepted.ts";
import { causedBy, wakeFor } from "./causes.ts";

/** Notes that a link's submission is confirmed. It is kept for as long as the link works: the submission itself may be gone by then. */
interface Confirmed {
  language: string | null;
  expires_at: string | null;
}

const confirmedLeaf = block<Confirmed>({ language: nullable(text()), expires_at: nullable(time()) });
const markOf = (id: string): MarkId => `confirmed:${id}`;

/** The state of a link. `unknown`: its submission or its form is gone. */
export type OptInState =
  | { readonly is: "waiting"; readonly form: Row<"forms">; readonly pending: Row<"pending_submissions"> }
  | { readonly is: "done"; readonly language: string | null }
  | { readonly is: "late" | "unknown" };

/** The current state of a mail's link. */
export async function optInState(core: Core, { submission_id: id, expires }: OptInLink): Promise<OptInState> {
  // The submission first: one that is confirmed meanwhile has left its mark by the next look.
  const pending = await core.rows.get("pending_submissions", id);
  const done = pending ? null : await core.rows.mark(markOf(id), confirmedLeaf);
  if (done) return { is: "done", language: done.value.language };
  if (core.clock.now() >= expires) return { is: "late" };
  const form = pending && (await core.rows.get("forms", pending.value.form_id));
  return pending && form ? { is: "waiting", form, pending } : { is: "unknown" };
}

/**
 * Confirms a submission: it is stored with everything it causes in the transaction that takes it from those that wait. Two at the
 * same time, and a second one later, change nothing more. Throws `unavailable`, also while the form or its team is off: the
 * submission goes on waiting. If the link was confirmed nevertheless, the next call returns `done`.
 */
export const confirm = (core: Core, link: OptInLink, ip: string | null): Promise<OptInState> =>
  retrying(async (): Promise<OptInState> => {
    const state = await optInState(core, link);
    if (state.is !== "waiting") return state;
    const { form, pending } = state;
    await assertOpen(core, form);
    const { id, version, value } = pending;
    const { expires_at, uncounted: _, ...posted } = value;
    const now = core.clock.now();
    const at = iso(now);
    const bytes = posted.attachments.reduce((sum, { size }) => sum + size, 0);
    // It has its room already, but gets a new time, by which a count finds it.
    const room = await takeRoom(core, posted.team_id, { stored: 1, bytes }, "hold");
    const reservation = await reserve(core, posted.team_id, form.id);
    const submission = {
      ...posted,
      created_at: at,
      updated_at: at,
      over_quota: reservation === null,
      ...(reservation === null && !(await deliversBeyond(core, posted.team_id)) && { uncounted: true }),
      consent: { ...posted.consent, confirmed_at: at, confirmed_ip: ip },
    };
    const language = posted.language ?? "en";
    const mark: Confirmed = { language, expires_at };
    const { jobs, kept, writes } = causedBy(core, form, id, submission, { now, counted: reservation !== null });
    let fields: SubmissionField[];
    try {
      ({ fields } = await opened(core, id, submission));
      const taken = [remove("pending_submissions", id, version), put("marks", markOf(id), mark, null)];
      await core.commitNow([...taken, ...writes]);
    } catch (error) {
      // A commit without a response may have succeeded, so it stays counted.
      if (!(error instanceof ApiError && error.cause instanceof StoreDownError)) {
        await reservation?.giveBack();
        await room?.giveBack();
      }
      throw error;
    }
    wakeFor(core, jobs);
    core.events.emit("submission.created", toSubmission(core, id, { ...submission, fields }));
    logAccepted(core, form, id, submission, jobs);
    warnOfNoRecipients(core, form);
    core.telemetry.count("form_backend.submissions", { spam: false, team_id: form.value.team_id });
    if (!kept) await core.commitNow(await overBlob(core, () => removeFiles(core, submission)));
    return { is: "done", language };
  });

/** A form that takes no posts takes none from those that wait either. Throws `unavailable`. */
async function assertOpen(core: Core, { value }: Row<"forms">): Promise<void> {
  const team = await core.rows.get("teams", value.team_id);
  if (value.active && !value.locked && !team?.value.locked && team?.value.active !== false) return;
  throw new ApiError("unavailable", {
    message: "This form takes no submissions at the moment. Yours still waits: open the link again later.",
    headers: { "retry-after": "3600" },
  });
}
