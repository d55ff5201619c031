import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectFields } from "../../../../src/features/intake/fields.ts";
import { parsePost } from "../../../../src/features/intake/parse.ts";
import { runs } from "../../../_support/runs.ts";

async function parsed(body: Buffer): Promise<[string, string][]> {
  const fields = collectFields();
  const source = {
    mediaType: "application/x-www-form-urlencoded",
    contentType: "application/x-www-form-urlencoded",
    bytes: async () => body,
    json: () => null,
    stream: () => null,
  };
  const posted = await parsePost(source, fields, {} as never);
  return posted.fields.map(({ key, value }) => [key, value]);
}

/** The URL standard's steps on bytes, one by one. */
function standard(body: Buffer): [string, string][] {
  return body
    .toString("latin1")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): [string, string] => {
      const [name = "", ...rest] = pair.split("=");
      return [decoded(name), decoded(rest.join("="))];
    });
}

function decoded(latin1: string): string {
  const bytes = latin1
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
}

function isNoJson(body: Buffer): boolean {
  try {
    return typeof JSON.parse(body.toString()) !== "object";
  } catch {
    return true;
  }
}

/** What the endpoint does with every text afterwards; a field without a name is dropped. */
const stored = (pairs: [string, string][]): [string, string][] =>
  pairs
    .map(([key, value]): [string, string] => [key.replaceAll("\0", "\uFFFD"), value.replaceAll("\0", "\uFFFD")])
    .filter(([key]) => key !== "");

describe("an urlencoded body", () => {
  it.each<[string, [string, string][]]>([
    [
      "a=1&a=2&b=",
      [
        ["a", "1"],
        ["a", "2"],
        ["b", ""],
      ],
    ],
    ["&&a=1&&", [["a", "1"]]],
    [
      "a&b",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    ["=x&a=1", [["a", "1"]]],
    ["a=b=c%3Dd", [["a", "b=c=d"]]],
    ["a+b=c+%2B+d", [["a b", "c + d"]]],
    [
      "a=100%&b=%zz&c=%4",
      [
        ["a", "100%"],
        ["b", "%zz"],
        ["c", "%4"],
      ],
    ],
    [
      "a=%C3%BC&b=ü",
      [
        ["a", "ü"],
        ["b", "ü"],
      ],
    ],
    ["a=ü%", [["a", "ü%"]]],
    ["a=ü%E4", [["a", "ü\uFFFD"]]],
    ["a=%ED%A0%80", [["a", "\uFFFD\uFFFD\uFFFD"]]],
    ["a=%EF%BB%BFx", [["a", "\uFEFFx"]]],
    ["a=1;b=2", [["a", "1;b=2"]]],
  ])("%s", async (body, fields) => {
    expect(await parsed(Buffer.from(body))).toEqual(fields);
  });

  it("is read as the URL standard says, whatever the bytes", async () => {
    const piece = fc.oneof(
      fc.constantFrom("&", "=", "+", "%", "%2", "%25", "%26", "%3D", "%C3%A9", "%c3", "%E2%82", "%F0%9F%98%80", "%00"),
      fc.string({ maxLength: 3 }),
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join(""))),
      fc.uint8Array({ maxLength: 24 }).map((array) => Buffer.from(array)),
      fc
        .array(
          fc.oneof(
            piece.map((text) => Buffer.from(text)),
            fc.uint8Array({ maxLength: 3 }),
          ),
          { maxLength: 8 },
        )
        .map((parts) => Buffer.concat(parts)),
    );
    await fc.assert(
      // JSON is refused, even the three bytes of `[1]`.
      fc.asyncProperty(bytes.filter(isNoJson), async (body) => {
        expect(await parsed(body)).toEqual(stored(standard(body)));
      }),
      { numRuns: runs(500, 5_000) },
    );
  });

  it("does not touch bytes that are the host's", async () => {
    const body = Buffer.from("a=b+c");
    await parsed(body);
    expect(body.toString()).toBe("a=b+c");
  });
});
