import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../_support/install.ts";

let clone: string;
const read = (file: string): Promise<string> => readFile(join(clone, file), "utf8");
const publish = (...more: string[]) => run(clone, "npm", ["publish", "--dry-run", ...more]);

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "form-backend-release-"));
  for (const path of [
    "package.json",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "scripts",
    "dist",
    ".github",
    "examples/cloudflare",
  ])
    await cp(path, join(clone, path), { recursive: true });
  // `dist` was built for these tests.
  await writeFile(
    join(clone, "package.json"),
    (await read("package.json")).replace('"prepack": "npm run -s build && ', '"prepack": "'),
  );
});
afterAll(() => rm(clone, { recursive: true, force: true }));

it("a release is refused until one command has named the repository; then a dry run packs it", async () => {
  const readme = await read("README.md");
  const refused = await publish();
  expect(refused.ok).toBe(false);
  expect(refused.output).toContain("Run: npm run repository -- owner/name");

  expect(await run(clone, "npm", ["run", "repository", "--", "octocat/form-backend"])).toMatchObject({ ok: true });
  const { ok, output } = await publish();
  expect({ ok, output }).toMatchObject({ ok: true, output: expect.stringMatching(/^\+ form-backend@/m) });
  expect(await read("README.md")).toBe(readme);

  // The tarball is what npm shows.
  expect(await run(clone, "npm", ["pack"])).toMatchObject({ ok: true });
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  const packed = await run(clone, "tar", ["-xzOf", `form-backend-${version}.tgz`, "package/README.md"]);
  expect(packed.output).toContain(`](https://github.com/octocat/form-backend/blob/v${version}/docs/`);
  expect(packed.output).not.toMatch(/\]\((docs|examples|CHANGELOG)/);
  expect(await read("README.md")).toBe(readme);
});
