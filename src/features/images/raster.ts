import type { ImageType } from "../../model/images.ts";

export interface Raster {
  readonly mime_type: ImageType;
  /** Pixels, as the header says. */
  readonly width: number;
  readonly height: number;
}

/**
 * The type of a raster image by its first bytes, whatever its name or sender says; null if it is none of the four formats or
 * its header is incomplete.
 */
export function readRaster(bytes: Uint8Array): Raster | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signature = formats.find(({ is }) => is(bytes));
  if (!signature) return null;
  try {
    const size = signature.size(view);
    return size && size.width > 0 && size.height > 0 ? { mime_type: signature.mime_type, ...size } : null;
  } catch (error) {
    // Reading past the end: the header is incomplete.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Size = { readonly width: number; readonly height: number };

const text = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString("latin1");

const formats: readonly {
  mime_type: ImageType;
  is: (bytes: Uint8Array) => boolean;
  size: (view: DataView) => Size | null;
}[] = [
  {
    mime_type: "image/png",
    is: (bytes) => text(bytes, 0, 8) === "\x89PNG\r\n\x1a\n" && text(bytes, 12, 16) === "IHDR",
    size: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  },
  { mime_type: "image/jpeg", is: (bytes) => text(bytes, 0, 3) === "\xff\xd8\xff", size: jpegSize },
  {
    mime_type: "image/gif",
    is: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)),
    size: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  },
  {
    mime_type: "image/webp",
    is: (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP",
    size: webpSize,
  },
];

/** Walks the segments to the first frame header (ITU-T T.81, B.1.1.3): 0xC0 to 0xCF but DHT, JPG and DAC. */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // Any number of fill bytes may come before a marker.
    if (marker === 0xff) at += 1;
    // TEM and RSTn have no length.
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else if (marker === 0xd9 || marker === 0xda) return null;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

/** The first chunk says: `VP8 ` lossy (RFC 6386, 9.1), `VP8L` lossless, `VP8X` extended. */
function webpSize(view: DataView): Size | null {
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (chunk === "VP8X") {
    const uint24 = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    return { width: uint24(24) + 1, height: uint24(27) + 1 };
  }
  if (chunk === "VP8L" && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === "VP8 " && view.getUint8(23) === 0x9d && view.getUint16(24, true) === 0x2a01) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  return null;
}
