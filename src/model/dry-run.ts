import type { FieldError } from "../errors.ts";
import type { EmailKind } from "./emails.ts";
import type { RoutedTo } from "./routing.ts";
import type { SubmissionField } from "./submission-field.ts";
import type { Verdict } from "./verdict.ts";
import type { WebhookFormat } from "./webhooks.ts";

/** An email that a post would cause. */
export interface DryRunEmail {
  readonly kind: EmailKind;
  /** The recipient; several with commas between them, if one message has them all. */
  readonly to: string;
  /** Further recipients that everybody sees. */
  readonly cc: readonly string[];
  /** Further recipients that nobody sees; left out where there are none. */
  readonly bcc?: readonly string[];
  /** The subject, filled in; that of a digest with nothing else in it. */
  readonly subject: string;
  /** When a digest is sent, with this notification in it; left out for what goes out at once. */
  readonly due_at?: string;
  /** The fault of a template that can't be filled in with this post. */
  readonly error?: string;
}

/** A request that a post would cause. */
export interface DryRunWebhook {
  readonly webhook_id: string;
  readonly format: WebhookFormat;
  /** The body as it would be sent. */
  readonly body: string;
}

/** Result of `POST /f/{form_id}?dry_run=1`. */
export interface DryRun {
  readonly dry_run: true;
  /** True if the post would be stored, as spam or not. */
  readonly accepted: boolean;
  /** The HTTP status of the answer to a script. */
  readonly status: number;
  readonly spam: boolean;
  /** The results of the spam checks. */
  readonly verdicts: readonly Verdict[];
  /** The faults of a refused post, by field. */
  readonly errors: Readonly<Record<string, FieldError>>;
  /** The fields that would be stored. */
  readonly fields: readonly SubmissionField[];
  /** The rules of the form's routing that matched, and the destinations they choose; left out while it has none. */
  readonly routed_to?: RoutedTo;
  /** The answer to this very request, without `dry_run`. */
  readonly answer: { readonly status: number; readonly location?: string; readonly body?: string };
  readonly emails: readonly DryRunEmail[];
  readonly webhooks: readonly DryRunWebhook[];
}
