import type { Core } from "../../core/core.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { deliveryId } from "../../lib/id.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { HostEvent } from "../../model/host-events.ts";
import type { HostNote } from "../../model/host-note.ts";
import { jobKinds } from "../../model/jobs.ts";
import { jobWrite } from "./new-job.ts";

/**
 * The writes that tell the host's webhooks of an event, for the commit of what happened; call `wakeHost` after it. None where no
 * webhook of the host's wants it. They belong to no team and no form, so that they outlast both.
 */
export function tellHost(
  core: Core,
  event: HostEvent,
  data: object,
  mail: Pick<HostNote, "mail_id" | "recipient"> = {},
): Write[] {
  const wanted = core.options.hostWebhooks.filter(({ events }) => events.has(event));
  if (wanted.length === 0) return [];
  const host: HostNote = { data: JSON.stringify(data), ...mail };
  const now = core.clock.now();
  const due = core.storeClock.now();
  return wanted.map(({ id: target }) =>
    jobWrite(core, deliveryId(now), due, { kind: "host_webhook", target, form_id: "", team_id: "", event, host }),
  );
}

/** What the host is told of a form; it reads the rest with `forms.get`. */
export const formNote = (id: string, { team_id, name, active, settings, locked, created_at }: FormRecord): object => ({
  id,
  team_id,
  name,
  key: settings.key,
  active,
  locked,
  created_at,
});

/** Wakes the workers for what `tellHost` has committed. */
export function wakeHost(core: Core): void {
  if (core.options.hostWebhooks.length > 0) core.queue.wake(jobKinds.host_webhook.lane);
}
