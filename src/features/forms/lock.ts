import type { Core } from "../../core/core.ts";
import { iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { type FormLock, FormLockInput, type HostForm } from "../../model/forms.ts";
import { HOST } from "../../model/keys.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { reachForm } from "./access.ts";
import { changeForm } from "./change.ts";
import { toForm } from "./view.ts";

/**
 * Locks a form, whatever its team sets: posts are refused, and no mail goes to visitors. A locked form gets the new reason. Throws
 * `form_not_found`, `invalid_parameter`.
 */
export async function lockForm(core: Core, id: string, input: FormLockInput): Promise<HostForm> {
  const { reason } = parseInput(FormLockInput, input);
  return changed(core, id, (locked) => (locked?.reason === reason ? locked : { reason, at: iso(core.clock.now()) }));
}

/** Takes the lock away, if there is one. Throws `form_not_found`. */
export const unlockForm = (core: Core, id: string): Promise<HostForm> => changed(core, id, () => null);

async function changed(
  core: Core,
  id: string,
  lockOf: (locked: FormLock | null) => FormLock | null,
): Promise<HostForm> {
  const form = await reachForm(core, HOST, id);
  const { row, changed: isNew } = await changeForm(core, form, ({ value }) => {
    const locked = lockOf(value.locked);
    if (locked === value.locked) return null;
    const next = { ...value, locked };
    const event = locked ? "form.locked" : "form.updated";
    return { value: next, also: tellHost(core, event, formNote(form.id, next)) };
  });
  if (isNew) wakeHost(core);
  const view = await toForm(core, row);
  if (isNew) core.events.emit("form.updated", view);
  return view;
}
