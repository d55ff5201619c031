import type { S3Client } from "./_s3-client.ts";
import { element, S3Error } from "./_s3-error.ts";
import { beginUpload, completeUpload } from "./_s3-upload.ts";
import type { BlobPart, BlobParts } from "./types.ts";

/** Uploads in parts that browsers send. S3, R2 and their likes list the parts, so no page needs to read a header of theirs. */
export function s3Parts(client: S3Client, place: (key: string) => string): BlobParts {
  return {
    begin: (blob, { mimeType }) => beginUpload(client, place(blob), { "content-type": mimeType }),
    presign: (blob, uploadId, { number, ...part }) =>
      client.presign(place(blob), { ...part, query: { partNumber: String(number), uploadId } }),
    async stored(blob, uploadId) {
      const found = await client.send({ method: "GET", key: place(blob), query: { uploadId } }).catch(nullWhenUnknown);
      if (!found) return null;
      const parts = [...found.text.matchAll(/<Part>([\s\S]*?)<\/Part>/g)].map(([, part = ""]): [number, BlobPart] => [
        Number(element(part, "PartNumber")),
        { size: Number(element(part, "Size")), etag: element(part, "ETag") },
      ]);
      return new Map(parts);
    },
    async complete(blob, uploadId, parts) {
      const etags = [...parts].sort(([a], [b]) => a - b).map(([, { etag }]) => etag);
      await completeUpload(client, place(blob), uploadId, etags);
    },
    async abort(blob, uploadId) {
      await client.send({ method: "DELETE", key: place(blob), query: { uploadId } }).catch(nullWhenUnknown);
    },
  };
}

function nullWhenUnknown(error: unknown): null {
  if (error instanceof S3Error && error.code === "NoSuchUpload") return null;
  throw error;
}
