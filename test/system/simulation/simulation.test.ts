import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../_support/runs.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = "test/simulation/run.mjs";
/** As `npm run simulate` starts it: a young generation with room for a seed, which is collected less often. */
const ROOM = "--max-semi-space-size=64";
const TIMEOUT_MS = 300_000;
/** Seeds of the soak; the gate runs as many as fit into a minute. A core takes about twenty a second. */
const SOAKED = runs(0, 100_000);
const MOST_SEEDS_MS = runs(6, 180) * 60_000;

/** All parts of life. */
const EVERYTHING = "sheet,talk,work,edit,erasure,teams,plans,secrets,versions,flood";

/** The same with copies that are put back, which a replaced secret leaves out. */
const WITH_BACKUPS = "backups,sheet,talk,work,edit,erasure,teams,plans,versions";

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** Runs the simulation in a process of its own, since it puts its time in the place of the machine's. */
async function simulate(
  args: readonly string[],
  command: readonly string[] = [process.execPath, ROOM],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [file, ...first] = command as [string, ...string[]];
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } };
  return promisify(execFile)(file, [...first, ...args], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      stdout: error.stdout + error.stderr,
    }),
  );
}

/** A run of the simulation with one bundle for all of them: building it takes longer than most seeds. */
const directory = mkdtempSync(join(tmpdir(), "form-backend-simulation-"));
const bundled = [run, "--bundle", join(directory, "simulation.mjs")];
beforeAll(async () => {
  const { code, stdout } = await simulate([...bundled, "--seeds", "1"]);
  expect(code, stdout).toBe(0);
}, TIMEOUT_MS);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the simulation", () => {
  const named = JSON.parse(readFileSync(resolve(root, "test/simulation/named.json"), "utf8")) as {
    seed: number;
    found: string;
    /** The planted fault that is the code as it was before. */
    fault?: string;
    /** Parts of life that are switched on. */
    with?: string[];
  }[];
  it.each(named)("seed $seed keeps every promise: $found", { timeout: TIMEOUT_MS }, async (one) => {
    const parts = one.with ? ["--with", one.with.join(",")] : [];
    const { code, stdout } = await simulate([...bundled, "--seed", String(one.seed), ...parts]);
    expect(code, stdout.slice(-2_000)).toBe(0);
  });

  it.each(named.filter(({ fault }) => fault))(
    "seed $seed breaks a promise without the fix: $fault",
    { timeout: TIMEOUT_MS },
    async ({ seed, fault }) => {
      const args = ["--only", String(fault), "--seed", String(seed)];
      const { code, stdout } = await simulate(["test/simulation/planted.mjs", ...args]);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain("1 of 1 planted faults found");
    },
  );

  it(`keeps every promise in ${SOAKED || "the"} seeds${SOAKED ? "" : " of a minute"}`, {
    timeout: MOST_SEEDS_MS,
  }, async () => {
    const cores = SOAKED ? availableParallelism() : 1;
    const many = SOAKED ? ["--seeds", String(Math.ceil(SOAKED / cores))] : ["--seconds", "60"];
    // Each night has seeds of its own.
    const from = SOAKED ? Math.floor(Date.now() / 1_000) : 1;
    const ended = await Promise.all(
      Array.from({ length: cores }, (_, n) => simulate([...bundled, ...many, "--from", String(from + n * SOAKED)])),
    );
    for (const { code, stdout } of ended) {
      console.log(stdout.trim().split("\n").at(-1));
      expect(code, stdout.slice(-4_000)).toBe(0);
      expect(stdout).toMatch(/^[1-9]\d* seeds in .* 0 broke a promise$/m);
    }
  });

  const node24 = ["npx", "--yes", "--package=node@24", "--", "node", ROOM];
  it("gives the same history for the same seed, here and on Node 24", { timeout: TIMEOUT_MS }, async () => {
    const first = await simulate([...bundled, "--seed", "7"]);
    // A test runner has another one, by which the log of the backend is another.
    const again = await simulate([...bundled, "--seed", "7"], undefined, { NODE_ENV: "production" });
    const other = await simulate([...bundled, "--seed", "7"], node24);
    expect(first.stdout.split("\n").length).toBeGreaterThan(30);
    expect(again.stdout).toBe(first.stdout);
    expect(other.stdout).toBe(first.stdout);
  });

  it("gives it whatever ran before, beside it, and with every part of life", { timeout: TIMEOUT_MS }, async () => {
    const digests = async (args: readonly string[], command?: readonly string[]): Promise<string[]> => {
      const { code, stdout } = await simulate([...bundled, "--digests", ...args], command);
      expect(code, stdout.slice(-2_000)).toBe(0);
      return stdout.split("\n").filter((line) => /^seed \d+: [0-9a-f]{8}, \d+ events$/.test(line));
    };
    for (const life of [
      ["--seeds", "40"],
      // Two answers of one moment, of which one came earlier on Node 24.
      ["--seeds", "1", "--from", "2000689"],
      ["--seeds", "10", "--with", EVERYTHING],
      ["--seeds", "5", "--with", WITH_BACKUPS],
    ]) {
      const forwards = await digests(life);
      expect(forwards).toHaveLength(Number(life[1]));
      // Two more at once, so that threads end at other times.
      const [backwards, other] = await Promise.all([
        digests([...life, "--backwards"]),
        digests([...life, "--backwards"], node24),
      ]);
      expect(backwards.reverse()).toEqual(forwards);
      expect(other.reverse()).toEqual(forwards);
    }
  });

  it("finds a planted fault and prints the shortest history that shows it", { timeout: TIMEOUT_MS }, async () => {
    const args = ["--only", "an answer does not wait for its commit", "--most", "200"];
    const { code, stdout } = await simulate(["test/simulation/planted.mjs", "--history", ...args]);
    expect(code, stdout).toBe(0);
    // The smallest setting that shows it, and what happens in it.
    expect(stdout).toMatch(/^\{"processes":\d+,"visitors":\d+,.*"faults":\{/m);
    expect(stdout).toMatch(/^ +\d+\.\d{3} p\d +info submission/m);
    expect(stdout).toContain("1 of 1 planted faults found");
  });

  const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const flags = scripts["simulate:memory"]?.match(/--[\w-]+/g) ?? [];
  const holds = (...args: string[]) => simulate(["test/simulation/memory.mjs", ...args], [process.execPath, ...flags]);
  it("leaves a process with the memory that it had, after eight days of visitors", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { code, stdout } = await holds();
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^(\d+, ){7}\d+ KB at rest: -?\d+ bytes more for each visitor$/m);
  });

  it("notices a process that keeps the jobs that it ran", { timeout: TIMEOUT_MS }, async () => {
    const { code, stdout } = await holds("--planted");
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/ KB at rest: \d{4} bytes more for each visitor$/m);
  });

  it("says where code asks for the machine's time", { timeout: TIMEOUT_MS }, async () => {
    const { code, stdout } = await simulate([
      "test/simulation/planted.mjs",
      "--only",
      "machine's clock",
      "--most",
      "3",
    ]);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/the machine's clock was asked: process\.hrtime\.bigint .*src\/features\/jobs\/work\.ts/);
  });
});
