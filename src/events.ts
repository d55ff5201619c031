import mitt, { type Emitter } from "mitt";
import type { Form } from "./forms/schema.ts";
import type { Delivery } from "./jobs/schema.ts";
import type { Submission } from "./submissions/schema.ts";

/** What `backend.on` reports, in this process only, after it is durable. */
export type Events = {
  "submission.created": Submission;
  "submission.spam": Submission;
  "delivery.succeeded": Delivery;
  "delivery.failed": Delivery;
  "email.sent": Delivery;
  "email.failed": Delivery;
  "webhook.disabled": { form_id: string; webhook_id: string; reason: string };
  "form.created": Form;
  "form.updated": Form;
  "form.deleted": { id: string };
};

export interface EventHub {
  on: Emitter<Events>["on"];
  off: Emitter<Events>["off"];
  emit<K extends keyof Events>(type: K, event: Events[K]): void;
}

/** A hub whose handlers can neither throw into the library nor hold it up. */
export function createEvents(onError: (error: unknown) => void): EventHub {
  const emitter = mitt<Events>();
  return {
    on: emitter.on,
    off: emitter.off,
    emit(type, event) {
      for (const handler of emitter.all.get(type) ?? []) call(handler as (event: unknown) => unknown, event);
      for (const handler of emitter.all.get("*") ?? [])
        call((e) => (handler as (t: string, e: unknown) => unknown)(type, e), event);
    },
  };

  function call(handler: (event: unknown) => unknown, event: unknown): void {
    try {
      Promise.resolve(handler(event)).catch(onError);
    } catch (error) {
      onError(error);
    }
  }
}
