/** A fault of one field. */
export interface FieldFault {
  /** For the visitor, in the form's language. */
  message: string;
  /** The check that failed, such as `required` or `email`. */
  rule: string;
}

/** The endpoint's response to a post that asks for JSON. */
export interface FormAnswer {
  /** The HTTP status. */
  code: number;
  status: "success" | "error";
  title: string;
  message: string;
  submission_id?: string;
  /** Where the sender can change it, of forms that allow that. */
  edit_url?: string;
  /** URL that the form's owner set for visitors after the post. */
  redirect?: string | null;
  /** Faults of single fields, by name. */
  errors?: Record<string, FieldFault>;
  /** The error as every API of the service tells it. */
  error?: { type: string; code: string; message: string; param?: string; request_id: string };
}

/** Bytes of a request that have left the browser. */
export interface UploadProgress {
  loaded: number;
  total: number;
}

/** The post was accepted and stored. */
export interface SubmitSuccess {
  ok: true;
  submission_id: string;
  title: string;
  message: string;
  /** URL that the form's owner set for visitors after the post. You have to redirect yourself. */
  redirect: string | null;
  /** The raw response. */
  answer: FormAnswer;
}

/** The post was refused, or there was no response. */
export interface SubmitFailure {
  ok: false;
  /**
   * A code of the endpoint such as `validation_failed`; `network` without any response, `bad_response` for one that is not from
   * the endpoint.
   */
  code: string;
  /** The HTTP status, 0 without a response. */
  status: number;
  /** Never empty. */
  message: string;
  /** Faults of single fields, by name. */
  errors: Record<string, FieldFault>;
  request_id: string | null;
  /**
   * The post may have been stored: send the same data with this as `idempotencyKey`, and it is stored only once. Null after a
   * final response.
   */
  idempotency_key: string | null;
  /** The raw response, null if there is none or it can't be read. */
  answer: FormAnswer | null;
}

export type SubmitResult = SubmitSuccess | SubmitFailure;

/** Messages for visitors if the endpoint sent none. */
export interface Messages {
  /** Default: "You are offline. Please try again when you are connected." */
  offline?: string | undefined;
  /** Default: "Something went wrong. Please try again." */
  failed?: string | undefined;
  /** Default: "Sending…" */
  sending?: string | undefined;
}

/** The sentences at fields as plain text by name, as form libraries take them. */
export function toFieldErrors(result: SubmitResult): Record<string, string> {
  if (result.ok) return {};
  return Object.fromEntries(Object.entries(result.errors).map(([name, { message }]) => [name, message]));
}
