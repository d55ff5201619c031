import { describe, expect, it } from "vitest";
import { FilesSchema, isAllowed } from "../../../../src/core/options/files.ts";
import { sniff } from "../../../../src/features/files/sniff.ts";
import { noise, polyglots, refused, taken } from "../../../_support/samples.ts";

const byDefault = FilesSchema.parse({}).allowedTypes;

/** The type of a whole file that arrives in chunks of `length` bytes. */
async function typeOf(bytes: Buffer, name = "", declared = "", length = bytes.length): Promise<string> {
  const { more, final } = await sniff(bytes, name, declared);
  for (let at = 0; at < bytes.length; at += length) more?.(bytes.subarray(at, at + length));
  return final().mime;
}

const MIME = /^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/;

describe("what a file is", () => {
  it.each(taken)("%s is taken for what its bytes say", async (name, bytes, mime) => {
    expect([await typeOf(bytes, name), isAllowed(byDefault, mime)]).toEqual([mime, true]);
  });

  it.each(taken.filter(([name]) => !/csv|json/.test(name)))(
    "%s is the same under any name and declared type",
    async (_, bytes, mime) => {
      expect([await typeOf(bytes, "x.dat", "application/pdf"), await typeOf(bytes, "", "")]).toEqual([mime, mime]);
    },
  );

  it.each(refused)("%s is refused", async (_, name, bytes) => {
    const mime = await typeOf(bytes, name);
    expect([mime, isAllowed(byDefault, mime)]).toEqual([mime, false]);
  });

  it.each(["a.constructor", "a.__proto__", "a.toString"])("text in %s is plain text", async (name) => {
    expect(await typeOf(Buffer.from("hello"), name)).toBe("text/plain");
  });

  it.each(polyglots)("%s is the picture that it begins as", async (_, name, bytes, mime) => {
    expect(await typeOf(bytes, name)).toBe(mime);
  });

  it("finds what is inside a container however it is cut into chunks", async () => {
    const containers = taken.filter(([name]) => /doc|xls|ppt/.test(name));
    expect(containers.length).toBeGreaterThanOrEqual(3);
    for (const [name, bytes, mime] of containers) {
      for (const length of [1 + 16 * 1024, 7, 1000])
        expect([name, await typeOf(bytes, name, "", length)]).toEqual([name, mime]);
    }
  });

  it("tells kinds of text by name and declared type, which can also make it a script", async () => {
    const csv = Buffer.from("a,b\n1,2\n");
    expect(await typeOf(csv, "a", "text/csv")).toBe("text/csv");
    expect(await typeOf(Buffer.from("[1]"), "a", "application/json; charset=utf-8")).toBe("application/json");
    expect(await typeOf(Buffer.from("not json"), "a.json")).toBe("text/plain");
    for (const declared of ["text/javascript", "application/x-sh", "text/html", "image/svg+xml", "text/vbscript"]) {
      expect(isAllowed(byDefault, await typeOf(csv, "a.txt", declared))).toBe(false);
    }
  });

  it("does not fail on any first bytes", async () => {
    for (const [, bytes] of taken) {
      for (const length of [1, 2, 3, 8, 11, 30, 100, 4100, 16 * 1024])
        expect(await typeOf(bytes.subarray(0, length))).toMatch(MIME);
    }
    for (let i = 0; i < 300; i++) expect(await typeOf(noise(600).subarray(i))).toMatch(MIME);
  });
});

describe("the list of types", () => {
  it.each([
    [["image/png"], "image/png", true],
    [["image/png"], "image/jpeg", false],
    [["image/*"], "image/jpeg", true],
    [["audio/*"], "audio/ogg; codecs=opus", true],
    [["image/*"], "image/svg+xml", false],
    [["text/*"], "text/html", false],
    [["application/*"], "application/x-msdownload", false],
    [["application/*"], "application/vnd.ms-word.document.macroenabled.12", false],
    [["application/*"], "application/zip", true],
    [["image/svg+xml"], "image/svg+xml", true],
    [["application/x-msdownload"], "application/x-msdownload", true],
    [[], "text/plain", false],
  ])("%j takes %s: %s", (allowed, mime, expected) => {
    expect(isAllowed(allowed, mime)).toBe(expected);
  });
});
