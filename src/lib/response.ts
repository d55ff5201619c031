import { packages } from "./packages.ts";

let FastResponse: typeof Response = Response;

/** Before the first response. */
export async function loadResponses(): Promise<void> {
  ({ FastResponse } = await packages.srvx());
}

/**
 * A response with a text body. On Node it goes out in one write with its length, where a plain `Response` costs a web stream;
 * elsewhere it is a plain `Response`.
 */
export function textResponse(text: string, status: number, headers: Readonly<Record<string, string>>): Response {
  return new FastResponse(text, { status, headers });
}

/** Headers of every response with data. */
export const dataHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** A JSON response that must not be cached or sniffed. */
export function jsonResponse(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return textResponse(JSON.stringify(body), status, { ...dataHeaders, ...headers });
}

/** A file that is read while it is sent. */
export interface FileStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly content_type: string;
  readonly file_name: string;
}

/** A file as a download. */
export const fileResponse = ({ stream, content_type, file_name }: FileStream): Response =>
  new Response(stream, {
    headers: {
      "content-type": content_type,
      "content-disposition": `attachment; filename="${file_name}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });

/** The one that ours derive from: @hono/node-server replaces Node's by its own, which derives from it as well. */
export const WebResponse = Response;
