import { deflateRawSync } from "node:zlib";

const ascii = (text: string): Buffer => Buffer.from(text, "latin1");
const join = (...pieces: (string | Buffer | number[])[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? ascii(piece) : Buffer.from(piece as Buffer))));
/** Bytes that no text has and nothing recognises. */
export const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 151 + (i >> 8) * 7) & 0xff));

export function zip(entries: [name: string, content: string | Buffer, stored?: boolean][]): Buffer {
  return Buffer.concat(
    entries.flatMap(([name, content, stored = false]) => {
      const raw = Buffer.from(content as string);
      const data = stored ? raw : deflateRawSync(raw);
      const header = Buffer.alloc(30);
      header.writeUInt32LE(0x04034b50, 0);
      header.writeUInt16LE(20, 4);
      header.writeUInt16LE(stored ? 0 : 8, 8);
      header.writeUInt32LE(data.length, 18);
      header.writeUInt32LE(raw.length, 22);
      header.writeUInt16LE(name.length, 26);
      return [header, ascii(name), data];
    }),
  );
}

const contentTypes = (main: string): string =>
  `<?xml version="1.0"?><Types><Override PartName="/main.xml" ContentType="application/${main}.main+xml"/></Types>`;
const WORD = "vnd.openxmlformats-officedocument.wordprocessingml.document";
const SHEET = "vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const cfb = (...streams: string[]): Buffer =>
  join(
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    noise(70_000),
    Buffer.from(streams.join("\0"), "utf16le"),
    noise(100),
  );

const png = join(
  [0x89],
  "PNG\r\n\x1a\n",
  [0, 0, 0, 13],
  "IHDR",
  [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89],
  [0, 0, 0, 0],
  "IDAT",
  noise(40),
);
const gif = join(
  "GIF89a",
  [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b],
);
const jpeg = join([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF", [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], noise(60));
const pdf = join("%PDF-1.7\n%", [0xe2, 0xe3, 0xcf, 0xd3], "\n1 0 obj\n<<>>\nendobj\n");

/** Files that the default list takes, with the type they are stored as. */
export const taken: [name: string, bytes: Buffer, mime: string][] = [
  ["a.png", png, "image/png"],
  ["a.jpg", jpeg, "image/jpeg"],
  ["a.gif", gif, "image/gif"],
  ["a.webp", join("RIFF", [26, 0, 0, 0], "WEBPVP8L", noise(20)), "image/webp"],
  ["a.tif", join("II*\0", [0, 0, 9, 0], noise(30_000)), "image/tiff"],
  ["a.heic", join([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "heicmif1", noise(30)), "image/heic"],
  ["a.pdf", pdf, "application/pdf"],
  ["ascii.pdf", ascii("%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\n"), "application/pdf"],
  [
    "a.docx",
    zip([
      ["[Content_Types].xml", contentTypes(WORD)],
      ["word/document.xml", noise(40_000)],
    ]),
    `application/${WORD}`,
  ],
  [
    "late.docx",
    zip([
      ["_rels/.rels", "x"],
      ["word/document.xml", noise(40_000)],
      ["word/media/a.bin", noise(90_000), true],
      ["[Content_Types].xml", contentTypes(WORD)],
    ]),
    `application/${WORD}`,
  ],
  [
    "a.xlsx",
    zip([
      ["[Content_Types].xml", contentTypes(SHEET)],
      ["xl/workbook.xml", "<x/>"],
    ]),
    `application/${SHEET}`,
  ],
  [
    "a.odt",
    zip([
      ["mimetype", "application/vnd.oasis.opendocument.text", true],
      ["content.xml", "<x/>"],
    ]),
    "application/vnd.oasis.opendocument.text",
  ],
  ["a.doc", cfb("Root Entry", "WordDocument"), "application/msword"],
  ["a.xls", cfb("Root Entry", "Workbook"), "application/vnd.ms-excel"],
  ["a.ppt", cfb("Root Entry", "PowerPoint Document"), "application/vnd.ms-powerpoint"],
  ["a.rtf", ascii("{\\rtf1\\ansi hello}"), "application/rtf"],
  [
    "a.zip",
    zip([
      ["a.txt", "hello"],
      ["b.bin", noise(50_000)],
    ]),
    "application/zip",
  ],
  ["a.mp3", join("ID3", [3, 0, 0, 0, 0, 0, 0], [0xff, 0xfb, 0x90, 0x64], noise(400)), "audio/mpeg"],
  ["a.wav", join("RIFF", [36, 0, 0, 0], "WAVEfmt ", noise(40)), "audio/wav"],
  ["a.mp4", join([0, 0, 0, 24], "ftypisom", [0, 0, 2, 0], "isomiso2", noise(40)), "video/mp4"],
  ["a.webm", join([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], "webm", noise(60)), "video/webm"],
  ["a.txt", ascii("Hello\r\nthere\n"), "text/plain"],
  ["latin1.txt", join("caf", [0xe9], " cr", [0xe8], "me"), "text/plain"],
  ["bom.txt", join([0xef, 0xbb, 0xbf], "hello"), "text/plain"],
  ["utf16.txt", join([0xff, 0xfe], Buffer.from("Grüße an alle", "utf16le")), "text/plain"],
  ["a.csv", ascii("a,b\r\n1,2\r\n"), "text/csv"],
  ["a.json", ascii('\n{"a": "<script>"}'), "application/json"],
  ["a.ics", ascii("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"), "text/calendar"],
  // Sentences that begin like a signature.
  ["bm.txt", ascii("BM is not a bitmap"), "text/plain"],
  ["gift.txt", ascii("GIFT cards for everybody"), "text/plain"],
  ["mz.txt", ascii("MZ is how the letter begins"), "text/plain"],
  ["heart.txt", ascii("<3 you all"), "text/plain"],
  ["mail.txt", ascii("<ann@example.com> wrote:\n> hello"), "text/plain"],
  ["later.txt", ascii("how do I write <script> in HTML?"), "text/plain"],
];

/** Files that it does not take, whatever they are called. */
export const refused: [what: string, name: string, bytes: Buffer][] = [
  ["HTML as PNG", "a.png", ascii("<!DOCTYPE html><script>alert(1)</script>")],
  ["HTML as text", "a.txt", ascii("<html><body>")],
  ["HTML in capitals", "a.txt", ascii("  \r\n\t<HTML>")],
  ["HTML behind a byte order mark", "a.txt", join([0xef, 0xbb, 0xbf], "<script>alert(1)</script>")],
  ["HTML in UTF-16", "a.txt", join([0xff, 0xfe], Buffer.from("<html><script>", "utf16le"))],
  ["HTML in UTF-16 without a mark", "a.txt", Buffer.from("<html><script>alert(1)</script>", "utf16le")],
  ["HTML behind a comment", "a.txt", ascii("<!-- a comment --><script>alert(1)</script>")],
  ["HTML behind an unclosed comment", "a.txt", ascii(`<!--${"x".repeat(20_000)}`)],
  ["an image that runs", "a.csv", ascii("<img src=x onerror=alert(1)>")],
  ["an iframe", "a.txt", ascii("<iframe src=javascript:alert(1)>")],
  ["a link", "a.txt", ascii("<a href=javascript:alert(1)>x</a>")],
  ["an unknown tag that runs", "a.txt", ascii("<x onclick=alert(1)>")],
  ["XHTML", "a.xml", ascii('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>')],
  ["XML with a style sheet", "a.xml", ascii('<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><a/>')],
  ["SVG", "a.svg", ascii('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ["SVG as PNG", "a.png", ascii('<?xml version="1.0"?>\n<!-- x -->\n<svg onload="alert(1)"/>')],
  ["SVG with a document type", "a.svg", ascii('<!DOCTYPE svg PUBLIC "-//W3C" "x" [<!ENTITY a "b">]>\n<svg/>')],
  ["SVG with a prefix", "a.jpg", ascii('<x:svg xmlns:x="http://www.w3.org/2000/svg"/>')],
  ["SVG, compressed", "a.svgz", join([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], noise(50))],
  ["JavaScript by name", "a.js", ascii("alert(1)")],
  ["JavaScript behind GIF letters", "a.js", ascii("GIF89a=1;alert(1)")],
  ["a batch file", "a.BAT", ascii("@echo off\r\ndel *.*")],
  ["a batch file with a dot behind", "a.bat.", ascii("@echo off")],
  ["PowerShell", "a.ps1", ascii("Remove-Item *")],
  ["a shell script", "a.txt", ascii("#!/bin/sh\nrm -rf ~")],
  ["PHP", "a.jpg", ascii("<?php system($_GET[0]);")],
  ["PHP, short", "a.txt", ascii("<?=`$_GET[0]`?>")],
  ["an ASP page", "a.txt", ascii('<%@ Page Language="C#" %>')],
  ["PostScript", "a.pdf", ascii("%!PS-Adobe-3.0\n")],
  ["a registry file", "a.txt", ascii("REGEDIT4\r\n\r\n[HKEY]")],
  ["a Windows program", "photo.jpg", join("MZ", [0x90, 0, 3, 0, 0, 0], noise(300))],
  ["a Linux program", "a.pdf", join([0x7f], "ELF", [2, 1, 1, 0], noise(100))],
  ["a macOS program", "a.pdf", join([0xcf, 0xfa, 0xed, 0xfe], noise(100))],
  ["a Java class", "a.png", join([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52], noise(60))],
  [
    "a Java archive",
    "a.zip",
    zip([
      ["META-INF/MANIFEST.MF", "Main-Class: A"],
      ["A.class", noise(100)],
    ]),
  ],
  [
    "an Android package",
    "a.zip",
    zip([
      ["AndroidManifest.xml", noise(60)],
      ["classes.dex", noise(60)],
    ]),
  ],
  ["WebAssembly", "a.bin", join([0], "asm", [1, 0, 0, 0])],
  ["Flash", "a.gif", join("CWS", [10, 0, 1, 0, 0], noise(60))],
  ["an installer", "a.doc", cfb("Root Entry", "SummaryInformation", "Property")],
  ["a shortcut", "a.txt", join([0x4c, 0, 0, 0, 1, 0x14, 2, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46], noise(60))],
  [
    "a document with macros",
    "a.docx",
    zip([
      ["[Content_Types].xml", contentTypes("vnd.ms-word.document.macroEnabled")],
      ["word/document.xml", "<x/>"],
    ]),
  ],
  [
    "a document with macros, late",
    "a.docx",
    zip([
      ["word/document.xml", noise(50_000)],
      ["word/vbaProject.bin", noise(50_000)],
      ["[Content_Types].xml", contentTypes(WORD)],
    ]),
  ],
  ["an archive that is no zip", "a.7z", join("7z", [0xbc, 0xaf, 0x27, 0x1c], noise(60))],
  ["bytes of no known kind", "a.png", noise(5_000)],
];

/** Both a picture and something else: taken as the picture, under a name and headers that make it nothing else. */
export const polyglots: [what: string, name: string, bytes: Buffer, mime: string, stored: string][] = [
  ["GIF and JavaScript", "a.js", join("GIF89a/*", [0, 1, 0, 0x80, 0, 0], "*/=1;alert(1);//"), "image/gif", "a.js.gif"],
  ["GIF and HTML", "a.html", join(gif, "<script>alert(1)</script>"), "image/gif", "a.html.gif"],
  ["PNG and HTML", "a.htm", join(png, "<html><script>alert(1)</script>"), "image/png", "a.htm.png"],
  ["JPEG and PHP", "a.php", join(jpeg, "<?php system('id');"), "image/jpeg", "a.php.jpg"],
  ["JPEG and Java archive", "a.jar", join(jpeg, zip([["META-INF/MANIFEST.MF", "x"]])), "image/jpeg", "a.jar.jpg"],
  ["PDF and HTML", "a.hta", join(pdf, "<script>alert(1)</script>"), "application/pdf", "a.hta.pdf"],
  ["PNG named as a program", "photo.png.exe", png, "image/png", "photo.png.exe.png"],
  ["zip named as a program", "setup.com", zip([["a.txt", "x"]]), "application/zip", "setup.com.zip"],
];
