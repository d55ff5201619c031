import { type Sample, scoreOf, train, type Weights } from "./regression.ts";

/** Marks of each kind that a model needs. */
const NEEDED = 50;
/** Parts that are held out one after the other. Of very many marks one half tells about the other. */
const PARTS = 5;
const MANY = 20_000;
/** No text below this is called spam, however low the others are. */
const LEAST = 0.9;

/** A model that is used, with what held-out marks say of it. */
export interface Lesson {
  readonly weights: Weights;
  /** The score from which a text is spam. */
  readonly threshold: number;
  readonly precision: number;
  readonly recall: number;
}

interface Held {
  readonly sample: Sample;
  readonly part: number;
  readonly score: number;
}

/**
 * Learns from marks; null where they are too few, or where those that are held out don't say that it helps: that it catches spam
 * which the other checks let through, and holds back nothing that they let through rightly.
 */
export async function learn(
  samples: readonly Sample[],
  pause: () => Promise<void> | undefined,
): Promise<Lesson | null> {
  const spam = samples.filter((sample) => sample.spam).length;
  if (spam < NEEDED || samples.length - spam < NEEDED) return null;
  const parts = samples.length > MANY ? 2 : PARTS;
  const held: Held[] = [];
  const partOf = dealt(samples, parts);
  for (let part = 0; part < parts; part++) {
    const weights = await train(
      samples.filter((_, at) => partOf[at] !== part),
      pause,
    );
    for (const [at, sample] of samples.entries())
      if (partOf[at] === part) held.push({ sample, part, score: scoreOf(weights, sample.places) });
    await pause();
  }
  const tried = trial(held, parts);
  if (!tried) return null;
  return { weights: await train(samples, pause), threshold: thresholdOf(held, parts), ...tried };
}

/** The part of each sample. Each part gets its share of both kinds, in whatever order they were marked. */
function dealt(samples: readonly Sample[], parts: number): Uint8Array {
  const next = { spam: 0, ham: 0 };
  return Uint8Array.from(samples, ({ spam }) => next[spam ? "spam" : "ham"]++ % parts);
}

/** Precision and recall on the held-out parts, each judged by a threshold that the other parts set; null where it doesn't help. */
function trial(held: readonly Held[], parts: number): { precision: number; recall: number } | null {
  const thresholds = Array.from({ length: parts }, (_, part) => thresholdOf(held, part));
  let [caught, wrong, more, harm] = [0, 0, 0, 0];
  for (const { sample, part, score } of held) {
    if (score < (thresholds[part] as number)) continue;
    if (sample.spam) caught++;
    else wrong++;
    if (sample.held) continue;
    if (sample.spam) more++;
    else harm++;
  }
  if (more === 0 || harm > 0) return null;
  const all = held.filter(({ sample }) => sample.spam).length;
  return { precision: caught / (caught + wrong), recall: caught / all };
}

/** A score halfway to certainty from the highest that a text which is not spam had, in all parts but one. */
function thresholdOf(held: readonly Held[], except: number): number {
  let highest = 0;
  for (const { sample, part, score } of held) if (part !== except && !sample.spam && score > highest) highest = score;
  return Math.max(LEAST, (1 + highest) / 2);
}
