// Plants each mutant of mutants.json into a copy of the tree, and expects its test to fail. `npm run test:mutants [words]`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const words = process.argv.slice(2).join(" ");
const mutants = JSON.parse(readFileSync("test/mutants/mutants.json", "utf8")).filter(({ mutant, file }) =>
  `${file} ${mutant}`.includes(words),
);
const copy = mkdtempSync(join(tmpdir(), "form-backend-mutants-"));
for (const path of ["adapters", "scripts", "src", "test", "package.json", "tsconfig.json", "vitest.config.ts"]) {
  cpSync(path, join(copy, path), { recursive: true });
}
symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));

/** The tests of these files by their full names, each with its state; a run that could not begin throws. */
function statesOf(files, title) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const projects = ["--project", "unit", "--project", "unit-alone"];
  const picked = title === undefined ? [] : ["-t", title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")];
  const args = ["node_modules/vitest/vitest.mjs", "run", ...projects, "--reporter=json", `--outputFile=${report}`];
  const { stderr } = spawnSync(process.execPath, [...args, ...picked, ...files], { cwd: copy, encoding: "utf8" });
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch (error) {
    throw new Error(`no report of ${files.join(", ")}: ${stderr}`, { cause: error });
  }
}

let failed = 0;
function say(isRight, line) {
  if (!isRight) failed++;
  console.log(`${isRight ? "killed  " : "SURVIVES"} ${line}`);
}

try {
  // A test that fails anyway would kill every mutant.
  const before = statesOf([...new Set(mutants.map(({ test }) => test))]);
  for (const { mutant, file, find, replace, test, title } of mutants) {
    const own = before.filter(({ fullName }) => fullName.includes(title));
    const source = readFileSync(join(copy, file), "utf8");
    if (own.length === 0 || own.some(({ status }) => status !== "passed")) {
      say(false, `${mutant}: no test of ${test} passes whose name has "${title}"`);
      continue;
    }
    if (source.split(find).length !== 2) {
      say(false, `${mutant}: ${file} must have the text to replace once: ${find}`);
      continue;
    }
    writeFileSync(
      join(copy, file),
      source.replace(find, () => replace),
    );
    const states = statesOf([test], title).filter(({ fullName }) => fullName.includes(title));
    writeFileSync(join(copy, file), source);
    say(
      states.some(({ status }) => status === "failed"),
      `${mutant} (${file})`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${mutants.length - failed} of ${mutants.length} mutants killed`);
process.exitCode = failed > 0 || mutants.length === 0 ? 1 : 0;
