import { errorMessage } from "./message.ts";
import { packages } from "./packages.ts";
import { patternWeight } from "./pattern-weight.ts";

// Linear time is not free time: cost grows with program size x input length, on the host's event loop.
const MAX_LENGTH = 512;
const MAX_PROGRAM = 500;
/** About 20 ms of compiling. */
const MAX_WEIGHT = 4_000;

/** A compiled rule pattern; `cost` is the number of instructions for matching one input character. */
export interface Pattern {
  readonly cost: number;
  /** The cost of compiling it, in the units of `patternWeight`. */
  readonly weight: number;
  test(text: string): boolean;
}

/** Compiles a pattern for the linear-time engine. Returns a sentence if the pattern can't be used. */
export async function compilePattern(source: string): Promise<Pattern | { readonly error: string }> {
  if (source.length > MAX_LENGTH) return { error: `must be a pattern of at most ${MAX_LENGTH} characters` };
  // The engine writes repeats out and folds ranges letter by letter before it can tell how much that is.
  const { size, weight } = patternWeight(source);
  if (weight > MAX_WEIGHT) {
    const remedy = size > weight / 2 ? "smaller repeat counts" : "fewer classes of characters";
    return { error: `is too complex a pattern; use ${remedy}` };
  }
  const { RE2JS } = await packages.re2js();
  try {
    const compiled = RE2JS.compile(source);
    const cost = compiled.programSize();
    if (cost > MAX_PROGRAM) return { error: "is too complex a pattern; use smaller repeat counts" };
    return { cost, weight, test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    const reason = errorMessage(error);
    return { error: `must be a pattern in RE2 syntax, without look-around and back-references (${reason})` };
  }
}
