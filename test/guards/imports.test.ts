import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const files = ["src", "adapters"].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(root, file)),
);

/** Every relative import of a file as a path from the repository's root; `type` where it vanishes when compiled. */
function importsOf(file: string): { to: string; type: boolean }[] {
  const source = readFileSync(file, "utf8");
  return [...source.matchAll(/^\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+"(\.[^"]+)"/gms)].map((match) => ({
    to: normalize(join(dirname(file), match[2] ?? "")),
    type: match[1] !== undefined,
  }));
}

const under = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path.startsWith(`src/${folder}/`));
const portTypes = /^src\/drivers\/\w+\/types\.ts$/;

/** The arrows of the house: each says which imports a file may not have. */
const arrows: { name: string; from: (file: string) => boolean; forbids: (to: string, type: boolean) => boolean }[] = [
  {
    name: "lib knows nothing of the library but its errors and port types",
    from: (file) => under(file, "lib"),
    forbids: (to) => !under(to, "lib") && to !== "src/errors.ts" && !portTypes.test(to),
  },
  {
    name: "drivers know only their port, the storage schema and lib",
    from: (file) => under(file, "drivers"),
    forbids: (to) => !under(to, "drivers", "lib"),
  },
  {
    name: "features know drivers by their port types and the storage schema alone",
    from: (file) =>
      file.startsWith("src/") && !under(file, "drivers", "testing", "lib") && !/^src\/(backend|index)\.ts$/.test(file),
    forbids: (to) => under(to, "drivers") && !portTypes.test(to) && to !== "src/drivers/storage/schema.ts",
  },
  {
    name: "only routes of a feature know HTTP",
    from: (file) =>
      file.startsWith("src/") &&
      !under(file, "http") &&
      !/\/routes(-\w+)?\.ts$/.test(file) &&
      !/^src\/(backend|index|in-process)\.ts$/.test(file),
    // The client derives its types from the table, and nothing of the table is left in it when it is built.
    forbids: (to, type) => under(to, "http") && !type,
  },
  {
    name: "only http/table.ts and backend.ts know the routes of features",
    from: (file) => file.startsWith("src/") && file !== "src/http/table.ts" && file !== "src/backend.ts",
    forbids: (to) => /\/routes(-\w+)?\.ts$/.test(to),
  },
  {
    name: "schemas know only schemas, rules and lib",
    from: (file) => file.startsWith("src/") && file.endsWith("/schema.ts") && !under(file, "drivers"),
    forbids: (to, type) => !type && !under(to, "lib") && !/\/(schema|rules)\.ts$/.test(to),
  },
  {
    name: "adapters know the backend by its type",
    from: (file) => file.startsWith("adapters/"),
    forbids: (to, type) => !to.startsWith("adapters/") && !type,
  },
];

describe("import arrows", () => {
  for (const { name, from, forbids } of arrows) {
    it(name, () => {
      const wrong = files.filter(from).flatMap((file) =>
        importsOf(file)
          .filter(({ to, type }) => forbids(to, type))
          .map(({ to }) => `${file} → ${to}`),
      );
      expect(wrong).toEqual([]);
    });
  }

  it("reads imports at all", () => {
    expect(importsOf("src/index.ts").map(({ to }) => to)).toContain("src/backend.ts");
  });

  it("has no file over 300 lines", () => {
    expect(files.filter((file) => readFileSync(file, "utf8").split("\n").length > 300)).toEqual([]);
  });
});
