type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "rate_limit_error"
  | "api_error";

interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  /** Said when the place that throws has nothing more exact to say. */
  readonly message: string;
}

/** Every error of the library: code → HTTP status, type, sentence. */
export const errors = {
  invalid_parameter: { status: 400, type: "invalid_request_error", message: "A parameter is missing or wrong." },
  malformed_body: {
    status: 400,
    type: "invalid_request_error",
    message: "The body does not match its `Content-Type`.",
  },
  empty_submission: { status: 400, type: "invalid_request_error", message: "The form was empty." },
  missing_bearer: {
    status: 401,
    type: "authentication_error",
    message: "Send an API key or access token as `Authorization: Bearer <token>`.",
  },
  invalid_key: {
    status: 401,
    type: "authentication_error",
    message: "The key or token is unknown, revoked or expired.",
  },
  wrong_audience: { status: 401, type: "authentication_error", message: "The token was issued for another resource." },
  insufficient_scope: {
    status: 403,
    type: "permission_error",
    message: "The credential lacks a scope that this request needs.",
  },
  cross_site_request: {
    status: 403,
    type: "permission_error",
    message: "The request came from another website, where your session is not valid.",
  },
  form_access_restricted: { status: 403, type: "permission_error", message: "The key is restricted to other forms." },
  team_inactive: { status: 403, type: "permission_error", message: "The team is not active." },
  owner_unverified: {
    status: 403,
    type: "permission_error",
    message: "The owner of the team has not verified their email.",
  },
  plan_restricted: { status: 403, type: "permission_error", message: "The team's plan does not include this." },
  form_inactive: {
    status: 403,
    type: "permission_error",
    message: "This form does not accept submissions at the moment.",
  },
  form_locked: {
    status: 403,
    type: "permission_error",
    message: "This form has been locked and takes no submissions.",
  },
  form_closed: {
    status: 403,
    type: "permission_error",
    message: "This form does not accept submissions at this time.",
  },
  form_full: { status: 403, type: "permission_error", message: "All places of this form are taken." },
  origin_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This form does not accept submissions from this website.",
  },
  not_author: { status: 403, type: "invalid_request_error", message: "Only its author can delete this note." },
  not_found: { status: 404, type: "invalid_request_error", message: "There is nothing at this address." },
  form_not_found: { status: 404, type: "invalid_request_error", message: "There is no form with this id." },
  recipient_not_found: {
    status: 404,
    type: "invalid_request_error",
    message: "The address is not on the recipient list.",
  },
  webhook_not_found: { status: 404, type: "invalid_request_error", message: "The form has no webhook with this id." },
  delivery_not_found: {
    status: 404,
    type: "invalid_request_error",
    message: "The webhook has no delivery for this submission.",
  },
  submission_not_found: { status: 404, type: "invalid_request_error", message: "There is no submission with this id." },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    message: "This address does not accept this method.",
  },
  request_timeout: { status: 408, type: "invalid_request_error", message: "The body took too long to arrive." },
  idempotency_in_progress: {
    status: 409,
    type: "invalid_request_error",
    message: "The first request with this idempotency key is still running; try again in a moment.",
  },
  submission_not_stored: {
    status: 409,
    type: "invalid_request_error",
    message: "The submission is no longer stored, so it cannot be delivered again.",
  },
  webhook_url_taken: {
    status: 409,
    type: "invalid_request_error",
    message: "The form already has a webhook with this URL.",
  },
  version_mismatch: {
    status: 412,
    type: "invalid_request_error",
    message: "The form has changed since the version in `If-Match`. Read it again and repeat the change.",
  },
  limit_reached: {
    status: 409,
    type: "invalid_request_error",
    message: "The maximum number is reached; remove one first.",
  },
  payload_too_large: {
    status: 413,
    type: "invalid_request_error",
    message: "The body is too large.",
  },
  too_many_files: {
    status: 413,
    type: "invalid_request_error",
    message: "Too many files were sent.",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    message: "The content type of the body is not accepted here.",
  },
  file_type_not_allowed: {
    status: 415,
    type: "invalid_request_error",
    message: "A file of this type is not accepted.",
  },
  idempotency_mismatch: {
    status: 422,
    type: "invalid_request_error",
    message: "The idempotency key was used before with another body.",
  },
  validation_failed: { status: 422, type: "invalid_request_error", message: "Some values are not valid." },
  captcha_failed: {
    status: 422,
    type: "invalid_request_error",
    message: "The captcha was not solved. Please try again.",
  },
  rate_limited: { status: 429, type: "rate_limit_error", message: "Too many requests; wait before the next one." },
  scan_concurrency: {
    status: 429,
    type: "rate_limit_error",
    message: "More than 2 filtered submission requests are running with this credential.",
  },
  internal_error: { status: 500, type: "api_error", message: "Something went wrong on our side." },
  body_consumed: {
    status: 500,
    type: "api_error",
    message:
      "The request's body was read before it reached the form backend. Mount the form backend before any body parser.",
  },
  unavailable: {
    status: 503,
    type: "api_error",
    message: "The service can't handle the request at the moment. Try again soon.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** A fault of one field of a post, and the check that found it; `schema` for a schema registered in code. */
export interface FieldError {
  /** The fault in words, for the visitor. */
  readonly message: string;
  /** The rule that the value breaks, such as `required`. */
  readonly rule: string;
}

export interface ErrorDetails {
  /** The request field at fault, as a dot path. */
  readonly param?: string | undefined;
  /** Scope names, on `insufficient_scope`. */
  readonly required?: readonly string[] | undefined;
  readonly message?: string | undefined;
  /** The faults by field, on `validation_failed`. */
  readonly fields?: Readonly<Record<string, FieldError>> | undefined;
  /** Response headers that belong to the error, such as `Allow` and `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The part of an error body that the client reads. */
  readonly request_id?: string | undefined;
  readonly cause?: unknown;
}

/** Every error that a caller can see, over HTTP and in process alike. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly required: readonly string[] | undefined;
  readonly fields: Readonly<Record<string, FieldError>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Names the request in the service's log. Set by the client, over HTTP. */
  readonly request_id: string | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const row: ErrorRow = errors[code];
    super(details.message ?? row.message, { cause: details.cause });
    this.code = code;
    this.status = row.status;
    this.type = row.type;
    this.param = details.param;
    this.required = details.required;
    this.fields = details.fields;
    this.headers = details.headers ?? {};
    this.request_id = details.request_id;
  }
}

/** `invalid_parameter` about one member; `what` goes on from its name, such as "must be a string", without a full stop. */
export const wrongParameter = (param: string, what: string, cause?: unknown): ApiError =>
  new ApiError("invalid_parameter", { param, message: `\`${param}\` ${what}.`, cause });
