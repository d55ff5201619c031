// `npm run test:mutation [groups]` changes the files of `mutation.json` in every way that Stryker knows, one change at a time, and counts those
// that no test notices. Ends with 1 if a group's score is below its `least`. `--minutes 60` begins no group after that time, and says which
// are left; `--survivors` prints each change that no test noticed, `--progress` how far a group has come.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "Infinity" },
    survivors: { type: "boolean" },
    progress: { type: "boolean" },
  },
});
const minutes = Number(values.minutes);
const all = JSON.parse(readFileSync(new URL("mutation.json", import.meta.url), "utf8"));
const unknown = positionals.filter((name) => !all.some(({ group }) => group === name));
if (Number.isNaN(minutes) || unknown.length > 0) {
  console.error(unknown.length > 0 ? `no group ${unknown.join(", ")}` : `--minutes takes a number`);
  process.exit(2);
}
const begun = performance.now();
let failed = 0;

/** The states of a mutant that a test noticed. */
const noticed = new Set(["Killed", "Timeout", "RuntimeError"]);

for (const { group, files, tests, least = 0 } of all) {
  if (positionals.length > 0 && !positionals.includes(group)) continue;
  if (performance.now() - begun > minutes * 60_000) {
    console.log(`${group}: not begun, since ${minutes} minutes are over`);
    continue;
  }
  process.env.MUTATION_TESTS = tests.join(" ");
  const results = await new Stryker({
    mutate: files,
    testRunner: "vitest",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner"],
    concurrency: 2,
    reporters: values.progress ? ["progress-append-only"] : [],
    ignorePatterns: ["/dist", "/docs", "/examples", ".demo", "coverage"],
    tempDirName: "node_modules/.cache/stryker",
    allowConsoleColors: false,
    logLevel: "error",
    disableTypeChecks: false,
    ignoreStatic: true,
    timeoutMS: 10_000,
  }).runMutationTest();
  const counted = results.filter(({ status }) => !["Ignored", "CompileError"].includes(status));
  const killed = counted.filter(({ status }) => noticed.has(status)).length;
  const score = counted.length === 0 ? 0 : (100 * killed) / counted.length;
  if (score < least || counted.length === 0) failed++;
  console.log(
    `${group}: ${killed} of ${counted.length} noticed, ${score.toFixed(1)} %${score < least ? `, less than ${least} %` : ""}`,
  );
  if (values.survivors)
    for (const { fileName, location, status, mutatorName, replacement } of counted)
      if (!noticed.has(status))
        console.log(
          `  ${status} ${fileName}:${location.start.line}:${location.start.column} ${mutatorName} ${replacement ?? ""}`.replaceAll(
            "\n",
            " ",
          ),
        );
}
process.exit(failed > 0 ? 1 : 0);
