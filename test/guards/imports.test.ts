import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/** The layers of the house, lowest first. An import goes to a lower layer or stays in its folder; types count as well. */
const layers: readonly (readonly string[])[] = [
  ["src/errors.ts"],
  ["src/lib"],
  ["src/texts/locales"],
  ["src/drivers"],
  ["src/model"],
  ["src/core/options", "src/features/webhooks", "src/features/pages", "src/features/dialects"],
  ["src/core"],
  ["src/core/http", "src/features/teams", "src/features/spam", "src/features/privacy"],
  ["src/features/keys", "src/features/email-servers", "src/features/files"],
  ["src/features/jobs"],
  ["src/features/forms"],
  ["src/features/submissions", "src/features/images"],
  ["src/features/mail", "src/features/statistics"],
  ["src/features/intake", "src/features/retention"],
  ["src/features/deliveries", "src/features/import"],
  ["src/surfaces/legacy"],
  ["src/surfaces/api"],
  ["src/engine.ts"],
  ["src/backend.ts"],
  ["src/index.ts"],
  ["src/surfaces/inbox", "src/surfaces/mcp"],
  ["src/surfaces/client", "src/surfaces/config", "src/surfaces/testing"],
  ["adapters"],
  ["src/surfaces/cli"],
];

/** Built on their own, for pages and the bundlers of hosts; they share nothing with the server. */
const apart = ["src/surfaces/browser", "src/surfaces/inbox/client", "adapters/nuxt"];

const files = ["src", "adapters"].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(root, file)),
);

interface Import {
  readonly to: string;
  /** True where the import vanishes when compiled. */
  readonly type: boolean;
}

/** Every relative import of a file, as a path from the repository's root. */
function importsOf(file: string): Import[] {
  const source = readFileSync(file, "utf8");
  const statements = source.matchAll(/^\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+"(\.[^"]+)"/gms);
  const calls = source.matchAll(/\bimport\(\s*"(\.[^"]+)"/g);
  return [
    ...[...statements].map(([, type, to = ""]) => ({ to, type: type !== undefined })),
    ...[...calls].map(([, to = ""]) => ({ to, type: file.endsWith(".d.ts") })),
  ].map(({ to, type }) => ({ to: normalize(join(dirname(file), to)), type }));
}

const within = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const placeOf = (path: string): string | undefined => layers.flat().find((place) => within(path, place));
const floorOf = (path: string): number => layers.findIndex((places) => places.some((place) => within(path, place)));

describe("layers", () => {
  it("hold every folder", () => {
    expect(files.filter((file) => floorOf(file) < 0 && !apart.some((place) => within(file, place)))).toEqual([]);
  });

  it("are imported downwards, or within a folder", () => {
    const wrong = files
      .filter((file) => !apart.some((place) => within(file, place)))
      .flatMap((file) =>
        importsOf(file)
          .filter(({ to }) => placeOf(to) !== placeOf(file) && floorOf(to) >= floorOf(file))
          .map(({ to }) => `${file} → ${to}`),
      );
    expect(wrong).toEqual([]);
  });

  it("have no circle of files", () => {
    const graph = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      else if (!done.has(file)) {
        for (const to of graph.get(file) ?? []) visit(to, [...path, file]);
        done.add(file);
      }
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});

const portTypes = /^src\/drivers\/\w+\/types\.ts$/;
const isRoutes = (file: string): boolean => /\/routes(-\w+)?\.ts$/.test(file);
const features = files.filter(
  (file) =>
    within(file, "src") &&
    !["src/drivers", "src/surfaces/testing", "src/surfaces/browser", "src/surfaces/cli"].some((place) =>
      within(file, place),
    ),
);

/** Rules that are narrower than a layer. */
const rules: {
  name: string;
  from: (file: string) => boolean;
  forbids: (to: string, type: boolean, file: string) => boolean;
}[] = [
  {
    name: "drivers know only their port, the storage schema and lib",
    from: (file) => within(file, "src/drivers"),
    forbids: (to) => !within(to, "src/drivers") && !within(to, "src/lib"),
  },
  {
    name: "features know drivers by their port types and the storage schema alone",
    from: (file) => features.includes(file) && !/^src\/(engine|index)\.ts$/.test(file),
    forbids: (to) => within(to, "src/drivers") && !portTypes.test(to) && to !== "src/model/collections.ts",
  },
  {
    name: "services know no HTTP, only routes do",
    from: (file) =>
      features.includes(file) &&
      !isRoutes(file) &&
      !/^src\/(http|api|inbox|mcp|keys\/auth|engine|backend|index)/.test(file),
    forbids: (to, type) => within(to, "src/core/http") && !type,
  },
  {
    name: "only the table and engine.ts know the routes of features",
    from: (file) => features.includes(file) && file !== "src/surfaces/api/table.ts" && file !== "src/engine.ts",
    // Routes of one folder may share what they have in common.
    forbids: (to, _, file) => isRoutes(to) && !(isRoutes(file) && dirname(to) === dirname(file)),
  },
  {
    name: "nothing loads the inbox but the suite that tests it, and the command line",
    from: (file) =>
      !within(file, "src/surfaces/inbox") &&
      file !== "src/surfaces/testing/inbox.ts" &&
      !within(file, "src/surfaces/cli"),
    forbids: (to) => within(to, "src/surfaces/inbox"),
  },
  {
    name: "nothing loads the MCP server but the command line",
    from: (file) => !within(file, "src/surfaces/mcp") && !within(file, "src/surfaces/cli"),
    forbids: (to) => within(to, "src/surfaces/mcp"),
  },
  {
    name: "adapters know the backend by its type",
    from: (file) => within(file, "adapters"),
    forbids: (to, type) => !within(to, "adapters") && !type,
  },
];

describe("rules within layers", () => {
  for (const { name, from, forbids } of rules) {
    it(name, () => {
      const wrong = files.filter(from).flatMap((file) =>
        importsOf(file)
          .filter(({ to, type }) => forbids(to, type, file))
          .map(({ to }) => `${file} → ${to}`),
      );
      expect(wrong).toEqual([]);
    });
  }

  it("reads imports at all", () => {
    expect(importsOf("src/index.ts").map(({ to }) => to)).toContain("src/backend.ts");
  });

  it("has no file over 250 lines", () => {
    expect(files.filter((file) => readFileSync(file, "utf8").trimEnd().split("\n").length > 250)).toEqual([]);
  });
});
