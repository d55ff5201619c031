const MAX_BYTES = 200;
/** Characters at each end of a name that are looked at: far more than are kept, while a mail may call a file by megabytes. */
const END = 500;

/** Extensions that some system opens by running them. */
const ACTIVE = new Set(
  (
    "html htm xhtml xht shtml mht mhtml hta svg svgz xml xsl xslt js mjs cjs jse vbs vbe wsf wsh ps1 psm1 psd1 bat cmd com exe dll scr " +
    "msi msp msix appx cpl jar jnlp class apk ipa app dmg pkg deb rpm run bin elf sh bash zsh fish csh ksh command py pyc pyw rb " +
    "pl pm php php3 php4 php5 phtml phar asp aspx ashx jsp jspx cgi lnk url desktop webloc reg inf scf sct chm hlp gadget " +
    "workflow action applescript scpt swf docm dotm xlsm xltm xlam pptm potm ppsm ade adp mde iqy slk settingcontent-ms"
  ).split(" "),
);

/** The text after the last dot of a name, in lower case; "" if there is none. Windows drops dots and spaces at the end. */
export const extensionOf = (name: string): string => /\.([^.\s]+)[.\s]*$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** True if a system would run a file because of its name. */
export const isActiveName = (name: string): boolean => ACTIVE.has(extensionOf(name));

/**
 * Makes a visitor's file name safe: no folders, no control or direction characters, no names reserved by a system, at most 200
 * bytes. A file without a name, or named like a program, gets the extension of its real type.
 */
export function cleanName(name: string, ext: string): string {
  const plain = bothEnds(name.replace(/^.*[/\\]/s, ""))
    // Also half of a character that was cut apart: its place is removed below.
    .toWellFormed()
    // Direction marks can make `exe.gpj` read as `jpg.exe`.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/gu, "")
    .replace(/[:*?"<>|]/g, "_")
    .replace(/\s+/g, " ")
    // Windows drops these, and then the text before them becomes the extension.
    .replace(/^[. ]+|[. ]+$/g, "");
  const named = cut(plain || "file", "");
  // A cut can make another text the extension.
  const needsOwn = plain === "" || isActiveName(plain) || isActiveName(named);
  return needsOwn ? cut(plain || "file", `.${ext}`) : named;
}

const bothEnds = (name: string): string => (name.length > 2 * END ? name.slice(0, END) + name.slice(-END) : name);

/** The name with its extension kept where it has to be shortened. */
function cut(name: string, suffix: string): string {
  if (Buffer.byteLength(name + suffix) <= MAX_BYTES) return name + suffix;
  const own = suffix || (/\.[^. ]{1,10}$/.exec(name)?.[0] ?? "");
  const stem = suffix ? name : name.slice(0, name.length - own.length);
  return beginningOf(stem, MAX_BYTES - Buffer.byteLength(own)).trimEnd() + own;
}

/** The longest beginning of a text that takes at most `most` bytes. No character is cut. */
function beginningOf(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}
