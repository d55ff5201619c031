import { type Core, find } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { prefixedId } from "../lib/id.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { tooLarge } from "./parts.ts";
import { readRaster } from "./raster.ts";
import {
  type ImageFields,
  type ImageRecord,
  type ImageType,
  imageTypes,
  MAX_IMAGE_BYTES,
  placements,
  type UploadedImage,
} from "./schema.ts";
import { readSvg } from "./svg.ts";

/** A small file can say that it is enormous, and whoever shows it would allocate that. */
const MAX_SIDE = 10_000;
const MAX_PIXELS = 40_000_000;

/** An image to keep, its fields checked. */
export interface ImageInput extends ImageFields {
  readonly file: Uint8Array;
  /** Where `name` is left out, it comes from this. */
  readonly file_name?: string;
}

/**
 * Keeps an image for a form's mails or pages and answers its public URL; the form itself is not changed.
 * Throws `payload_too_large`, `invalid_parameter` on `file`, `plan_restricted` and what `reachForm` throws.
 */
export async function uploadImage(
  core: Core,
  caller: Caller,
  formId: string,
  input: ImageInput,
): Promise<UploadedImage> {
  const form = await reachForm(core, caller, formId);
  const { file, use } = input;
  if (file.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
  const { bytes, ...image } = await readImage(file);
  const accepted: readonly ImageType[] = placements[use];
  if (!accepted.includes(image.mime_type)) {
    const names = accepted.map((type) => imageTypes[type].toUpperCase()).join(", ");
    throw wrong(`is ${imageTypes[image.mime_type].toUpperCase()}, and \`${use}\` takes ${names}`);
  }
  const team = await loadTeam(core, form.value.team_id);
  if (!team || !planOf(core, team.value).images) {
    throw new ApiError("plan_restricted", { param: "file", message: "The team's plan does not include images." });
  }
  const id = prefixedId("img");
  const record: ImageRecord = {
    form_id: formId,
    team_id: form.value.team_id,
    use,
    name: input.name ?? slug(input.file_name ?? ""),
    ...image,
    size: bytes.byteLength,
    created_at: iso(core.clock.now()),
  };
  await keep(core, id, record, bytes);
  return toImage(core, id, record);
}

/** An image and its bytes by the two last parts of its URL, or null. */
export async function openImage(
  core: Core,
  id: string,
  fileName: string,
): Promise<{ record: ImageRecord; body: ReadableStream<Uint8Array> } | null> {
  const row: Stored<ImageRecord> | null = await find<ImageRecord>(core, "images", id);
  if (!row || fileName !== fileNameOf(row.value)) return null;
  const body = await core.blob.get(id);
  return body && { record: row.value, body };
}

/** The bytes first and then the row, so that a row never leads nowhere; bytes without a row are taken away again. */
async function keep(core: Core, id: string, record: ImageRecord, file: Uint8Array): Promise<void> {
  try {
    await core.blob.put(id, new Blob([file as Uint8Array<ArrayBuffer>]).stream(), {
      mimeType: record.mime_type,
      size: record.size,
    });
  } catch (cause) {
    core.options.logger.error(`blob ${core.blob.name}: ${cause instanceof Error ? cause.message : String(cause)}`);
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  }
  try {
    await core.storage.commit([{ op: "put", collection: "images", id, value: { ...record }, expect: null }]);
  } catch (error) {
    await core.blob.remove(id).catch((fault: unknown) => {
      core.options.logger.error(`blob ${core.blob.name}: ${id} has no row and can't be removed: ${String(fault)}`);
    });
    throw error;
  }
}

/** What a file is, and the bytes to keep: those of an SVG are cleaned. */
async function readImage(
  file: Uint8Array,
): Promise<Pick<ImageRecord, "mime_type" | "width" | "height"> & { bytes: Uint8Array }> {
  if (file.byteLength === 0) throw wrong("is empty");
  const svg = await readSvg(file);
  if (svg && "fault" in svg) throw wrong(`is an SVG that ${svg.fault}`);
  const raster = svg ? null : readRaster(file);
  const image = svg ? { mime_type: "image/svg+xml" as const, ...svg } : raster && { ...raster, bytes: file };
  if (!image) throw wrong("is not an image that can be read; send PNG, JPEG, GIF, WebP or SVG");
  // Escaping may have made it larger.
  if (image.bytes.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
  const { width, height } = image;
  if (Math.max(width ?? 0, height ?? 0) > MAX_SIDE || (width ?? 0) * (height ?? 0) > MAX_PIXELS) {
    throw wrong(
      `measures ${width} × ${height} pixels; at most ${MAX_SIDE} a side and ${MAX_PIXELS / 1e6} megapixels are taken`,
    );
  }
  return image;
}

function toImage(core: Core, id: string, record: ImageRecord): UploadedImage {
  const { use, name, mime_type, size, width, height } = record;
  return {
    id,
    url: `${core.options.baseUrl}/files/${id}/${fileNameOf(record)}`,
    use,
    name,
    mime_type,
    size,
    width,
    height,
  };
}

const fileNameOf = ({ name, mime_type }: ImageRecord): string => `${name}.${imageTypes[mime_type]}`;

/** A file's name as `name` takes it: without its extension, in lower case, dashes for all that is not a letter or digit. */
function slug(fileName: string): string {
  const plain = fileName
    .replace(/\.[^.]*$/, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9_]+/g, "-")
      .replace(/^-+/, "")
      .slice(0, 64)
      .replace(/-+$/, "") || "image"
  );
}

const wrong = (what: string): ApiError =>
  new ApiError("invalid_parameter", { param: "file", message: `\`file\` ${what}.` });
