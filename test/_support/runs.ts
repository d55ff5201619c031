/** True in `npm run test:soak`. */
const soak = process.env["SOAK"] === "1";

/** Repetitions of a test: `few` in every run, `all` in `npm run test:soak`, which sets SOAK=1. */
export const runs = (few: number, all: number): number => (soak ? all : few);

/** For checks that several views of a page repeat: every second one in every run, by the sum of its numbers, and all of them in soak. */
export const inTurn = (...numbers: readonly number[]): boolean =>
  soak || numbers.reduce((sum, n) => sum + n, 0) % 2 === 0;
