import type { ErrorCode } from "../../errors.ts";
import type { DialectName } from "../../model/dialects.ts";
import type { SubmissionField } from "../../model/submission-field.ts";

/** A special field of ours, or the field of a captcha. */
type Ours = "_gotcha" | "_next" | "_subject" | "_replyto" | "g-recaptcha-response";

/** The meaning of a service's special field. */
export interface Meaning {
  /** Null drops the field. */
  readonly as: Ours | null;
  /** Set where the value is a field of the submission as well. */
  readonly kept?: true;
  /** A value that says nothing. */
  readonly ignored?: string;
}

/** A name by which a form is found: of the installation, or the key of a form. */
type Naming = "id" | "alias" | "key";

/** The address that a service's forms post to. */
export interface DialectAddress {
  /** Below `baseUrl`; `:alias` is the form's name; without it, the name comes in a field of the body. */
  readonly path: string;
  /** Names that are tried, in this order. */
  readonly by: readonly Naming[];
  /** Set where the response is JSON whatever the request says. */
  readonly json?: true;
}

/** An accepted post. */
export interface Told {
  readonly message: string;
  /** Fields that may be told, in the order of the post. */
  readonly fields: readonly SubmissionField[];
  /** The absolute URL that a page would have been redirected to. */
  readonly next: string;
}

/** A refused post. */
export interface Problem {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly faults: readonly { readonly field: string; readonly message: string; readonly rule: string }[];
  /** The names of the fields that came. */
  readonly sent: ReadonlySet<string>;
}

/** Posts of another service's forms, and the responses that they expect. */
export interface Dialect {
  readonly name: DialectName;
  readonly addresses: readonly DialectAddress[];
  /** Fields of the body that name the form. */
  readonly keyFields: readonly string[];
  readonly fields: ReadonlyMap<string, Meaning>;
  /** Fields whose name begins like this are dropped. */
  readonly droppedPrefixes: readonly string[];
  /** The JSON of an accepted post; ours where it is left out. */
  readonly success?: (told: Told) => object;
  /** The JSON of a refused post; ours where it is left out. */
  readonly failure?: (problem: Problem) => object;
}

/** A row of the table, with what most services lack left out. */
export const dialect = (
  row: Omit<Dialect, "keyFields" | "fields" | "droppedPrefixes"> & {
    readonly keyFields?: readonly string[];
    readonly special?: Readonly<Record<string, Meaning>>;
    readonly dropped?: readonly string[];
    readonly droppedPrefixes?: readonly string[];
  },
): Dialect => {
  const { special = {}, dropped = [], keyFields = [], droppedPrefixes = [], ...rest } = row;
  const drop: Meaning = { as: null };
  const fields = new Map([
    ...Object.entries(special),
    ...[...dropped, ...keyFields].map((name) => [name, drop] as const),
  ]);
  return { ...rest, keyFields, droppedPrefixes, fields };
};

/** A honeypot. Scripts send the state of an unchecked box as `false`. */
export const honeypot: Meaning = { as: "_gotcha", ignored: "false" };

/** The fields by name; a list where a name came more than once. */
export function byName(fields: readonly SubmissionField[]): Record<string, string | readonly string[]> {
  const values = new Map<string, string | string[]>();
  for (const { key, value } of fields) {
    const before = values.get(key);
    if (before === undefined) values.set(key, value);
    else if (typeof before === "string") values.set(key, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(values);
}
