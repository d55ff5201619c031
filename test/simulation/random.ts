/** Numbers that follow from a seed alone. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `low` up to and including `high`. */
  between(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A stream of its own: what is drawn from it changes nothing that is drawn here. */
  fork(name: string): Random;
}

/** sfc32, which passes PractRand: small, fast, and the same on every engine, because it is 32-bit integer arithmetic. */
export function createRandom(seed: number, name = ""): Random {
  let [a, b, c, d] = [seed | 0, hash(name), 0x9e3779b9 | 0, 1];
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  // Similar seeds begin alike, so the first words are thrown away.
  for (let n = 0; n < 12; n++) word();
  const next = (): number => word() / 0x1_0000_0000;
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)]!,
    fork: (other) => createRandom(seed, `${name}/${other}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) value = Math.imul(value ^ text.charCodeAt(n), 0x01000193);
  return value | 0;
}
