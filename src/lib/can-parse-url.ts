/**
 * True if `text` is a URL, or one relative to `base`. `URL.canParse` is not used: on Node 20 and 22 it refuses hosts and paths with
 * letters such as ü once the engine has compiled its caller, which takes some thousands of calls.
 */
export function canParseUrl(text: string, base?: string | URL): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}
