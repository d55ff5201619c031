import { z } from "zod";
import { bodyStream } from "../../core/http/body.ts";
import { limitAddress } from "../../core/http/limits.ts";
import { type RawRoute, route } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import { FormId } from "../../model/forms.ts";
import { ImageDeleted, ImageFields, ImageInput, ImageUpload, UploadedImage } from "../../model/images.ts";
import { readImageParts } from "./parts.ts";
import { assertRoomLeft, deleteImage, openImage, uploadImage } from "./service.ts";

export const imageRoutes = {
  uploadImage: route({
    method: "POST",
    path: "/v1/forms/:form_id/images",
    call: "forms.uploadImage",
    form: "live",
    summary: "Upload an image",
    tag: "Images",
    scopes: ["forms:write"],
    params: z.object({ form_id: FormId }),
    multipart: ImageUpload,
    body: ImageInput,
    admit: assertRoomLeft,
    async read(request) {
      const { fields, ...file } = await readImageParts(request.headers.get("content-type") ?? "", bodyStream(request));
      return { ...parseInput(ImageFields, fields), ...file };
    },
    status: 201,
    response: UploadedImage,
    errors: ["plan_restricted", "limit_reached"],
    handler: ({ core, form, body }) => uploadImage(core, form, body),
  }),
  deleteImage: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/images/:image_id",
    call: "forms.deleteImage",
    form: "live",
    summary: "Remove an image",
    tag: "Images",
    scopes: ["forms:write"],
    params: z.object({ form_id: FormId, image_id: z.string() }),
    response: ImageDeleted,
    errors: ["not_found"],
    handler: ({ core, form, params }) => deleteImage(core, form, params.image_id),
  }),
};

/** Images are public and never change: another upload has another id. */
export const imageFileRoute: RawRoute = {
  method: "GET",
  path: "/files/:id(img_\\w+)/:name",
  async handler(exchange, params) {
    await limitAddress(exchange);
    const image = await openImage(exchange.core, params["id"] ?? "", params["name"] ?? "");
    if (!image) throw new ApiError("not_found");
    return new Response(image.body, {
      headers: {
        "content-type": image.record.mime_type,
        // 0 in records that do not know it: no image and no file is empty.
        ...(image.record.size > 0 && { "content-length": String(image.record.size) }),
        "content-disposition": image.record.ext === undefined ? "inline" : "attachment",
        "cache-control": "public, max-age=31536000, immutable",
        // If someone opens an SVG directly: it may neither run nor load anything, and has an origin of its own.
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
};
