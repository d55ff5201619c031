export interface BlobMeta {
  /** The type of the content, such as image/png. */
  readonly mimeType: string;
}

/** Keeps bytes under a key. Every verb is required; every driver passes `blobSuite` of `form-backend/testing`. */
export interface BlobDriver {
  /** The driver's name, for messages. */
  readonly name: string;
  /** The largest upload that belongs into it, in bytes: a larger one is refused. Default: no limit but the plan's. */
  readonly maxBytes?: number | undefined;
  /** Stores the whole stream, then resolves with the bytes written; a stream that errors leaves nothing behind and rejects. */
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    meta: BlobMeta,
  ): Promise<{
    /** Bytes that were written. */
    size: number;
  }>;
  /** Null when there is no such key. */
  get(key: string): Promise<ReadableStream<Uint8Array> | null>;
  /** Removing an absent blob is fine. */
  remove(key: string): Promise<void>;
  /** Closes everything that the driver opened itself. May be called twice. */
  close(): Promise<void>;
}
