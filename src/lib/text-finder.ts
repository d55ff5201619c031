/** Below this length the engine's own search is the fastest, whatever the texts are. */
const SHORT = 16;

/**
 * Makes a function that tells if a text contains `wanted`, in time linear in the text (Knuth, Morris and Pratt). `includes`
 * takes 40 ms over 64 KB of one letter for some texts of 5,000 characters.
 */
export function textFinder(wanted: string): (text: string) => boolean {
  if (wanted.length <= SHORT) return (text) => text.includes(wanted);
  const borders = bordersOf(wanted);
  return (text) => {
    for (let at = 0, matched = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
      if (wanted.charCodeAt(matched) === code && ++matched === wanted.length) return true;
    }
    return false;
  };
}

/** For each prefix of the text, the length of the longest shorter prefix that is also its suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (text.charCodeAt(matched) === code) matched++;
    borders[at] = matched;
  }
  return borders;
}
