import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { install, pack, peerComplaints, run, UNREACHABLE } from "../../_support/install.ts";
import { blocksOf } from "../docs/_blocks.ts";
import { follow } from "../docs/_run.ts";
import { manifest } from "./_entries.ts";

const MB = 1024 * 1024;

it("packs within its budget", async () => {
  await pack();
  const printed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" });
  const [packed] = JSON.parse(printed) as { size: number; unpackedSize: number; files: { path: string }[] }[];
  const kb = (bytes = 0): string => `${Math.round(bytes / 1024)} KB`;
  console.log(`packed: ${kb(packed?.size)}, unpacked ${kb(packed?.unpackedSize)}, ${packed?.files.length} files`);
  // A fifth of it is the inbox in twelve languages, of which a process loads those that its people speak.
  expect(packed?.size).toBeLessThanOrEqual(1.4 * MB);
  expect(packed?.unpackedSize).toBeLessThanOrEqual(5.3 * MB);
  const foreign = packed?.files.filter(
    ({ path }) =>
      !/^(dist\/.+\.(js|js\.map|d\.ts|json|vue)|dist\/AGENTS\.md|README\.md|CHANGELOG\.md|THIRD-PARTY-LICENSES\.md|LICENSE|package\.json)$/.test(
        path,
      ),
  );
  expect(foreign).toEqual([]);
}, 300_000);

const hosts = await install("test/system/package/fixtures/hosts");
if (hosts) {
  describe("beside express, koa, fastify and hono", () => {
    it("installs without a word about peers", async () => {
      expect(peerComplaints(hosts.output)).toEqual([]);
      expect(await run(hosts.dir, "npm", ["ls", "--all"])).toMatchObject({ ok: true });
    });

    it("brings few packages of its own", async () => {
      const lock = JSON.parse(await readFile(join(hosts.dir, "package-lock.json"), "utf8")) as {
        packages: Record<string, { dependencies?: Record<string, string>; dev?: boolean }>;
      };
      const all = lock.packages;
      /** What is reached from the package by regular dependencies, as npm laid it out. */
      const reached = new Set<string>();
      const walk = (at: string): void => {
        for (const name of Object.keys(all[at]?.dependencies ?? {})) {
          const path = located(at, name);
          if (path === undefined || reached.has(path)) continue;
          reached.add(path);
          walk(path);
        }
      };
      const located = (from: string, name: string): string | undefined => {
        for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
          const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
          if (all[path]) return path;
          if (folder === "") return undefined;
        }
      };
      walk("node_modules/form-backend");
      console.log(`dependencies: ${Object.keys(manifest.dependencies).length} direct, ${reached.size} in all`);
      expect(reached.size).toBeGreaterThanOrEqual(Object.keys(manifest.dependencies).length);
      expect(reached.size).toBeLessThanOrEqual(70);
    });
  });
}

describe("from npm install to the first stored submission", () => {
  const page = "docs/guide/first-form.md";
  const blocks = blocksOf(page).filter(({ language, words, file }) => language === "sh" || words.length > 0 || file);
  const steps = blocks.filter(({ words }) => !words.includes("output"));

  it("takes at most five steps, of which the last one shows it", () => {
    expect(steps[0]?.code).toBe("npm install express form-backend\n");
    expect(blocks.at(-1)?.code).toContain('"value":"ann@example.com"');
    expect(steps.length).toBeLessThanOrEqual(5);
  });

  it("works as the page says, with the package as it would be published", { timeout: 300_000 }, async ({ skip }) => {
    const directory = await mkdtemp(join(tmpdir(), "form-backend-first-"));
    afterAll(() => rm(directory, { recursive: true, force: true }));
    const tarball = await pack();
    const [command = "", ...args] = (steps[0]?.code ?? "").trim().split(" ");
    const given = args.map((word) => (word === "form-backend" ? tarball : word));
    // As the page says below the command.
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    if (major < 22 || (major === 22 && minor < 13)) given.push("@photostructure/sqlite@1");
    const { ok, output } = await run(directory, command, given);
    if (!ok && UNREACHABLE.test(output) && process.env["REQUIRE_SERVICES"] !== "1") {
      skip(`the package registry can't be reached, so ${basename(page)} was not followed`);
    }
    expect(ok, output).toBe(true);
    await follow(page, blocks.slice(1), directory);
  });
});
