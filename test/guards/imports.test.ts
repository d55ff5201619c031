import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * The floors of the house, lowest first. A file knows its own floor and those below it; types count as well. The engine is given its
 * surfaces, so it stands below them. The adapters, which stand on none of these, are the top.
 */
const floors = [
  "src/errors.ts",
  "src/lib",
  "src/texts",
  "src/model",
  "src/drivers",
  "src/core",
  "src/features",
  "src/engine.ts",
  "src/backend.ts",
  "src/surfaces",
  "src/index.ts",
] as const;

/** Reach features and the core by themselves: the calls, the file that puts a backend together, and the suites that test its parts. */
const ownsFeatures = ["src/surfaces/api", "src/surfaces/mount.ts", "src/surfaces/testing"];

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
/** The place of a file's floor; the top comes after all others. */
const floorOf = (path: string): number => {
  const at = floors.findIndex((floor) => within(path, floor));
  return at < 0 ? floors.length : at;
};
/** A feature, a surface, another floor, a file of `src/`, or the adapters. */
const roomOf = (path: string): string => {
  const [root = "", floor = "", room = ""] = path.split("/");
  if (root !== "src") return root;
  return floor === "features" || floor === "surfaces" ? `src/${floor}/${room}` : `src/${floor}`;
};

/** All circles of a graph, each as a chain of names. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(" → "));
    else if (!done.has(name)) {
      for (const to of graph.get(name) ?? []) visit(to, [...path, name]);
      done.add(name);
    }
  };
  for (const name of graph.keys()) visit(name, []);
  return circles;
}

const housed = files.filter((file) => !apart.some((place) => within(file, place)));

describe("floors", () => {
  it("are the folders of src/", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const known = floors.filter((floor) => !floor.endsWith(".ts")).map((floor) => floor.slice("src/".length));
    expect(folders.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it("are imported downwards, or within a floor", () => {
    const wrong = housed.flatMap((file) =>
      importsOf(file)
        .filter(({ to }) => floorOf(to) > floorOf(file))
        .map(({ to }) => `${file} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have rooms that know each other without a circle: features, surfaces and the files of src/", () => {
    const graph = new Map<string, string[]>();
    for (const file of housed) {
      const room = roomOf(file);
      const others = importsOf(file)
        .map(({ to }) => roomOf(to))
        .filter((to) => to !== room);
      graph.set(room, [...new Set([...(graph.get(room) ?? []), ...others])]);
    }
    expect(graph.size).toBeGreaterThan(30);
    expect(circlesOf(graph)).toEqual([]);
  });

  it("let surfaces reach features and the core by surfaces/api alone", () => {
    const surfaces = housed.filter(
      (file) => within(file, "src/surfaces") && !ownsFeatures.some((place) => within(file, place)),
    );
    const past = surfaces.flatMap((file) =>
      importsOf(file)
        .filter(({ to }) => within(to, "src/features") || within(to, "src/core"))
        .map(({ to }) => `${file} → ${to}`),
    );
    expect(surfaces.length).toBeGreaterThan(200);
    expect(past).toEqual([]);
  });

  it("let the inbox read and write by calls alone, but for its own sessions", () => {
    const root = "src/surfaces/inbox";
    const store =
      /\bcore\s*\.(rows|storage|commitNow|commitTogether|committer)\b|\{[^{}]*\b(rows|storage)\b[^{}]*\} = (visit\.)?core\b/;
    const found = housed
      .filter((file) => within(file, root) && store.test(readFileSync(file, "utf8")))
      .map((file) => file.slice(root.length + 1));
    expect(found).toEqual(["session.ts"]);
  });

  it("have no circle of files", () => {
    expect(circlesOf(new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)])))).toEqual([]);
  });
});

/** The types of the ports, and what the conditions of the store's port mean. */
const portTypes = /^src\/drivers\/(\w+\/types|storage\/predicate)\.ts$/;
const isRoutes = (file: string): boolean => /\/routes(-\w+)?\.ts$/.test(file);
/** Code about HTTP that the routes of a feature share. */
const isOfHttp = (file: string): boolean => /^src\/features\/[\w-]+\/http\//.test(file);
const features = files.filter(
  (file) =>
    within(file, "src") &&
    !["src/drivers", "src/surfaces/testing", "src/surfaces/browser", "src/surfaces/cli"].some((place) =>
      within(file, place),
    ),
);

/** Rules that are narrower than a floor. */
const rules: {
  name: string;
  from: (file: string) => boolean;
  forbids: (to: string, type: boolean, file: string) => boolean;
}[] = [
  {
    name: "drivers know their ports, model and lib",
    from: (file) => within(file, "src/drivers"),
    forbids: (to) => !["src/drivers", "src/model", "src/lib"].some((place) => within(to, place)),
  },
  {
    name: "all others know drivers by their port types alone",
    // On Cloudflare Workers the object's store and alarm are the drivers, so that entry chooses them.
    from: (file) =>
      features.includes(file) && !/^src\/(engine|index)\.ts$/.test(file) && !within(file, "src/surfaces/cloudflare"),
    forbids: (to) => within(to, "src/drivers") && !portTypes.test(to),
  },
  {
    name: "services know no HTTP, only routes and the folder http of a feature do",
    from: (file) =>
      features.includes(file) &&
      !isRoutes(file) &&
      !isOfHttp(file) &&
      !/^src\/(core\/http|surfaces\/(api|inbox|legacy|mcp|mount)|features\/keys\/auth|engine|backend|index)/.test(file),
    forbids: (to, type) => within(to, "src/core/http") && !type,
  },
  {
    name: "only the table and mount.ts know the routes of features",
    from: (file) => features.includes(file) && file !== "src/surfaces/api/table.ts" && file !== "src/surfaces/mount.ts",
    // Routes of one folder may share what they have in common.
    forbids: (to, _, file) => isRoutes(to) && !(isRoutes(file) && dirname(to) === dirname(file)),
  },
  {
    name: "only the tables of member operations know them",
    from: (file) => !/^src\/surfaces\/api\/(member|operator)-table\.ts$/.test(file),
    forbids: (to) => /\/(member|reading)-operations\.ts$/.test(to) && within(to, "src/features"),
  },
  {
    name: "only the inbox knows the table of member operations",
    from: (file) => !within(file, "src/surfaces/inbox"),
    forbids: (to) => to === "src/surfaces/api/member-table.ts",
  },
  {
    name: "only the pages of operators know their operations",
    from: (file) => !within(file, "src/surfaces/inbox/operator"),
    forbids: (to) => to === "src/surfaces/api/operator-table.ts",
  },
  {
    name: "only routes and the folder itself know the folder http of a feature",
    from: (file) => features.includes(file) && !isRoutes(file) && !isOfHttp(file),
    forbids: (to) => isOfHttp(to),
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
    name: "adapters know the backend by its type, and the bridge from Node's requests",
    from: (file) => within(file, "adapters"),
    forbids: (to, type) => !["adapters", "src/surfaces/node"].some((place) => within(to, place)) && !type,
  },
];

describe("rules within floors", () => {
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

  it("have routes in each file that is named after them", () => {
    const named = features.filter(isRoutes);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((file) => !/\broute\(\{|\bRawRoute\b/.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  it("reads imports at all", () => {
    expect(importsOf("src/index.ts").map(({ to }) => to)).toContain("src/surfaces/form-backend.ts");
  });

  it("has no file over 250 lines", () => {
    // Data may be longer: types that `npm run texts` writes, the collections, and the documentation's examples.
    const data = /^src\/(texts\/\w+\/english|model\/collections|surfaces\/api\/examples)\.ts$/;
    const written = files.filter((file) => !data.test(file));
    expect(written.filter((file) => readFileSync(file, "utf8").trimEnd().split("\n").length > 250)).toEqual([]);
  });
});

it("packages that may be missing are imported within a `try`, or bundlers fail the build of an app without them", () => {
  const { peerDependenciesMeta } = JSON.parse(readFileSync("package.json", "utf8")) as {
    peerDependenciesMeta: Record<string, { optional: boolean }>;
  };
  const peers = Object.keys(peerDependenciesMeta).join("|");
  const found = files
    // The command line is bundled by nobody, and it alone loads the server of agents on standard input.
    .filter((file) => !file.startsWith("src/surfaces/cli/") && file !== "src/surfaces/mcp/stdio.ts")
    .flatMap((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.flatMap((line, at) => {
        if (!new RegExp(`\\bimport\\("(${peers})(/[\\w/]+)?"\\)`).test(line.replace(/typeof import\("[^"]+"\)/g, "")))
          return [];
        return [
          {
            place: `${file}:${at + 1}`,
            tried: lines.slice(Math.max(0, at - 2), at).some((text) => /\btry \{$/.test(text)),
          },
        ];
      });
    });
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ tried }) => !tried).map(({ place }) => place)).toEqual([]);
});
