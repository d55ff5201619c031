import { z } from "zod";

/** A file that was uploaded, before anything is stored that names it. */
export interface ScannedFile {
  /** The form it was sent to. */
  readonly form_id: string;
  /** The name of the form's field. */
  readonly key: string;
  /** The visitor's name for it, cleaned. */
  readonly name: string;
  /** The type detected from its bytes. */
  readonly mime_type: string;
  /** Bytes. */
  readonly size: number;
  /** Its bytes; may be called more than once. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** Scans a file. `infected` refuses the whole post with 415; an error, or no result within 30 s, refuses it with 503. */
export type FileScan = (file: ScannedFile) => "ok" | "infected" | Promise<"ok" | "infected">;

export interface FilesOptions {
  /**
   * The allowed MIME types, detected from the content of a file: exact types, or a whole group such as `image/*`.
   * Groups never include SVG, HTML, scripts and executables; to allow those, list them exactly.
   * Default: images, PDF, office documents, text, CSV, JSON, zip, audio, video.
   */
  allowedTypes?: string[];
  /** Called for every file once it is complete. Default: none. */
  scan?: FileScan;
  /** Lifetime of a link to a file, in seconds. Default 604,800 (7 days). */
  linkTtlSeconds?: number;
  /**
   * Lets browsers send files to the store of `blob` themselves, past the limits of the platform; `POST /f/{id}/uploads` tells them
   * where. Needs a driver with `presign`, such as `s3Blob`. Default false.
   */
  direct?: boolean;
}

/** The types accepted by default. */
const DEFAULT_TYPES: readonly string[] = [
  "image/*",
  "audio/*",
  "video/*",
  "text/*",
  "application/json",
  "application/pdf",
  "application/rtf",
  "application/zip",
  "application/ogg",
  "application/vnd.ms-asf",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  ...["document", "template"].map((kind) => `application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}`),
  ...["sheet", "template"].map((kind) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}`),
  ...["presentation", "slideshow", "template"].map(
    (kind) => `application/vnd.openxmlformats-officedocument.presentationml.${kind}`,
  ),
  ...["text", "spreadsheet", "presentation", "graphics"].flatMap((kind) => [
    `application/vnd.oasis.opendocument.${kind}`,
    `application/vnd.oasis.opendocument.${kind}-template`,
  ]),
];

export const FilesSchema = z.strictObject({
  allowedTypes: z
    .array(
      z
        .string()
        .regex(/^[a-z]+\/(\*|[a-z0-9!#$&^_.+-]+)$/i, "must be a MIME type such as application/pdf or image/*")
        .toLowerCase(),
    )
    .default([...DEFAULT_TYPES]),
  scan: z.custom<FileScan>((value) => typeof value === "function", "must be a function").optional(),
  linkTtlSeconds: z
    .number()
    .int()
    .min(1)
    .max(315_360_000)
    .default(7 * 24 * 60 * 60),
  direct: z.boolean().default(false),
});

/** Types that run, or that a browser runs, under the kinds that wildcards name. */
const ACTIVE = new Set([
  "image/svg+xml",
  "text/html",
  "text/javascript",
  "text/x-script",
  "application/xhtml+xml",
  "application/xml",
  "application/eps",
  "application/java-archive",
  "application/java-vm",
  "application/postscript",
  "application/vnd.android.package-archive",
  "application/vnd.ms-cab-compressed",
  "application/vnd.ms-htmlhelp",
  "application/wasm",
  "application/x-apple-diskimage",
  "application/x-cfb",
  "application/x-deb",
  "application/x-elf",
  "application/x-google-chrome-extension",
  "application/x-mach-binary",
  "application/x-ms-regedit",
  "application/x-msdownload",
  "application/x-rpm",
  "application/x-shockwave-flash",
  "application/x-xpinstall",
  "application/x.apple.alias",
  "application/x.ms.shortcut",
]);

/** True if a type, parameters aside, is on the list. */
export function isAllowed(allowed: readonly string[], mime_type: string): boolean {
  const type = mime_type.split(";", 1)[0] as string;
  if (allowed.includes(type)) return true;
  return !ACTIVE.has(type) && !type.includes("macroenabled") && allowed.includes(`${type.split("/", 1)[0]}/*`);
}
