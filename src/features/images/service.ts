import type { Core } from "../../core/core.ts";
import { isAllowed } from "../../core/options/files.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { ownTurn } from "../../lib/turn.ts";
import {
  type ImageDeleted,
  type ImageInput,
  type ImageRecord,
  type ImageType,
  imageTypes,
  MAX_IMAGE_BYTES,
  placements,
  type UploadedImage,
} from "../../model/images.ts";
import { guardOf, imagesOf, MAX_IMAGES, MAX_IMAGES_BYTES } from "../files/form-images.ts";
import { sniff } from "../files/sniff.ts";
import { announce, discard, giveUp, isUnderWay, markOf, overBlob, readBlob } from "../files/store.ts";
import { facing } from "../teams/face.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { tooLarge } from "./parts.ts";
import { readRaster } from "./raster.ts";
import { readSvg } from "./svg.ts";

/** A small file can claim to be enormous, and its viewer would allocate that much. */
const MAX_SIDE = 10_000;
const MAX_PIXELS = 40_000_000;

/**
 * Passes where the form has room for one more image. Throws `limit_reached`. It runs before the upload is read, because reading a
 * multipart body takes time, and refusals may come by the thousand; so they wait for the team's turn, too.
 */
export async function assertRoomLeft(core: Core, form: Row<"forms">): Promise<void> {
  await ownTurn(form.value.team_id);
  assertRoom(await imagesOf(core, form.id), 0);
}

/**
 * Stores an image for a form's mails or pages and returns its public URL; the form itself is not changed. Throws
 * `payload_too_large`, `invalid_parameter` on `file`, `plan_restricted`, `limit_reached`, `unavailable`.
 */
export async function uploadImage(core: Core, form: Row<"forms">, input: ImageInput): Promise<UploadedImage> {
  const { file, use } = input;
  if (file.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
  const team = await loadTeam(core, form.value.team_id);
  // Before anything reads it: to clean an SVG takes time.
  if (!team || !planOf(core, team.value).images) {
    throw new ApiError("plan_restricted", { param: "file", message: "The team's plan does not include images." });
  }
  const { bytes, ...image } =
    placements[use] === null
      ? await readFile(core, file, input.file_name ?? "")
      : await placed(file, use, placements[use], form.value.team_id);
  const id = prefixedId("img");
  const record: ImageRecord = {
    form_id: form.id,
    team_id: form.value.team_id,
    use,
    name: input.name ?? slug(input.file_name ?? ""),
    ...image,
    size: bytes.byteLength,
    created_at: iso(core.clock.now()),
  };
  await keep(core, id, record, bytes);
  return toImage(await facing(core, record.team_id), id, record);
}

/** An image and its bytes by the last two parts of its URL, or null. Throws `unavailable`. */
export async function openImage(
  core: Core,
  id: string,
  fileName: string,
): Promise<{ record: ImageRecord; body: ReadableStream<Uint8Array> } | null> {
  const row = await core.rows.get("images", id);
  if (!row || fileName !== fileNameOf(row.value)) return null;
  const body = await readBlob(core, id);
  return body && { record: row.value, body };
}

/** The bytes first and then the row, so that a row never leads nowhere; bytes without a row are taken away again. */
async function keep(core: Core, id: string, record: ImageRecord, file: Uint8Array): Promise<void> {
  await announce(core, id);
  const bytes = new Blob([file as Uint8Array<ArrayBuffer>]).stream();
  await overBlob(core, () => core.blob.put(id, bytes, { mimeType: record.mime_type }));
  try {
    await commitCounted(core, id, record);
  } catch (error) {
    // A commit that is under way may still come; otherwise the sweep removes the bytes by their mark.
    if (!isUnderWay(error)) await discard(core, [id]);
    throw error;
  }
}

/** Commits the row of an image. Uploads that come at once exclude each other by a row of the form's, so that none passes the limit. */
async function commitCounted(core: Core, id: string, record: ImageRecord): Promise<void> {
  await retrying(async () => {
    const guardId = guardOf(record.form_id);
    const guard = (await core.storage.get("marks", [guardId])).get(guardId);
    assertRoom(await imagesOf(core, record.form_id), record.size);
    await core.commitNow([
      put("images", id, record, null),
      remove("marks", markOf(id)),
      put("marks", guardId, { expires_at: null }, guard?.version ?? null),
    ]);
  }, 2 * MAX_IMAGES);
}

function assertRoom(images: readonly Row<"images">[], size: number): void {
  const bytes = images.reduce((sum, { value }) => sum + value.size, size);
  if (images.length < MAX_IMAGES && bytes <= MAX_IMAGES_BYTES) return;
  throw new ApiError("limit_reached", {
    param: "file",
    message: `A form has at most ${MAX_IMAGES} images, 100 MB in total; remove one first.`,
  });
}

/** Removes an image of a form; its URL shows nothing from then on. Throws `not_found`. */
export async function deleteImage(core: Core, form: Row<"forms">, id: string): Promise<ImageDeleted> {
  const row = await core.rows.get("images", id);
  if (row?.value.form_id !== form.id)
    throw new ApiError("not_found", { message: "The form has no image with this id." });
  await core.commitNow([remove("images", id), giveUp(core, id)]);
  await discard(core, [id]);
  return { id, deleted: true };
}

/** An image of a format that its place takes. */
async function placed(file: Uint8Array, use: string, accepted: readonly ImageType[], team_id: string) {
  const image = await readImage(file, team_id);
  if (accepted.includes(image.mime_type)) return image;
  const names = accepted.map((type) => imageTypes[type].toUpperCase()).join(", ");
  throw wrong(`is ${imageTypes[image.mime_type].toUpperCase()}, and \`${use}\` takes ${names}`);
}

/** A file for mails, of a type that the host allows: it is sent as it is, and never shown. */
async function readFile(core: Core, file: Uint8Array, name: string) {
  if (file.byteLength === 0) throw wrong("is empty");
  const { more, final } = await sniff(file, name, "");
  more?.(file);
  const { mime, ext } = final();
  if (!isAllowed(core.options.files.allowedTypes, mime))
    throw wrong(`is of the type ${mime}, which is not allowed here`);
  return { bytes: file, mime_type: mime, ext, width: null, height: null };
}

/** The type of a file, and the bytes to keep: those of an SVG are cleaned. */
async function readImage(
  file: Uint8Array,
  team_id: string,
): Promise<Pick<ImageRecord, "width" | "height"> & { mime_type: ImageType; bytes: Uint8Array }> {
  if (file.byteLength === 0) throw wrong("is empty");
  const svg = await readSvg(file, team_id);
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

/** The name of an image's file, with its extension. */
export const fileNameOf = ({ name, mime_type, ext }: ImageRecord): string =>
  `${name}.${ext ?? imageTypes[mime_type as ImageType]}`;

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

const wrong = (what: string): ApiError => wrongParameter("file", what);
