import { z } from "zod";
import { block, moment, nullable, number, oneOf, optional, text } from "../lib/leaves.ts";

/** Bytes of one image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export const imageTypes = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
} as const;
export type ImageType = keyof typeof imageTypes;

// Some mail programs show neither WebP nor SVG, so only pages accept them.
const mail: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif"];
const page: readonly ImageType[] = [...mail, "image/webp", "image/svg+xml"];

/** The uses of an image, and the formats that each one accepts; null for a file of any type that the host allows. */
export const placements = {
  self_email_notification_logo: mail,
  auto_response_logo: mail,
  after_submit_logo: page,
  after_submit_logo_dark: page,
  reply_attachment: null,
} as const;

/** Files that go with each automatic reply of a form, and their bytes in all. */
export const MAX_REPLY_ATTACHMENTS = 5;
export const MAX_REPLY_ATTACHMENT_BYTES = 5 * 1024 * 1024;

/** The files that go with an automatic reply. */
export const ReplyAttachments = z
  .array(z.string().min(1).max(64))
  .max(MAX_REPLY_ATTACHMENTS)
  .refine((ids) => new Set(ids).size === ids.length, "must have no id twice")
  .describe(
    'Ids of images or files of the form (uploads of `use: "reply_attachment"`) that go with the automatic reply: up to 5, and 5 MB in all.',
  );

export const ImageUse = z.enum(Object.keys(placements) as [keyof typeof placements, ...(keyof typeof placements)[]]);

/** Members of an image besides its bytes. */
export const ImageFields = z.strictObject({
  use: ImageUse.describe(
    "The place: a logo of a mail or of a page, or `reply_attachment`, which takes any allowed type.",
  ),
  /** A name for the picture. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores")
    .optional(),
});
export type ImageFields = z.infer<typeof ImageFields>;

/** Bytes under a name: inferred, `Uint8Array` is emitted with an argument, which TypeScript before 5.7 refuses. */
export interface Bytes extends Uint8Array {}

/** An image to keep, as its row takes it. */
export const ImageInput = ImageFields.extend({
  file: z.custom<Bytes>((value) => value instanceof Uint8Array, "must be a file"),
  /** The file's own name on the sender's side; `name` comes from it where it is left out. */
  file_name: z.string().default(""),
});
export type ImageInput = z.output<typeof ImageInput>;

/** The parts of an upload. */
export const ImageUpload = ImageFields.extend({
  file: z.string().meta({ format: "binary", description: "The image, at most 5 MB." }),
}).meta({ id: "ImageUpload" });

/** An image, as the API returns it; the size in pixels is null for an SVG without one. */
export const UploadedImage = z
  .object({
    /** The picture's id. */
    id: z.string(),
    url: z.string().describe("PATCH it into the form's field for `use`."),
    /** The picture's place. */
    use: ImageUse,
    /** The picture's name. */
    name: z.string(),
    /** The type, such as image/png. */
    mime_type: z.string(),
    size: z.int().describe("In bytes."),
    width: z.int().nullable().describe("In pixels; null for an SVG without a size."),
    /** The height in pixels; null where an SVG has none. */
    height: z.int().nullable(),
  })
  .meta({ id: "UploadedImage" });
export type UploadedImage = z.infer<typeof UploadedImage>;

export const ImageDeleted = z
  .object({
    /** The id of the deleted picture. */
    id: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "ImageDeleted" });
export type ImageDeleted = z.infer<typeof ImageDeleted>;

export interface ImageRecord extends Omit<UploadedImage, "id" | "url"> {
  /** The extension of a file that is no image; left out for images, whose type says it. */
  ext?: string;
  form_id: string;
  team_id: string;
  created_at: string;
}

/** Reads an image from the store. Its type is never guessed, because it decides how a browser treats the bytes. */
export const imageLeaf = block<ImageRecord>({
  form_id: text(),
  team_id: text(),
  use: oneOf(ImageUse.options, "self_email_notification_logo"),
  name: text("image"),
  mime_type: text(),
  ext: optional(text()),
  size: number(0),
  width: nullable(number()),
  height: nullable(number()),
  created_at: moment(),
});
