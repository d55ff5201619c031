// Sums what Vitest counted: `node scripts/count-tests.mjs <directory of JSON reports> [steps that failed …]`. Names each failed test with
// the start of its message, prints one line with the sums, and ends with status 1 where anything failed or nothing passed.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [directory = ".", ...failedSteps] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const blamed = new Set();
const firstLines = (message = "") => message.split("\n").slice(0, 6).join("\n    ");
for (const file of readdirSync(directory)) {
  const report = JSON.parse(readFileSync(join(directory, file), "utf8"));
  // A file that can't even be loaded has no test to fail.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  );
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests + broken.length;
  total.skipped += report.numPendingTests + report.numTodoTests;
  if (report.numFailedTests + broken.length > 0) blamed.add(basename(file, ".json"));
  for (const { name, message } of broken) console.log(`  failed to load: ${name}\n    ${firstLines(message)}`);
  for (const { name, assertionResults } of report.testResults) {
    for (const result of assertionResults.filter(({ status }) => status === "failed")) {
      console.log(`  failed: ${name}: ${result.fullName}\n    ${firstLines(result.failureMessages[0])}`);
    }
  }
}
total.failed += failedSteps.filter((name) => !blamed.has(name.replaceAll(" ", "-"))).length;
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
