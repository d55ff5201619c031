import { z } from "zod";

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

// Mail programs show neither WebP nor SVG everywhere, so that only pages take them.
const mail: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif"];
const page: readonly ImageType[] = [...mail, "image/webp", "image/svg+xml"];

/** What an image is for, and the formats that are shown there. */
export const placements = {
  self_email_notification_logo: mail,
  auto_response_logo: mail,
  after_submit_logo: page,
  after_submit_logo_dark: page,
} as const;

export const ImageUse = z.enum(Object.keys(placements) as [keyof typeof placements, ...(keyof typeof placements)[]]);

/** What is said of an image beside its bytes. */
export const ImageFields = z.strictObject({
  use: ImageUse,
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores")
    .optional(),
});
export type ImageFields = z.infer<typeof ImageFields>;

/** The parts of an upload. */
export const ImageUpload = ImageFields.extend({
  file: z.string().meta({ format: "binary", description: "The image, at most 5 MB." }),
}).meta({ id: "ImageUpload" });

/** An image as the API answers it; pixels are null for an SVG that does not say. */
export const UploadedImage = z
  .object({
    id: z.string(),
    url: z.string().describe("To be put where `use` says, with a PATCH of the form."),
    use: ImageUse,
    name: z.string(),
    mime_type: z.string(),
    size: z.int().describe("In bytes."),
    width: z.int().nullable().describe("In pixels; null for an SVG that does not say."),
    height: z.int().nullable(),
  })
  .meta({ id: "UploadedImage" });
export type UploadedImage = z.infer<typeof UploadedImage>;

export interface ImageRecord extends Omit<UploadedImage, "id" | "url" | "mime_type"> {
  mime_type: ImageType;
  form_id: string;
  team_id: string;
  created_at: string;
}
