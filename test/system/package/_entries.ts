import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, string | { readonly default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

/** Every published entry: a file each for the patterns. */
export const entries = Object.entries(manifest.exports).flatMap(([name, target]) => {
  // What only Cloudflare's runtime can load; everywhere else it is a file that says so, and throws.
  if (typeof target !== "string" || !target.endsWith(".js")) return [];
  if (!target.includes("*")) return [{ name, file: target }];
  const [folder = "", suffix = ""] = target.split("*");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(suffix))
    .map((file) => ({ name: name.replace("*", file.slice(0, -suffix.length)), file: join(folder, file) }));
});
