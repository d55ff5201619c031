import { describe, expect, it } from "vitest";
import { cleanName } from "../../../../src/features/files/name.ts";
import { contentDisposition } from "../../../../src/lib/content-disposition.ts";

describe("a visitor's name for a file", () => {
  it.each([
    ["photo.JPG", "photo.JPG"],
    ["Übersicht 2026 – Ω 日本.pdf", "Übersicht 2026 – Ω 日本.pdf"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\system.ini", "system.ini"],
    ["/", "file.bin"],
    ["", "file.bin"],
    ["...", "file.bin"],
    [" . .", "file.bin"],
    [".htaccess", "htaccess"],
    ["a\0b\r\nSet-Cookie: x=1.txt", "abSet-Cookie_ x=1.txt"],
    ['a"; filename="b.txt', "a_; filename=_b.txt"],
    ["annual\u202etxt.exe", "annualtxt.exe.bin"],
    ["gpj.exe\u202e", "gpj.exe.bin"],
    ["a.html", "a.html.bin"],
    ["a.html ", "a.html.bin"],
    ["a.SVG.", "a.SVG.bin"],
    ["a.js::$DATA", "a.js__$DATA"],
    ["con?<>|*.txt", "con_____.txt"],
    ["lone\ud800surrogate.txt", "lonesurrogate.txt"],
    ["a  \t b.txt", "a b.txt"],
  ])("%j is kept as %j", (name, expected) => {
    expect(cleanName(name, "bin")).toBe(expected);
  });

  it("is cut to 200 bytes between characters, with its extension", () => {
    const long = cleanName(`${"日".repeat(200)}.pdf`, "pdf");
    expect([Buffer.byteLength(long) <= 200, long.endsWith("日.pdf"), long.isWellFormed()]).toEqual([true, true, true]);
    const program = cleanName(`${"a".repeat(300)}.exe`, "png");
    expect([program.length, program.endsWith("a.png") || program.endsWith(".exe.png")]).toEqual([200, true]);
    expect(cleanName(`a.${"x".repeat(300)}`, "bin")).toHaveLength(200);
  });

  it.each(["", ".", ". "])("is not cut to the name of a program, with %j after it", (after) => {
    const stem = "a".repeat(196 - after.length);
    expect(cleanName(`${stem}.exe${after}.${"x".repeat(300)}`, "png")).toBe(`${stem}.exe`.slice(0, 196) + ".png");
  });

  // At four times the work for twice the length, none of these would end within the time that a test has.
  it.each([
    ["letters", "a", "", ".pdf", `${"a".repeat(196)}.pdf`],
    ["letters of several bytes", "日", "", ".pdf", `${"日".repeat(65)}.pdf`],
    ["pairs of surrogates", "𝒜", "x", ".pdf", `x${"𝒜".repeat(48)}.pdf`],
    ["dots before its end", ".", "a", "b", `a${".".repeat(198)}b`],
    ["spaces and dots before its end", " .", "a", "b", `a${" .".repeat(98)}.b`],
    ["dots", ".", "", "", "file.bin"],
    ["folders", "a/", "", "b.txt", "b.txt"],
    ["letters, named like a program", "a", "", ".exe", `${"a".repeat(196)}.bin`],
  ])("of 400,000 %s is made in no more steps than one of 400", (_, one, before, after, expected) => {
    const made = (length: number) => cleanName(before + one.repeat(length / one.length) + after, "bin");
    expect([made(400), made(400_000)]).toEqual([expected, expected]);
    expect(made(400_000).isWellFormed()).toBe(true);
  });

  it.each([
    ["photo.jpg", `attachment; filename="photo.jpg"; filename*=UTF-8''photo.jpg`],
    ["Größe 100%.txt", `attachment; filename="Gr__e 100_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20100%25.txt`],
    ["it's (a) *.txt", `attachment; filename="it's (a) *.txt"; filename*=UTF-8''it%27s%20%28a%29%20%2A.txt`],
    ["日本.txt", `attachment; filename="__.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`],
  ])("%j goes into the header as RFC 6266 has it", (name, expected) => {
    expect(contentDisposition(name)).toBe(expected);
    expect(() => new Headers({ "content-disposition": expected })).not.toThrow();
  });
});
