/** Headers of images as their formats define them, with as much behind as readers look at. */

const bytes = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));
const be16 = (n: number) => [n >> 8, n & 255];
const be32 = (n: number) => [n >>> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255];
const le16 = (n: number) => [n & 255, n >> 8];
const le24 = (n: number) => [n & 255, (n >> 8) & 255, n >> 16];
const le32 = (n: number) => [...le16(n & 0xffff), ...le16(n >>> 16)];

/** 1 × 1 pixel, whole and valid. */
export const pixelPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
export const pixelGif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

export const png = (width: number, height: number, more = 0) =>
  bytes(
    "\x89PNG\r\n\x1a\n",
    be32(13),
    "IHDR",
    be32(width),
    be32(height),
    [8, 6, 0, 0, 0, 0, 0, 0, 0],
    Buffer.alloc(more),
  );
export const gif = (width: number, height: number, version = "89a") =>
  bytes("GIF", version, le16(width), le16(height), [0, 0, 0]);
export const jpeg = (width: number, height: number, { sof = 0xc0, before = [] as number[] } = {}) =>
  bytes([0xff, 0xd8, ...before, 0xff, sof], be16(17), [8], be16(height), be16(width), [3]);
/** A JPEG segment with so many bytes of content. */
export const segment = (marker: number, length: number) => [
  0xff,
  marker,
  ...be16(length + 2),
  ...Array<number>(length).fill(0xff),
];

const riff = (chunk: string, ...content: (string | number[])[]) => {
  const body = bytes("WEBP", chunk, le32(0), ...content);
  return bytes("RIFF", le32(body.length), body);
};
export const webpLossy = (width: number, height: number) =>
  riff("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a], le16(width | 0x4000), le16(height), [0, 0]);
export const webpLossless = (width: number, height: number) =>
  riff("VP8L", [0x2f], le32(((width - 1) | ((height - 1) << 14)) >>> 0), [0]);
export const webpExtended = (width: number, height: number) =>
  riff("VP8X", [0, 0, 0, 0], le24(width - 1), le24(height - 1), [0]);

export const svg = (inside = "", attributes = 'width="30" height="20"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`,
  );
