import { ApiError } from "../../errors.ts";
import { SOURCE_FIELD } from "../../model/source.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { StoredFile } from "../../model/submission-file.ts";

const MAX_NAME = 200;
export const MAX_FIELDS = 500;
/** Bytes of one value. */
export const MAX_VALUE = 64 * 1024;
/** Names and values of one submission together. */
export const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/** Fields that steer a post and are never stored. */
const specialNames = [
  "_gotcha",
  "_next",
  "_subject",
  "_replyto",
  "_token",
  "_idempotency_key",
  "_language",
  "_draft",
  SOURCE_FIELD,
] as const;
export type SpecialName = (typeof specialNames)[number];

const captchaNames = new Set([
  "g-recaptcha-response",
  "h-captcha-response",
  "cf-turnstile-response",
  "frc-captcha-response",
  "frc-captcha-solution",
  "altcha",
]);

/** The content of a post, sorted by purpose. */
export interface Posted {
  readonly fields: SubmissionField[];
  readonly special: Readonly<Partial<Record<SpecialName, string>>>;
  readonly captcha: ReadonlyMap<string, string>;
  readonly files: PostedFiles;
}

/** The files of a post; their bytes are already in the blob port. */
export interface PostedFiles {
  readonly list: readonly StoredFile[];
  /** The field of each file that came, those that the form drops included. */
  readonly keys: readonly string[];
  /** Tells these files from any others, by name and content. */
  fingerprint(): string;
  /** Runs the commit that names the files: once it has succeeded they stay, whatever happens to the request. */
  keep(commit: () => Promise<void>): Promise<void>;
}

const noFiles: PostedFiles = { list: [], keys: [], fingerprint: () => "", keep: (commit) => commit() };

/** A file that was uploaded directly, and the field that it belongs to. */
export interface Claim {
  readonly key: string;
  readonly upload: string;
}

const CLAIM = "_upload.";

/**
 * Takes the fields of a post one by one.
 *
 * Objects made for each post have methods and no getters: V8 makes a hidden class for every object literal with a getter, and keeps
 * it, with all that the getter sees, until the next full collection.
 */
export interface FieldCollector {
  /** Throws `payload_too_large` on the first field beyond the limits. */
  add(key: string, value: string): void;
  done(files?: PostedFiles): Posted;
  /** Files that the sender has put into the store itself, from the fields `_upload.<field>`. */
  claims(): readonly Claim[];
  /** Call it when the body has been read to its end. */
  end(): void;
  /** False where fields may be missing, as of a body that was cut off. */
  isWhole(): boolean;
}

/** Collects the fields of a post under the limits; throws `payload_too_large` on the first one beyond them. */
export function collectFields(most = MAX_FIELDS): FieldCollector {
  const fields: SubmissionField[] = [];
  const special = new Map<string, string>();
  const captcha = new Map<string, string>();
  const claims: Claim[] = [];
  let count = 0;
  let bytes = 0;
  let whole = false;
  return {
    end() {
      whole = true;
    },
    isWhole: () => whole,
    claims: () => claims,
    add(rawKey, rawValue) {
      if (++count > most) throw beyond(`at most ${most} fields`);
      const key = fieldName(rawKey);
      const value = clean(rawValue);
      const valueBytes = Buffer.byteLength(value);
      if (valueBytes > MAX_VALUE) throw beyond("values of at most 64 KB");
      bytes += valueBytes + Buffer.byteLength(key);
      if (bytes > MAX_FIELD_BYTES) throw beyond("at most 1 MB of fields");
      if ((specialNames as readonly string[]).includes(key)) keep(special, key, value);
      else if (captchaNames.has(key)) keep(captcha, key, value);
      else if (key.startsWith(CLAIM)) {
        // An unused hidden input sends an empty one.
        if (value !== "") claims.push({ key: key.slice(CLAIM.length), upload: value });
      } else if (key !== "") fields.push({ key, value });
    },
    done: (files = noFiles) => ({
      fields,
      special: Object.fromEntries(special) as Posted["special"],
      captcha,
      files,
    }),
  };
}

/**
 * If a steering field is repeated, the last value that is not empty counts: an empty input, for example of a second widget, is
 * ignored.
 */
function keep(known: Map<string, string>, key: string, value: string): void {
  if (value !== "" || !known.has(key)) known.set(key, value);
}

/** A JSON object as fields: nested objects become keys `a.b`, lists repeat their key, `null` is an empty value. */
export function addJson(add: (key: string, value: string) => void, body: unknown): void {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ApiError("invalid_parameter", { message: "Send a JSON object whose members are the fields." });
  }
  for (const [key, value] of Object.entries(body)) {
    if (key === SOURCE_FIELD && typeof value === "object") add(key, JSON.stringify(value));
    else walk(key, value, 1);
  }

  function walk(key: string, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH)
      throw new ApiError("invalid_parameter", { message: `The JSON is nested deeper than ${MAX_DEPTH} levels.` });
    if (Array.isArray(value)) for (const entry of value) walk(key, entry, depth + 1);
    else if (typeof value === "object" && value !== null) {
      for (const [name, entry] of Object.entries(value)) walk(`${key}.${name}`, entry, depth + 1);
    } else add(key, value === null ? "" : String(value));
  }
}

/** A field's name as it is kept. Throws `payload_too_large` when it has more than 200 characters. */
export function fieldName(raw: string): string {
  const key = clean(raw);
  if (key.length > MAX_NAME) throw beyond(`field names of at most ${MAX_NAME} characters`);
  return key;
}

/** Databases refuse NUL and lone surrogates, each in its own way, so neither gets past the door. */
export const clean = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

/** A post with more than is accepted. */
export const beyond = (what: string): ApiError =>
  new ApiError("payload_too_large", { message: `The form endpoint accepts ${what}.` });
