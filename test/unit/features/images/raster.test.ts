import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRaster } from "../../../../src/features/images/raster.ts";
import { runs } from "../../../_support/runs.ts";
import { gif, jpeg, pixelGif, pixelPng, png, segment, webpExtended, webpLossless, webpLossy } from "./_images.ts";

describe("readRaster", () => {
  it.each<[string, Buffer, string, number, number]>([
    ["PNG", pixelPng, "image/png", 1, 1],
    ["PNG, large", png(70_000, 3), "image/png", 70_000, 3],
    ["GIF89a", pixelGif, "image/gif", 1, 1],
    ["GIF87a", gif(640, 481, "87a"), "image/gif", 640, 481],
    ["JPEG, baseline", jpeg(1_234, 567), "image/jpeg", 1_234, 567],
    ["JPEG, progressive", jpeg(9, 8, { sof: 0xc2 }), "image/jpeg", 9, 8],
    [
      "JPEG behind EXIF, tables and fill bytes",
      jpeg(5, 6, { before: [...segment(0xe1, 4_000), 0xff, 0xff, ...segment(0xdb, 65), ...segment(0xc4, 30)] }),
      "image/jpeg",
      5,
      6,
    ],
    ["WebP, lossy", webpLossy(16_383, 9), "image/webp", 16_383, 9],
    ["WebP, lossless", webpLossless(16_384, 7), "image/webp", 16_384, 7],
    ["WebP, extended", webpExtended(16_777_216, 2), "image/webp", 16_777_216, 2],
  ])("reads type and size of %s", (_, file, mime_type, width, height) => {
    expect(readRaster(file)).toEqual({ mime_type, width, height });
    // Also where the bytes are a part of a larger buffer.
    const within = Buffer.concat([Buffer.alloc(7), file]).subarray(7);
    expect(readRaster(within)).toEqual({ mime_type, width, height });
  });

  it.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("hello")],
    ["HTML", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["PDF", Buffer.from("%PDF-1.7\n")],
    ["BMP", Buffer.from("BM\0\0\0\0")],
    ["a PNG without IHDR", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\x0dJUNKxxxxxxxxxxxx", "latin1")],
    ["a PNG of no width", png(0, 5)],
    ["a GIF of no height", gif(5, 0)],
    ["a JPEG that ends before its frame", Buffer.from([0xff, 0xd8, ...segment(0xe0, 14)])],
    [
      "a JPEG whose scan comes first",
      Buffer.from([0xff, 0xd8, ...segment(0xda, 10), 0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1]),
    ],
    ["a JPEG with junk between segments", jpeg(5, 6, { before: [1, 2, 3] })],
    ["a RIFF that is no WebP", Buffer.from("RIFF\0\0\0\0WAVEfmt ")],
    ["a WebP of another chunk", Buffer.from("RIFF\0\0\0\0WEBPANIM\0\0\0\0\0\0\0\0\0\0\0\0\0\0")],
  ])("refuses %s", (_, file) => {
    expect(readRaster(file)).toBeNull();
  });

  it("refuses every cut of a header, and never throws or runs on whatever follows a signature", () => {
    for (const file of [
      png(3, 4).subarray(0, 24),
      gif(3, 4).subarray(0, 10),
      jpeg(3, 4).subarray(0, 11),
      webpLossy(3, 4).subarray(0, 30),
    ]) {
      expect(readRaster(file)).not.toBeNull();
      for (let end = 0; end < file.length; end++) expect(readRaster(file.subarray(0, end))).toBeNull();
    }
    const starts = [
      png(1, 1).subarray(0, 16),
      Buffer.from([0xff, 0xd8, 0xff]),
      gif(1, 1).subarray(0, 6),
      webpLossy(1, 1).subarray(0, 16),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        const read = readRaster(Buffer.concat([start, rest]));
        if (read)
          expect([Number.isInteger(read.width), Number.isInteger(read.height), read.width > 0]).toEqual([
            true,
            true,
            true,
          ]);
      }),
      { numRuns: runs(500, 2_000) },
    );
  });
});
