import { copyForm } from "../../../features/forms/copy.ts";
import { lockForm, unlockForm } from "../../../features/forms/lock.ts";
import { moveForm } from "../../../features/submissions/move-form.ts";
import type { FormCopyInput, FormLockInput, FormMoveInput, HostForm } from "../../../model/forms.ts";
import type { HostCalls } from "./call.ts";

/** What only the host does with forms, across teams and against them. */
export interface FormsOfHost {
  /**
   * Makes a new form with the settings, webhooks and images of another one, in its team or in `team_id`: without its submissions, its
   * key and its aliases. Its webhooks get secrets of their own; in another team it sends from the default sender. Returns the form.
   *
   * @throws `form_not_found`, `invalid_parameter`, `plan_restricted`, `team_inactive`, `owner_unverified`, `unavailable`
   * @example
   * const copy = await backend.forms.copy(template.id, { team_id: "customer_7", name: "Contact" });
   */
  copy(id: string, input?: FormCopyInput): Promise<HostForm>;
  /**
   * Moves a form to another team with its submissions, files, counters, webhooks, drafts and the log of its deliveries; its address
   * stays, also at a host of its old team's own, for as long as that team has it. Rows follow in steps: should the process die, the
   * sweep goes on. What its old team used in a month stays there. Returns the form.
   *
   * @throws `form_not_found`; `invalid_parameter` for an unknown team, keys that are restricted to the form, and a mail server of the old
   * team; `plan_restricted`, `team_inactive`, `owner_unverified`
   * @example
   * await backend.forms.move(form.id, { team_id: "customer_8" });
   */
  move(id: string, input: FormMoveInput): Promise<HostForm>;
  /**
   * Locks a form, whatever its team sets: posts get 403 `form_locked` with a page that says so, and no mail goes to visitors any more.
   * The team reads the `reason` in the inbox, and can't undo it. Returns the form.
   *
   * @throws `form_not_found`, `invalid_parameter`
   * @example
   * await backend.forms.lock(form.id, { reason: "It asks visitors for passwords." });
   */
  lock(id: string, input: FormLockInput): Promise<HostForm>;
  /**
   * Takes the lock away. Returns the form.
   *
   * @throws `form_not_found`
   */
  unlock(id: string): Promise<HostForm>;
}

/** The calls of the host. */
export const formsOfHost = ({ own }: Pick<HostCalls, "own">): FormsOfHost => ({
  copy: own(copyForm, ({ id, team_id }, source) => ({ action: "copy_form", team_id, form_id: id, ids: [source] })),
  move: own(moveForm, ({ id, team_id }) => ({ action: "move_form", team_id, form_id: id })),
  lock: own(lockForm, ({ id, team_id }) => ({ action: "lock_form", team_id, form_id: id })),
  unlock: own(unlockForm, ({ id, team_id }) => ({ action: "unlock_form", team_id, form_id: id })),
});
