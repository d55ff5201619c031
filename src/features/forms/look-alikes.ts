/** Letters of other scripts that look like Latin ones, which hide a word from who searches for it. */
const twins: Readonly<Record<string, string>> = {
  ...paired("аеорсухіјѕԁԛԝһӏкмтвнгпьԍү", "aeopcyxijsdqwhlkmtbhrnbgy"),
  ...paired("αορυνικτεχβμηωςσγ", "aopuviktexbmnwcoy"),
  ...paired("ɑɡıɩʟɴʀօսոհցքꞵⲟⲣᴘᴀꜱᴡᴏᴅ", "agiilnrounhgqbopPasWod".toLowerCase()),
};
/** Digits and signs that stand for letters inside of a word. */
const signs: Readonly<Record<string, string>> = paired("0134578@$!|€", "oieastbasiie");

function paired(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((letter, at) => [letter, [...to][at] ?? letter]));
}

/** A word of which some characters are letters. */
const MIXED = /(?=\S*\p{L})(?=\S*[0134578@$!|€])\S+/gu;
/** Letters that stand alone, one after the other: `p a s s`. */
const SPACED = /(?<!\S)(?:\S ){3,}\S(?!\S)/gu;

/**
 * A text in the spellings that a reader takes it for: without invisible characters and as it is; with look-alikes, accents and signs as the
 * letters that they imitate; and with letters that stand apart put together.
 */
export function spellingsOf(text: string): string[] {
  const seen = text.normalize("NFKC").replace(/[\p{Cf}\u115f\u1160\u3164\uffa0]/gu, "");
  const bare = folded(seen);
  const spelled = bare.replace(MIXED, (word) => [...word].map((sign) => signs[sign] ?? sign).join(""));
  const joined = [seen, spelled].map((one) => one.replace(SPACED, (run) => run.replaceAll(" ", "")));
  return [...new Set([seen, bare, spelled, ...joined])];
}

/** Small letters without accents, and look-alikes as the letters that they imitate. */
export const folded = (text: string): string =>
  [
    ...text
      .toLowerCase()
      .normalize("NFKD")
      .replace(/\p{Mn}/gu, ""),
  ]
    .map((letter) => twins[letter] ?? letter)
    .join("");
