import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { assertNode } from "../../../lib/node-version.ts";
import { variable } from "../environment.ts";
import type { Checker } from "./checker.ts";

/** Packages that a variable needs, their oldest version, and the values that need them where not all do. */
export const NEEDED: readonly (readonly [variable: string, name: string, oldest: string, values?: RegExp])[] = [
  ["SMTP_URL", "nodemailer", "10.5.0"],
  ["DATABASE_URL", "pg", "8.11.0", /^postgres/],
  ["DATABASE_URL", "mysql2", "3.0.0", /^(mysql|mariadb)/],
  ["REDIS_URL", "bullmq", "6.7.0"],
  ["REDIS_URL", "ioredis", "5.11.0"],
];

/** Node, and the packages that the environment needs. */
export async function checkVersions({ io, check }: Checker): Promise<void> {
  await check("Node", async (find) => {
    try {
      assertNode();
    } catch {
      return find.failed(`Node ${process.versions.node} is too old.`, "Install Node 20.19, or 22.2 and newer.");
    }
    find.ok(process.versions.node);
  });
  for (const [name, pkg, oldest, values] of NEEDED) {
    const value = variable(io.env, name);
    if (value === undefined || values?.test(value) === false) continue;
    await check(pkg, async (find) => {
      const version = versionOf(pkg);
      if (version === null) {
        return find.failed(`${name} needs ${pkg}, which is not installed.`, `Run: npm install ${pkg}`);
      }
      if (isOlder(version, oldest)) {
        return find.failed(`${pkg} ${version} is too old: ${oldest} is needed.`, `Run: npm install ${pkg}@latest`);
      }
      find.ok(version);
    });
  }
}

/** The version that an import here would load; null if there is none. */
function versionOf(name: string): string | null {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      const manifest = JSON.parse(readFileSync(join(path, name, "package.json"), "utf8")) as { version?: string };
      return manifest.version ?? null;
    } catch {}
  }
  return null;
}

function isOlder(version: string, than: string): boolean {
  const [mine, theirs] = [version, than].map((text) => text.split(/[.-]/).map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (mine?.[i] ?? 0) - (theirs?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
