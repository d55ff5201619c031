import { join } from "node:path";
import { expect, it } from "vitest";
import { run, UNREACHABLE } from "../../_support/install.ts";
import { entries } from "./_entries.ts";

// The floor of `engines`, and the two lines that have long-term support beside it.
const VERSIONS = ["20.19.0", "22", "24"];

/** Imports every entry, then takes a submission through a mail. */
const script = `
  ${entries.map(({ file }) => `await import(${JSON.stringify(join(process.cwd(), file))});`).join("\n  ")}
  const { createTestBackend } = await import(${JSON.stringify(join(process.cwd(), "dist/testing.js"))});
  const backend = createTestBackend();
  const form = await backend.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
  await backend.submit(form.id, { fields: { a: "1" } });
  await backend.tick();
  await backend.close();
  console.log(process.version, backend.mails.length);`;

for (const version of VERSIONS) {
  it(`imports and works on Node ${version}, every entry of it`, { timeout: 300_000 }, async ({ skip }) => {
    const args = ["-y", "-p", `node@${version}`, "--", "node", "--input-type=module", "-e", script];
    const { ok, output } = await run(process.cwd(), "npx", args, { NODE_ENV: "test" });
    if (!ok && UNREACHABLE.test(output) && process.env["REQUIRE_SERVICES"] !== "1") {
      skip(`the package registry can't be reached, so Node ${version} did not run`);
    }
    expect(output).toMatch(new RegExp(`^v${version.replaceAll(".", "\\.")}[\\d.]* 1$`, "m"));
  });
}
