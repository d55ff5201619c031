import { RE2JS } from "re2js";

// Linear time is not free time: cost grows with program size x input length, on the host's event loop.
const MAX_LENGTH = 512;
const MAX_PROGRAM = 500;

/** A compiled rule pattern; `cost` is what matching one input character costs, in instructions. */
export interface Pattern {
  readonly cost: number;
  test(text: string): boolean;
}

/** Compiles a pattern for the linear-time engine; answers a sentence where it cannot be used. */
export function compilePattern(source: string): Pattern | { readonly error: string } {
  if (source.length > MAX_LENGTH) return { error: `must be a pattern of at most ${MAX_LENGTH} characters` };
  try {
    const compiled = RE2JS.compile(source);
    const cost = compiled.programSize();
    if (cost > MAX_PROGRAM) return { error: "is too complex a pattern; use smaller repeat counts" };
    return { cost, test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { error: `must be a pattern in RE2 syntax, without look-around and back-references (${reason})` };
  }
}
