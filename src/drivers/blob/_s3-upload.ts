import { createHash, randomUUID } from "node:crypto";
import { escapeHtml } from "../../lib/html.ts";
import type { S3Body, S3Client } from "./_s3-client.ts";
import { element, S3Error } from "./_s3-error.ts";
import { PART_BYTES } from "./_s3-parts.ts";

/** A multipart upload under way: nothing of it is seen under its key before `complete` has resolved. */
export interface S3Upload {
  add(part: S3Body): Promise<void>;
  complete(): Promise<void>;
  /** Takes away the parts that were stored; never throws. */
  abort(): Promise<void>;
}

const MAX_PARTS = 10_000;
/** Says which upload an object came from. */
const MARK = "x-amz-meta-upload";

/** Begins a multipart upload. Throws an S3Error, as its verbs do. */
export async function startUpload(client: S3Client, key: string, mimeType: string): Promise<S3Upload> {
  const mark = randomUUID();
  const uploadId = await beginUpload(client, key, { "content-type": mimeType, [MARK]: mark });
  const etags: string[] = [];

  return {
    async add(body) {
      if (etags.length === MAX_PARTS) {
        throw new S3Error(`a blob has at most ${(MAX_PARTS * PART_BYTES) / 1024 ** 3} GiB.`);
      }
      const query = { partNumber: String(etags.length + 1), uploadId };
      const { headers } = await client.send({ method: "PUT", key, query, body });
      etags.push(headers.get("etag") ?? "");
    },
    async complete() {
      try {
        await completeUpload(client, key, uploadId, etags);
      } catch (error) {
        // If the response was lost the upload may be complete, and then the next attempt does not find it.
        if (!(await stands())) throw error;
      }
    },
    async abort() {
      await client.send({ method: "DELETE", key, query: { uploadId } }).catch(() => {});
    },
  };

  async function stands(): Promise<boolean> {
    const head = await client.send({ method: "HEAD", key }).catch(() => null);
    return head?.headers.get(MARK) === mark;
  }
}

/** Begins a multipart upload, and returns its id. Throws an S3Error. */
export async function beginUpload(client: S3Client, key: string, headers: Record<string, string>): Promise<string> {
  const { text } = await client.send({ method: "POST", key, query: { uploads: "" }, headers });
  const uploadId = element(text, "UploadId");
  if (uploadId === "") throw new S3Error("the server began a multipart upload without an UploadId.");
  return uploadId;
}

/** Makes an object of all parts, whose tags are in their order. Throws an S3Error. */
export async function completeUpload(
  client: S3Client,
  key: string,
  uploadId: string,
  etags: readonly string[],
): Promise<void> {
  const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeHtml(etag)}</ETag></Part>`);
  const xml = Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
  const sha256 = createHash("sha256").update(xml).digest("hex");
  await client.send({
    method: "POST",
    key,
    query: { uploadId },
    headers: { "content-type": "application/xml" },
    body: { size: xml.byteLength, sha256, blocks: [xml] },
  });
}
