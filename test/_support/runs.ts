/** Repetitions of a test: `few` in every run, `all` in `npm run test:soak`, which sets SOAK=1. */
export const runs = (few: number, all: number): number => (process.env["SOAK"] === "1" ? all : few);
