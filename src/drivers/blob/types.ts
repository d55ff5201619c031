export interface BlobMeta {
  readonly mimeType: string;
  /** Bytes, where known before the stream ends. */
  readonly size?: number | undefined;
}

/** Keeps bytes under a key. Every verb is required; every driver passes `blobSuite` of `form-backend/testing`. */
export interface BlobDriver {
  readonly name: string;
  /** Stores the whole stream, then resolves with the bytes written; a stream that errors leaves nothing behind and rejects. */
  put(key: string, body: ReadableStream<Uint8Array>, meta: BlobMeta): Promise<{ size: number }>;
  /** Null when there is no such key. */
  get(key: string): Promise<ReadableStream<Uint8Array> | null>;
  /** Removing what is absent is fine. */
  remove(key: string): Promise<void>;
  /** Closes what the driver opened itself; twice is fine. */
  close(): Promise<void>;
}
