import { packages } from "../../lib/packages.ts";
import { markupType } from "./markup.ts";
import { extensionOf, isActiveName } from "./name.ts";

/** Number of bytes at the start of a file that its type is detected from. */
export const SAMPLE_BYTES = 16 * 1024;

/** The type of a file by its bytes, whatever its sender calls it. */
export interface FileType {
  readonly mime: string;
  /** Without a dot. */
  readonly ext: string;
}

/** A type as far as the first bytes tell. */
export interface Sniffed extends FileType {
  /** Set for containers, because their content may be anywhere: takes the whole file, chunk by chunk. */
  readonly more?: (chunk: Uint8Array) => void;
  /** The type once all chunks are known. */
  readonly final: () => FileType;
}

const settled = (mime: string, ext: string): Sniffed => ({ mime, ext, final: () => ({ mime, ext }) });

/**
 * The type of a file by its first `SAMPLE_BYTES`. Kinds of text look alike in their bytes, so that there `name` and `declared`, which
 * the sender chose, tell CSV from JSON; they can make a text a script, but never make anything harmless.
 */
export async function sniff(head: Uint8Array, name: string, declared: string): Promise<Sniffed> {
  const sample = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SAMPLE_BYTES));
  const text = asText(sample);
  // Text comes first: a signature of two or three letters, such as BM or GIF, is also the beginning of a sentence.
  if (text !== null) return textType(text, name, declared);
  const { fileTypeFromBuffer } = await packages.fileType();
  const found = await fileTypeFromBuffer(sample).catch(() => undefined);
  if (!found) return isTiff(sample) ? settled("image/tiff", "tif") : settled("application/octet-stream", "bin");
  if (found.mime === "application/x-cfb") return container(found, ole);
  if (found.mime === "application/zip") return container(found, openXml);
  if (found.mime.includes(".openxmlformats-")) return container(found, openXml.slice(0, 1));
  return settled(found.mime, found.ext);
}

/** A sample as text; null if it contains bytes that no text has (the "binary data bytes" of the MIME Sniffing Standard). */
function asText(sample: Buffer): string | null {
  if (sample[0] === 0xff && sample[1] === 0xfe) return utf16(sample, "utf-16le");
  if (sample[0] === 0xfe && sample[1] === 0xff) return utf16(sample, "utf-16be");
  // Latin-1 maps every byte to one character, so text in any 8-bit encoding passes.
  const bytes = sample.toString("latin1");
  return BINARY.test(bytes) ? null : bytes.replace(/^\xef\xbb\xbf/, "");
}

function utf16(sample: Buffer, encoding: string): string | null {
  // The sample may be cut inside a character.
  const text = new TextDecoder(encoding).decode(sample.subarray(0, sample.length & ~1));
  return BINARY.test(text) ? null : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const isTiff = (sample: Buffer): boolean => ["II*\0", "MM\0*"].includes(sample.toString("latin1", 0, 4));

const textKinds: readonly (readonly [start: RegExp, mime: string, ext: string])[] = [
  [/^%PDF-/, "application/pdf", "pdf"],
  [/^\{\\rtf/, "application/rtf", "rtf"],
  [/^%!/, "application/postscript", "ps"],
  [/^BEGIN:VCARD\s/i, "text/vcard", "vcf"],
  [/^BEGIN:VCALENDAR\s/i, "text/calendar", "ics"],
  [/^WEBVTT(\s|$)/, "text/vtt", "vtt"],
  [/^(REGEDIT4|Windows Registry Editor Version )/, "application/x-ms-regedit", "reg"],
];

const labels = new Map<string, readonly [mime: string, ext: string]>([
  ["csv", ["text/csv", "csv"]],
  ["tsv", ["text/tab-separated-values", "tsv"]],
  ["md", ["text/markdown", "md"]],
]);

function textType(text: string, name: string, declared: string): Sniffed {
  for (const [start, mime, ext] of textKinds) if (start.test(text)) return settled(mime, ext);
  const markup = markupType(text);
  if (markup) return settled(...markup);
  if (isActiveName(name) || /script|html|svg|x-(sh|php|httpd)/i.test(declared)) {
    return settled("text/x-script", "txt");
  }
  const extension = extensionOf(name);
  if (/^\s*[[{]/.test(text) && (extension === "json" || /^application\/json\b/i.test(declared))) {
    return settled("application/json", "json");
  }
  const [mime, ext] =
    labels.get(extension) ??
    [...labels.values()].find(([type]) => declared === type) ??
    (["text/plain", "txt"] as const);
  return settled(mime, ext);
}

type Inside = readonly (readonly [needle: string, type: FileType])[];

const wide = (name: string): string => Buffer.from(name, "utf16le").toString("latin1");

/** Streams of OLE compound files. An installer (.msi) has none of them and stays a container that may run. */
const ole: Inside = [
  [wide("WordDocument"), { mime: "application/msword", ext: "doc" }],
  [wide("Workbook"), { mime: "application/vnd.ms-excel", ext: "xls" }],
  [wide("PowerPoint Document"), { mime: "application/vnd.ms-powerpoint", ext: "ppt" }],
];

const openXmlType = (kind: string, ext: string): FileType => ({
  mime: `application/vnd.openxmlformats-officedocument.${kind}`,
  ext,
});

/** Entries of zip files, the most significant first; some programs write the ones that file-type looks for last. */
const openXml: Inside = [
  ["vbaProject.bin", { mime: "application/vnd.ms-office.macroenabled", ext: "docm" }],
  ["word/document.xml", openXmlType("wordprocessingml.document", "docx")],
  ["xl/workbook.xml", openXmlType("spreadsheetml.sheet", "xlsx")],
  ["ppt/presentation.xml", openXmlType("presentationml.presentation", "pptx")],
];

const LONGEST = Math.max(...[...ole, ...openXml].map(([needle]) => needle.length));

function container({ mime, ext }: FileType, inside: Inside): Sniffed {
  let best = inside.length;
  let tail: Buffer = Buffer.alloc(0);
  const more = (chunk: Uint8Array): void => {
    const bytes = Buffer.concat([tail, chunk]);
    for (let i = 0; i < best; i++) if (bytes.includes(inside[i]?.[0] as string, 0, "latin1")) best = i;
    tail = Buffer.from(bytes.subarray(-LONGEST));
  };
  return { mime, ext, more, final: () => inside[best]?.[1] ?? { mime, ext } };
}
