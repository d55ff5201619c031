import type { App } from "./_apps.ts";

/** Files of the host's own starter: a newcomer does not write them. */
const STARTER = /(^|\/)(package|tsconfig)\.json$/;
/** The marks of the backend, and of what its page asks the host's own configuration for. */
const OURS = /form-?backend|\bforms\b|@photostructure|allowedDomains/i;

/** Steps of a newcomer: the installation, each file that is written or changed, and the build and start. */
export function stepsOf({ files, shown = [], standIn = [] }: App): string[] {
  const written = Object.entries(files)
    .filter(([path, text]) => !STARTER.test(path) && OURS.test(text) && ![...shown, ...standIn].includes(path))
    .map(([path]) => path);
  return ["install", ...written, "start"];
}

export interface Hour {
  /** Does a part of the way, and counts its time. */
  part<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** The row of the table in `docs/internals/slips.md`. */
  row(steps: readonly string[]): string;
}

/** The way from an empty folder to a form that was posted to, in parts. */
export function firstHour(host: string): Hour {
  const parts: { readonly name: string; readonly seconds: number }[] = [];
  return {
    async part(name, work) {
      const began = Date.now();
      try {
        return await work();
      } finally {
        parts.push({ name, seconds: (Date.now() - began) / 1000 });
      }
    },
    row(steps) {
      const total = parts.reduce((sum, { seconds }) => sum + seconds, 0);
      const each = parts.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(", ");
      return `| ${host} | ${steps.length} | ${(total / 60).toFixed(1)} | ${each} |`;
    },
  };
}
