import type { Core } from "../core.ts";
import type { Transaction } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { FileInput } from "../images/bytes.ts";
import type { Submission } from "../submissions/schema.ts";
import { toSubmission } from "../submissions/view.ts";
import { accept, openForm, type Within } from "./accept.ts";
import { countryOf } from "./country.ts";
import { collectFields } from "./fields.ts";
import { openUploads } from "./uploads.ts";

/** A file for a submission, under the same limits as one that a visitor uploads. */
export interface SubmitFile {
  /** The name of the form's field. */
  key: string;
  name: string;
  content: FileInput;
  /** Tells apart only what bytes cannot, such as CSV from other text. */
  mime_type?: string;
}

/** What `submit` takes besides the form: fields as an object of strings or lists, or as `{ key, value }` entries. */
export interface SubmitInput {
  fields: Record<string, string | string[]> | { key: string; value: string }[];
  files?: SubmitFile[];
  ip?: string | null;
  user_agent?: string | null;
  referer?: string | null;
  idempotency_key?: string;
}

/** How `submit` goes about it. */
export interface SubmitOptions {
  /**
   * A client with a transaction open, in the database of the store: the submission is committed, or taken back, with it. Until
   * then nothing is sent; workers find it within a second afterwards, and no event says that it was created. PostgreSQL only.
   */
  tx?: Transaction;
}

/**
 * Takes a submission as the public endpoint does, without its origin and rate checks. Throws the codes of the endpoint's table, and
 * a `TypeError` for a `tx` that the store can't join.
 */
export async function submit(
  core: Core,
  formId: string,
  input: SubmitInput,
  { tx }: SubmitOptions = {},
): Promise<Submission> {
  const within = tx === undefined ? null : join(core, tx);
  const form = await openForm(core, formId);
  const fields = collectFields();
  for (const [key, value] of entriesOf(input.fields)) fields.add(key, value);
  const uploads = await openUploads(core, form);
  try {
    for (const [at, { key, name, content, mime_type = "" }] of (input.files ?? []).entries()) {
      await uploads.take({ key, name, declared: mime_type, content: chunksOf(content, `files.${at}.content`) });
    }
    await uploads.scan();
    const ip = input.ip ?? null;
    const visitor = {
      ip,
      country: await countryOf(core, ip, new Headers()),
      user_agent: input.user_agent ?? null,
      referer: input.referer ?? null,
    };
    const key = input.idempotency_key ?? null;
    const { id, submission } = await accept(core, form, fields.done(uploads), visitor, key, within);
    return toSubmission(core, id, submission);
  } finally {
    await uploads.close();
  }
}

function join({ storage }: Core, tx: Transaction): Within {
  if (storage.within) return storage.within(tx);
  throw new TypeError(
    `[form-backend] submit: the store "${storage.name}" can't be part of a transaction of yours; use postgresStorage, or leave \`tx\` out`,
  );
}

function entriesOf(fields: SubmitInput["fields"]): (readonly [string, string])[] {
  if (Array.isArray(fields)) return fields.map(({ key, value }) => [key, value] as const);
  return Object.entries(fields).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [key, one] as const),
  );
}

function chunksOf(content: FileInput, param: string): AsyncIterable<Uint8Array> {
  const stream = content instanceof Blob ? content.stream() : content;
  if (stream instanceof ReadableStream) return stream;
  if (stream instanceof Uint8Array) return single(stream);
  const message = `\`${param}\` must be a Uint8Array, a ReadableStream or a Blob.`;
  throw new ApiError("invalid_parameter", { param, message });
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
