import mitt, { type Emitter } from "mitt";
import type { ErrorCode } from "../errors.ts";
import type { AbuseReport } from "../model/abuse.ts";
import type { HostForm } from "../model/forms.ts";
import type { DeliveryEvent, EmailEvent } from "../model/job-events.ts";
import type {} from "../model/jobs.ts";
import type { Message } from "../model/messages.ts";
import type { PlanExceeded } from "../model/owner-notices.ts";
import type { Submission } from "../model/submissions.ts";
import type { Removed } from "../model/team-deletion.ts";

/** A person's action in the inbox, and its target. */
export interface InboxAction {
  /** Such as `mark_read`, `delete` or `export`. */
  action: string;
  /** The person, as the host names them. */
  user: {
    /** The host's id of the person. */
    id: string;
    /** The name that the inbox shows. */
    name: string;
  };
  /** The inbox's team. */
  team_id: string;
  /** Null where it was done to no form. */
  form_id: string | null;
  /** The submissions, or other targets of the action. Empty if it applied to all that match a filter. */
  ids: string[];
  /** The time. */
  at: string;
}

/** A mail that a mail service told us of. */
export interface MailReturned {
  /** The mail's id, in `backend.jobs`. */
  id: string;
  /** The kind of mail. */
  kind: EmailEvent["kind"];
  /** The team whose mail it was. */
  team_id: string;
  /** The form; empty where it was of none. */
  form_id: string;
  /** The submission; empty where it was about none. */
  submission_id: string;
  /** The recipient. */
  email: string;
  /** The provider of the option `inbound` that said so. */
  source: string;
  /** The time when we were told. */
  at: string;
}

/** Events of `backend.on`, sent in this process only, after the change is durable. */
export type Events = {
  /** A submission has arrived in the inbox. */
  "submission.created": Submission;
  /** A submission was changed: marked, assigned, labelled, snoozed or done. */
  "submission.updated": {
    /** The submission. */
    id: string;
    /** Its form. */
    form_id: string;
    /** The members that changed, such as `state` or `labels`, and `fields` where its sender did it. */
    changed: string[];
  };
  /** A submission has arrived as spam. */
  "submission.spam": Submission;
  /** A post to a form was refused, for the reason in its response. */
  "submission.refused": {
    /** The form that was posted to. */
    form_id: string;
    /** The code of the refusal. */
    code: ErrorCode;
    /** The visitor's address; null if the host does not pass it. */
    ip: string | null;
  };
  /** A webhook has been delivered. */
  "delivery.succeeded": DeliveryEvent;
  /** An attempt failed, and another one follows at `next_attempt_at`. */
  "delivery.retrying": DeliveryEvent;
  /** The last attempt of a delivery has failed. */
  "delivery.failed": DeliveryEvent;
  /** The mail server has taken a mail. */
  "email.sent": EmailEvent;
  /** An attempt failed, and another one follows at `next_attempt_at`. */
  "email.retrying": EmailEvent;
  /** The last attempt of a mail has failed. */
  "email.failed": EmailEvent;
  /** A mail of ours did not arrive. `hard`: the address takes no mail; `soft`: it may later. */
  "email.bounced": MailReturned & {
    /** `soft` if a later mail may arrive, `hard` if none will. */
    type: "hard" | "soft";
    /** True if the team's mail no longer goes to this address. */
    suppressed: boolean;
    /** The words of the mail service. */
    reason: string;
  };
  /** A recipient has called a mail spam. The team's mail no longer goes to the address. */
  "email.complained": MailReturned;
  /** A mail has come in for a submission; not for one that a program wrote. */
  "message.received": Message & {
    /** The form of the submission. */
    form_id: string;
  };
  /** A webhook has been switched off. */
  "webhook.disabled": {
    /** The form of the webhook. */
    form_id: string;
    /** The webhook. */
    webhook_id: string;
    /** The reason in words. */
    reason: string;
  };
  /** Once a month and team, when the first submission comes that the plan's month has no place for. `month` is in UTC, `2026-11`. */
  "plan.exceeded": {
    /** The team. */
    team_id: string;
  } & PlanExceeded;
  /** A form that usually gets submissions gets none any more. Once for each silence. */
  "form.quiet": {
    /** The form. */
    form_id: string;
    /** The form's team. */
    team_id: string;
    /** Whole days, in UTC, without a submission. */
    days: number;
    /** Submissions a day before. */
    usual: number;
    /** The time of the last post. */
    last_submission_at: string;
  };
  /** A visitor reported a form, or a check of forms found something. */
  "abuse.reported": AbuseReport;
  /** Nothing of a deleted team is left. */
  "team.deleted": {
    /** The team. */
    id: string;
    /** The number of removed rows and files of each kind. */
    removed: Removed;
  };
  /** Somebody did something in the inbox; `ids` are the submissions, or other targets of the action. */
  "inbox.action": InboxAction;
  /** A form has been created. */
  "form.created": HostForm;
  /** A form has been changed. */
  "form.updated": HostForm;
  /** A form has been deleted. */
  "form.deleted": {
    /** The id of the deleted form. */
    id: string;
  };
};

const names: Record<keyof Events, true> = {
  "submission.created": true,
  "submission.updated": true,
  "submission.spam": true,
  "submission.refused": true,
  "delivery.succeeded": true,
  "delivery.retrying": true,
  "delivery.failed": true,
  "email.sent": true,
  "email.retrying": true,
  "email.failed": true,
  "email.bounced": true,
  "email.complained": true,
  "message.received": true,
  "webhook.disabled": true,
  "plan.exceeded": true,
  "form.quiet": true,
  "abuse.reported": true,
  "team.deleted": true,
  "inbox.action": true,
  "form.created": true,
  "form.updated": true,
  "form.deleted": true,
};

export interface EventHub {
  on: Emitter<Events>["on"];
  off: Emitter<Events>["off"];
  emit<K extends keyof Events>(type: K, event: Events[K]): void;
}

/**
 * Makes a hub whose handlers can neither throw into the library nor delay it. `on` throws a TypeError for an event that does
 * not exist.
 */
export function createEvents(onError: (error: unknown) => void): EventHub {
  const emitter = mitt<Events>();
  const on = (type: keyof Events | "*", handler: (...args: never[]) => unknown): void => {
    if (type !== "*" && !Object.hasOwn(names, type)) {
      throw new TypeError(
        `[form-backend] there is no event "${String(type)}"; events are ${Object.keys(names).join(", ")}, and "*" for all of them`,
      );
    }
    if (typeof handler !== "function")
      throw new TypeError(`[form-backend] on("${type}") needs a function as its second argument`);
    emitter.on(type as "*", handler as (...args: unknown[]) => void);
  };
  return {
    on: on as EventHub["on"],
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
