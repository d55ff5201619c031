import { z } from "zod";
import { ApiError } from "../errors.ts";
import { FormId } from "../forms/schema.ts";
import { bodyStream } from "../http/body.ts";
import { type RawRoute, route } from "../http/route.ts";
import { parseInput } from "../lib/input.ts";
import { readImageParts } from "./parts.ts";
import { ImageFields, ImageUpload, UploadedImage } from "./schema.ts";
import { openImage, uploadImage } from "./service.ts";

export const imageRoutes = {
  uploadImage: route({
    method: "POST",
    path: "/v1/forms/:form_id/images",
    summary: "Upload an image",
    tag: "Images",
    scopes: ["forms:write"],
    params: z.object({ form_id: FormId }),
    multipart: ImageUpload,
    status: 201,
    response: UploadedImage,
    errors: ["invalid_parameter", "payload_too_large", "plan_restricted", "request_timeout", "unsupported_media_type"],
    handler: async ({ core, caller, params, request }) => {
      const { fields, ...file } = await readImageParts(request.headers.get("content-type") ?? "", bodyStream(request));
      return uploadImage(core, caller, params.form_id, { ...parseInput(ImageFields, fields), ...file });
    },
  }),
};

/** Images are public and never change: another upload has another id. */
export const imageFileRoute: RawRoute = {
  method: "GET",
  path: "/files/:id(img_\\w+)/:name",
  async handler({ core }, params) {
    const image = await openImage(core, params["id"] ?? "", params["name"] ?? "");
    if (!image) throw new ApiError("not_found");
    return new Response(image.body, {
      headers: {
        "content-type": image.record.mime_type,
        "content-length": String(image.record.size),
        "content-disposition": "inline",
        "cache-control": "public, max-age=31536000, immutable",
        // For whoever opens an SVG by itself: it may neither run nor load anything, and has an origin of its own.
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
};
