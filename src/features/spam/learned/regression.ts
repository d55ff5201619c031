import { PLACES } from "./tokens.ts";

/** A marked text. */
export interface Sample {
  readonly places: Uint16Array;
  readonly spam: boolean;
  /** True where the other checks had called it spam. */
  readonly held: boolean;
}

/** A weight for each place, and what it adds to every text. */
export interface Weights {
  readonly of: Float32Array;
  readonly bias: number;
}

/** Together the passes over few marks and over very many take about as long. */
const STEPS = 40_000;
const MAX_PASSES = 8;
const MIN_PASSES = 2;
const BETWEEN_PAUSES = 50;

/** The likelihood that a text is spam, from 0 to 1. A long text is no surer than a short one. */
export function scoreOf({ of, bias }: Weights, places: Uint16Array): number {
  let sum = 0;
  for (const place of places) sum += of[place] as number;
  return 1 / (1 + Math.exp(-bias - sum / Math.sqrt(places.length || 1)));
}

/**
 * Logistic regression by stochastic descent. A place that has moved far moves less, so that frequent words don't drown rare ones. The
 * same samples give the same weights.
 */
export async function train(samples: readonly Sample[], pause: () => Promise<void> | undefined): Promise<Weights> {
  const of = new Float32Array(PLACES);
  const moved = new Float32Array(PLACES);
  let bias = 0;
  const passes = Math.max(MIN_PASSES, Math.min(MAX_PASSES, Math.ceil(STEPS / Math.max(1, samples.length))));
  const order = Uint32Array.from(samples.keys());
  const random = numbers();
  for (let pass = 0; pass < passes; pass++) {
    shuffle(order, random);
    for (let step = 0; step < order.length; step++) {
      if (step % BETWEEN_PAUSES === 0) await pause();
      const { places, spam } = samples[order[step] as number] as Sample;
      const error = scoreOf({ of, bias }, places) - (spam ? 1 : 0);
      const share = error / Math.sqrt(places.length || 1);
      bias -= 0.05 * error;
      for (const place of places) {
        const slope = share + 1e-5 * (of[place] as number);
        moved[place] = (moved[place] as number) + slope * slope;
        of[place] = (of[place] as number) - (0.5 * slope) / (1e-3 + Math.sqrt(moved[place] as number));
      }
    }
  }
  return { of, bias };
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const one = order[at] as number;
    order[at] = order[other] as number;
    order[other] = one;
  }
}

/** Numbers from 0 to 1, the same each time. */
function numbers(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
