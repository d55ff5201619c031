import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { joinTransaction } from "../../core/host-transaction.ts";
import type { Transaction } from "../../drivers/storage/types.ts";
import { wrongParameter } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import type { FileInput } from "../images/bytes.ts";
import { opened } from "../privacy/shown.ts";
import { toHostSubmission } from "../submissions/view.ts";
import { facing } from "../teams/face.ts";
import { accept, openForm } from "./accept.ts";
import { countryOf } from "./country.ts";
import { collectFields } from "./fields.ts";
import { openUploads } from "./uploads.ts";

/** A file for a submission, under the same limits as one that a visitor uploads. */
export interface SubmitFile {
  /** The name of the form's field. */
  key: string;
  /** The file's name. */
  name: string;
  /** The file's bytes. */
  content: FileInput;
  /** Needed only for types that bytes can't tell apart, such as CSV and other text. */
  mime_type?: string;
}

/** Input of `submit` besides the form: fields as an object of strings or lists, or as `{ key, value }` entries. */
export interface SubmitInput {
  /** The values, by name or as a list in order. `_upload.<field>` names a file that a browser has uploaded directly. */
  fields: Record<string, string | string[]> | SubmissionField[];
  /** Files sent along. */
  files?: SubmitFile[];
  /** The visitor's address. */
  ip?: string | null;
  /** The visitor's browser. */
  user_agent?: string | null;
  /** The page with the form. */
  referer?: string | null;
  /** A name of this submission: sent again, it is stored once. */
  idempotency_key?: string;
}

// Members that are loose here are checked when they are read: a field may be called `__proto__`, which no zod record accepts.
const SubmitShape = z.strictObject({
  fields: z.unknown(),
  files: z
    .array(
      z.strictObject({ key: z.string(), name: z.string(), content: z.unknown(), mime_type: z.string().optional() }),
    )
    .optional(),
  ip: z.string().nullish(),
  user_agent: z.string().nullish(),
  referer: z.string().nullish(),
  idempotency_key: z.string().nullish(),
});

/** Options of `submit`. */
export interface SubmitOptions {
  /**
   * Your open transaction in the store's database, as your library gives it: a client of pg or mysql2, a handle of SQLite, or
   * the transaction of Drizzle, Kysely, Knex, Prisma, TypeORM, MikroORM, postgres.js or `@libsql/client`. The submission is
   * committed, or taken back, with it. Until then nothing is sent; workers find it within a second afterwards, and no event says
   * that it was created.
   */
  tx?: Transaction;
}

/**
 * Takes a submission as the public endpoint does, without its origin and rate checks. Throws the codes of the endpoint's table, and
 * a `TypeError` for a `tx` that the store can't join.
 */
export async function submit(
  backend: Core,
  formId: string,
  input: SubmitInput,
  { tx }: SubmitOptions = {},
): Promise<HostSubmission> {
  const { fields: given, files = [], idempotency_key, ...from } = parseInput(SubmitShape, input);
  const entries = entriesOf(given);
  const within = tx === undefined ? null : joinTransaction(backend, tx, "submit");
  const form = await openForm(backend, formId);
  const core = await facing(backend, form.value.team_id);
  const fields = collectFields();
  for (const [key, value] of entries) fields.add(key, value);
  const uploads = await openUploads(core, form);
  try {
    for (const [at, { key, name, content, mime_type = "" }] of files.entries()) {
      await uploads.take({ key, name, declared: mime_type, content: chunksOf(content, `files.${at}.content`) });
    }
    const claims = fields.claims();
    if (claims.length > 0) await uploads.claim(claims);
    await uploads.scan();
    const ip = from.ip ?? null;
    const visitor = {
      ip,
      country: await countryOf(core, ip, new Headers()),
      user_agent: from.user_agent ?? null,
      referer: from.referer ?? null,
    };
    const posted = fields.done(uploads);
    const { id, submission } = await accept(core, form, posted, visitor, idempotency_key ?? null, within);
    return toHostSubmission(core, id, await opened(core, id, submission));
  } finally {
    await uploads.close();
  }
}

function entriesOf(fields: unknown): (readonly [string, string])[] {
  if (fields === undefined) throw wrongParameter("fields", "is required");
  if (typeof fields !== "object" || fields === null) throw wrongParameter("fields", "must be an object or an array");
  if (!Array.isArray(fields)) {
    return Object.entries(fields).flatMap(([key, value]: [string, unknown]) =>
      (Array.isArray(value) ? value : [value]).map((one) => [key, text(one, `fields.${key}`)] as const),
    );
  }
  return fields.map((entry: Partial<Record<"key" | "value", unknown>> | null | undefined, at) => [
    text(entry?.key, `fields.${at}.key`),
    text(entry?.value, `fields.${at}.value`),
  ]);
}

function text(value: unknown, param: string): string {
  if (typeof value === "string") return value;
  throw wrongParameter(param, value === undefined ? "is required" : "must be a string");
}

function chunksOf(content: unknown, param: string): AsyncIterable<Uint8Array> {
  const stream = content instanceof Blob ? content.stream() : content;
  if (stream instanceof ReadableStream) return stream;
  if (stream instanceof Uint8Array) return single(stream);
  throw wrongParameter(param, "must be a Uint8Array, a ReadableStream or a Blob");
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
