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
  /**
   * Makes a request by which a browser stores a blob of exactly this size and type, without this process, until `seconds` are over.
   * Left out where a store has no address of its own.
   */
  readonly presign?:
    | ((
        key: string,
        upload: BlobMeta & {
          /** Bytes. */
          readonly size: number;
          /** Time within which the request may be sent. */
          readonly seconds: number;
        },
      ) => Promise<PresignedUpload>)
    | undefined;
  /**
   * Uploads that browsers send in parts. Until one is complete, there is nothing under its key; after that, nothing can be sent to it
   * any more. Left out where a store has none.
   */
  readonly parts?: BlobParts | undefined;
  /** The bytes of a blob, null when there is none. Only with `presign`. */
  readonly sizeOf?: ((key: string) => Promise<number | null>) | undefined;
  /** Closes everything that the driver opened itself. May be called twice. */
  close(): Promise<void>;
}

/** The verbs of an upload in parts. */
export interface BlobParts {
  /** Begins an upload, and returns its id. */
  begin(key: string, meta: BlobMeta): Promise<string>;
  /** Makes a request by which a browser sends one part of exactly this size, until `seconds` are over. */
  presign(
    key: string,
    upload: string,
    part: BlobMeta & {
      /** From 1. */
      readonly number: number;
      /** Bytes. */
      readonly size: number;
      /** Time within which the request may be sent. */
      readonly seconds: number;
    },
  ): Promise<PresignedUpload>;
  /** The parts that have arrived, by their numbers; null if there is no such upload. */
  stored(key: string, upload: string): Promise<ReadonlyMap<number, BlobPart> | null>;
  /** Makes a blob of the parts. */
  complete(key: string, upload: string, parts: ReadonlyMap<number, BlobPart>): Promise<void>;
  /** Removes an upload and its parts. There need not be one. */
  abort(key: string, upload: string): Promise<void>;
}

/** A part that has arrived. */
export interface BlobPart {
  /** Bytes. */
  readonly size: number;
  /** The store's own name of its content. */
  readonly etag: string;
}

/** A request that stores one blob. */
export interface PresignedUpload {
  /** The URL that takes the bytes. */
  readonly url: string;
  readonly method: "PUT";
  /** To be sent with them. */
  readonly headers: Readonly<Record<string, string>>;
}
