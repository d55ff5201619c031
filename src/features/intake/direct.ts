import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { isAllowed } from "../../core/options/files.ts";
import type { Plan } from "../../core/options/plans.ts";
import { put, type Row } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { block, number, text } from "../../lib/leaves.ts";
import { policyOf } from "../../model/field-policy.ts";
import { labelOf } from "../../model/form-record.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import { cleanName } from "../files/name.ts";
import { SAMPLE_BYTES, sniff } from "../files/sniff.ts";
import { blobDown, markOf, readBlob } from "../files/store.ts";
import { beginParts, type MissingPart, missingParts, partBytes } from "./direct-parts.ts";
import { type Claim, clean, fieldName } from "./fields.ts";
import { countFile, refusal, type Tally } from "./incoming.ts";

/** The address that a browser gets takes the file for so long. */
const SECONDS = 15 * 60;

/** What a browser says of a file before it sends it. */
const Announced = z.strictObject({
  name: z.string().max(1_000),
  size: z.int().min(1),
  type: z.string().max(200).default(""),
  field: z.string().min(1).max(200),
  /** True if it can send the file in parts. */
  parts: z.boolean().default(false),
  /** An upload of this file that was begun before, and goes on. */
  upload: z.string().max(120).optional(),
});

/** A file that a browser may put into the store, until a post claims it. */
interface DirectUpload {
  readonly form_id: string;
  readonly key: string;
  readonly name: string;
  readonly declared: string;
  readonly size: number;
  /** The store's id of the upload in parts; empty where the store has none. */
  readonly multipart: string;
  /** Bytes of each part but the last. */
  readonly part_bytes: number;
  readonly expires_at: string;
}

const directLeaf = block<DirectUpload>({
  form_id: text(""),
  key: text(""),
  name: text(""),
  declared: text(""),
  size: number(0),
  multipart: text(""),
  part_bytes: number(0),
  expires_at: text(""),
});

/** The response to a browser that announces a file. */
export interface Prepared {
  readonly upload: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts that have not arrived; `url` is that of the first. Only where the browser asked for parts. */
  readonly parts?: readonly MissingPart[];
  readonly expires_at: string;
}

/**
 * Prepares a direct upload. Throws `not_found` where there are none, `invalid_parameter`, and for a file that no post could bring
 * `plan_restricted`, `payload_too_large`, `file_type_not_allowed`.
 */
export async function prepareUpload(core: Core, form: Row<"forms">, plan: Plan, body: unknown): Promise<Prepared> {
  const { presign } = core.blob;
  if (!core.options.files.direct || !presign) throw new ApiError("not_found");
  const parsed = Announced.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = String(issue?.path[0] ?? "name");
    throw wrongParameter(param, MUST_BE[param as keyof typeof MUST_BE] ?? "is not known here");
  }
  const { size, type } = parsed.data;
  const key = fieldName(parsed.data.field);
  const label = labelOf(form.value);
  const stored = policyOf(form.value.settings.fields, key)?.store ?? "plain";
  if (stored !== "plain")
    throw wrongParameter("field", "has files that are not kept as they are; send it with the post");
  countFile({ key, field: label(key) }, plan, { count: 0, bytes: 0 }, { isNew: true, size, bytes: size });
  const declared = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  // Without a type the bytes alone decide, at the post.
  if (declared !== "" && declared !== OCTETS && !isAllowed(core.options.files.allowedTypes, declared))
    throw refusal("file_type_not_allowed", key, ({ files }) => files.type({ field: label(key) }));

  const name = clean(parsed.data.name);
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : OCTETS;
  const now = core.clock.now();
  const expires_at = iso(now + SECONDS * 1_000);
  const begun = await begunBefore(core, parsed.data.upload);
  const goesOn = begun && begun.value.form_id === form.id && begun.value.key === key && begun.value.size === size;
  try {
    const { id, value } = goesOn ? begun : await begin();
    if (value.multipart === "" || !core.blob.parts) {
      return { upload: id, ...(await presign(id, { size, mimeType, seconds: SECONDS })), expires_at };
    }
    const parts = await missingParts(core.blob.parts, id, { ...value, mimeType, seconds: SECONDS });
    const [first = { url: "" }] = parts;
    const made = { upload: id, url: first.url, method: "PUT", headers: { "content-type": mimeType } };
    return { ...made, ...(parsed.data.parts && { parts }), expires_at };
  } catch (cause) {
    throw blobDown(core, cause);
  }

  async function begin(): Promise<{ id: string; value: DirectUpload }> {
    const id = prefixedId("file");
    const value: DirectUpload = {
      form_id: form.id,
      key,
      name,
      declared,
      size,
      multipart: await beginParts(core, id, mimeType),
      part_bytes: parsed.data?.parts ? partBytes(size) : size,
      expires_at: iso(now + DAY_MS),
    };
    await core.commitTogether([put("marks", markOf(id), { ...value }, null)], 400, form.value.team_id);
    return { id, value };
  }
}

/** An upload in parts that is known by its id; null if it is none, or is over. */
async function begunBefore(core: Core, id = ""): Promise<{ id: string; value: DirectUpload } | null> {
  const mark = ID.test(id) ? await core.rows.mark(markOf(id), directLeaf) : null;
  if (!mark || mark.value.multipart === "" || Date.parse(mark.value.expires_at) <= core.clock.now()) return null;
  return { id, value: mark.value };
}

const OCTETS = "application/octet-stream";
const MUST_BE = {
  name: "must be the name of the file, a string of at most 1,000 characters",
  size: "must be the size of the file in bytes, an integer of 1 or more",
  type: "must be the media type of the file, a string of at most 200 characters",
  field: "must be the name of the form's field, a string of 1 to 200 characters",
  parts: "must be true or false",
  upload: "must be the `upload` of an earlier response, a string of at most 120 characters",
} as const;

/**
 * The file behind a claim: of this form and field, of the size that was announced, of an allowed type by its bytes. One that a post
 * got before is there again for a repeat of that post, and no other can be committed with it. Throws `invalid_parameter`,
 * `payload_too_large`, `file_type_not_allowed`, `unavailable` and what the plan refuses.
 */
export async function claimedFile(
  core: Core,
  form: Row<"forms">,
  plan: Plan,
  tally: Tally,
  { key: rawKey, upload }: Claim,
): Promise<StoredFile> {
  const key = fieldName(rawKey);
  const param = `_upload.${key}`;
  const field = labelOf(form.value)(key);
  const isId = core.options.files.direct && ID.test(upload);
  const known = isId ? (await core.rows.mark(markOf(upload), directLeaf))?.value : undefined;
  if (!known || known.form_id !== form.id || known.key !== key || Date.parse(known.expires_at) <= core.clock.now()) {
    const before = isId ? (await core.rows.get("files", upload))?.value : undefined;
    if (before?.form_id !== form.id || before.key !== key)
      throw wrongParameter(param, "names no upload of this form and field that is waiting; upload the file again");
    const { name, mime_type, size } = before;
    countFile({ key, field }, plan, tally, { isNew: true, size, bytes: size });
    return { key, file_id: upload, name, mime_type, size };
  }
  const size = await arrived(core, upload, known);
  if (size === null) throw wrongParameter(param, "names an upload whose file has not arrived; upload it first");
  countFile({ key, field }, plan, tally, { isNew: true, size, bytes: size });
  if (size !== known.size)
    throw wrongParameter(param, `has ${size} bytes, and ${known.size} were announced; upload the file again`);
  const { mime, ext } = await typeOf(core, upload, known);
  if (!isAllowed(core.options.files.allowedTypes, mime)) {
    // Its mark stays, and leads the sweep to it if this fails.
    await core.blob.remove(upload).catch(() => {});
    throw refusal("file_type_not_allowed", key, ({ files }) => files.type({ field }));
  }
  return { key, file_id: upload, name: cleanName(known.name, ext), mime_type: mime, size };
}

const ID = /^file_[A-Za-z0-9]{1,100}$/;

async function sizeOf(core: Core, id: string): Promise<number | null> {
  try {
    const size = (await core.blob.sizeOf?.(id)) ?? null;
    if (Number.isNaN(size)) throw new Error("the size of the blob is not known");
    return size;
  } catch (cause) {
    throw blobDown(core, cause);
  }
}

/**
 * The size of an upload that has arrived, whose parts become a file first; null as long as one is missing. A store that lets nobody
 * list its objects refuses to say that one is absent, so it is asked for a file only when there must be one.
 */
async function arrived(core: Core, id: string, { multipart, size }: DirectUpload): Promise<number | null> {
  const { parts } = core.blob;
  if (!parts || multipart === "") return sizeOf(core, id);
  try {
    const stored = await parts.stored(id, multipart);
    const bytes = [...(stored?.values() ?? [])].reduce((sum, part) => sum + part.size, 0);
    if (stored && bytes !== size) return null;
    if (stored) await parts.complete(id, multipart, stored);
  } catch (cause) {
    // Another post may have completed it in between.
    if ((await sizeOf(core, id).catch(() => null)) === null) throw blobDown(core, cause);
  }
  return sizeOf(core, id);
}

/** The type by the first bytes, or by all of a container. */
async function typeOf(
  core: Core,
  id: string,
  { name, declared }: DirectUpload,
): Promise<{ readonly mime: string; readonly ext: string }> {
  const body = await readBlob(core, id);
  const head: Uint8Array[] = [];
  let size = 0;
  let sniffed: Awaited<ReturnType<typeof sniff>> | undefined;
  try {
    for await (const chunk of body ?? []) {
      if (sniffed?.more) {
        sniffed.more(chunk);
        continue;
      }
      head.push(chunk);
      size += chunk.byteLength;
      if (size < SAMPLE_BYTES) continue;
      sniffed = await sniff(Buffer.concat(head), name, declared);
      if (!sniffed.more) break;
      for (const part of head) sniffed.more(part);
    }
  } catch (cause) {
    throw blobDown(core, cause);
  }
  if (!sniffed) {
    sniffed = await sniff(Buffer.concat(head), name, declared);
    for (const part of head) sniffed.more?.(part);
  }
  return sniffed.final();
}
