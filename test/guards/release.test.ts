import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cut, FILES } from "../../scripts/cut.mjs";
import { absolute, faultsOf, isNamed, relative, withDeployButton, withRepository } from "../../scripts/published.mjs";

const read = (file: string): string => readFileSync(file, "utf8");
const manifest = withRepository(read("package.json"), "octocat/forms");
const readme = read("README.md");
const { version } = JSON.parse(manifest) as { version: string };

describe("the address of the repository", () => {
  it("is filled in by one call, at every place, and can be changed again", () => {
    const { repository, homepage, bugs } = JSON.parse(manifest);
    expect([repository.url, homepage, bugs]).toEqual([
      "git+https://github.com/octocat/forms.git",
      "https://github.com/octocat/forms#readme",
      "https://github.com/octocat/forms/issues",
    ]);
    expect(isNamed(manifest)).toBe(true);
    expect(withRepository(manifest, "hubot/forms")).not.toContain("octocat");
  });

  it("leads to the example for Cloudflare by a button, once", () => {
    const example = withDeployButton(read("examples/cloudflare/README.md"), "octocat/forms");
    expect(example).toContain("url=https://github.com/octocat/forms/tree/main/examples/cloudflare)");
    const moved = withDeployButton(example, "hubot/forms");
    expect(moved.match(/deploy\.workers\.cloudflare\.com\/\?url/g)).toHaveLength(1);
    expect(moved).not.toContain("octocat");
  });

  it.each(["", "octocat", "https://github.com/octocat/forms", "OWNER/form-backend", 'a"/b'])("is not %j", (name) => {
    expect(() => withRepository(manifest, name)).toThrow("is not owner/name");
  });
});

it("the MCP server tells agents the version of the package", () => {
  expect(read("src/surfaces/mcp/server.ts")).toContain(`export const VERSION = "${version}";`);
});

describe("scripts/check-release.mjs", () => {
  const changelog = `# Changelog\n\n## ${version} – 2026-12-01\n`;

  it("refuses a package whose links lead to a placeholder", () => {
    const placeholder = manifest.replaceAll("octocat/forms", "OWNER/form-backend");
    for (const dryRun of [true, false])
      expect(faultsOf({ manifest: placeholder, changelog, dryRun })).toEqual([
        "package.json still has OWNER/form-backend. Run: npm run repository -- owner/name",
      ]);
    expect(faultsOf({ manifest, changelog, dryRun: false })).toEqual([]);
  });

  it("refuses a version without its day, but not in a dry run", () => {
    const open = changelog.replace("2026-12-01", "unreleased");
    expect(faultsOf({ manifest, changelog: open, dryRun: false })[0]).toContain(`"${version} – YYYY-MM-DD"`);
    expect(faultsOf({ manifest, changelog: open, dryRun: true })).toEqual([]);
    const other = changelog.replace(version, "9.9.9");
    expect(faultsOf({ manifest, changelog: other, dryRun: true })).toHaveLength(1);
  });
});

describe("scripts/release.mjs", () => {
  const files = Object.fromEntries(FILES.map((file) => [file, read(file)]));
  const day = "2026-12-01";
  const changelog = (...headings: string[]): string =>
    `# Changelog\n${headings.map((heading, at) => `\n## ${heading}\n\n- Change ${at}.\n`).join("")}`;
  const cutFrom = (text: string, asked?: string) =>
    cut({ files: { ...files, "CHANGELOG.md": text }, version: asked, day });

  it("dates the changelog of this tree and sets the version in every file that names it", () => {
    const { files: made, notes } = cut({ files, version: "7.8.9", day });
    expect(made["CHANGELOG.md"]).toContain(`\n## 7.8.9 – ${day}\n`);
    expect(notes.startsWith("The first version")).toBe(true);
    expect(JSON.parse(made["package.json"] ?? "").version).toBe("7.8.9");
    const lock = JSON.parse(made["package-lock.json"] ?? "");
    expect([lock.version, lock.packages[""].version]).toEqual(["7.8.9", "7.8.9"]);
    expect({ ...lock, version, packages: { ...lock.packages, "": { ...lock.packages[""], version } } }).toEqual(
      JSON.parse(read("package-lock.json")),
    );
    expect(made["src/surfaces/mcp/server.ts"]).toContain('export const VERSION = "7.8.9";');
    const state = { manifest: withRepository(made["package.json"] ?? "", "octocat/forms"), dryRun: false };
    expect(faultsOf({ ...state, changelog: made["CHANGELOG.md"] ?? "" })).toEqual([]);
  });

  it("takes the version from the changelog, and only the notes below it", () => {
    const { version: taken, notes } = cutFrom(changelog("0.2.0 – unreleased", "0.1.0 – 2026-11-30"));
    expect([taken, notes]).toEqual(["0.2.0", "- Change 0."]);
  });

  it.each([
    [changelog("0.2.0 – 2026-11-30"), undefined, '"0.2.0 – 2026-11-30"; a release is made of'],
    [changelog("0.1.0 – unreleased", "0.1.0 – 2026-11-30"), undefined, "0.1.0 is not later than 0.1.0"],
    [changelog("0.2.0 – unreleased", "0.10.0 – 2026-11-30"), undefined, "0.2.0 is not later than 0.10.0"],
    [changelog("0.2.0-rc.1 – unreleased", "0.2.0 – 2026-11-30"), undefined, "0.2.0-rc.1 is not later than 0.2.0"],
    [changelog("0.2.0 – unreleased"), "2", '"2" is not a version'],
    ["# Changelog\n\n## 0.2.0 – unreleased\n\n## 0.1.0 – 2026-11-30\n\n- A change.\n", undefined, "says nothing about"],
    ["# Changelog\n", undefined, 'begins with ""'],
  ])("refuses a changelog that is no release %#", (text, asked, message) => {
    expect(() => cutFrom(text, asked)).toThrow(message);
  });

  it("goes from a pre-release to its release", () => {
    expect(cutFrom(changelog("0.2.0 – unreleased", "0.2.0-rc.1 – 2026-11-30")).version).toBe("0.2.0");
  });
});

describe("the published README", () => {
  const published = absolute(readme, manifest);
  const targets = (text: string): string[] => [
    ...[...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target),
    ...[...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, target = ""]) => target),
  ];

  it("has only absolute links, to files that are there in this version", () => {
    expect(targets(published).length).toBeGreaterThan(20);
    expect(targets(published).filter((target) => !/^https?:|^#/.test(target))).toEqual([]);
    const ours = targets(published).flatMap((target) => {
      const [, path] = /^https:\/\/(?:raw\.|)github(?:usercontent|)\.com\/octocat\/forms\/(.+)$/.exec(target) ?? [];
      return path ? [path.replace(/^blob\//, "").replace(/#.*/, "")] : [];
    });
    expect(ours.length).toBeGreaterThan(20);
    expect(
      ours.filter((path) => !path.startsWith(`v${version}/`) || !existsSync(path.split("/").slice(1).join("/"))),
    ).toEqual([]);
  });

  it("shows pictures as files, not as pages about them", () => {
    const pictures = targets(published).filter((target) => /\.(png|svg)$/.test(target));
    expect(pictures.length).toBeGreaterThan(1);
    expect(pictures.filter((target) => !target.startsWith("https://raw."))).toEqual([]);
  });

  it("is the README again after packing", () => {
    expect(relative(published, manifest)).toBe(readme);
  });
});

describe("continuous integration", () => {
  it("rehearses the release on every push", () => {
    const steps = read(".github/workflows/ci.yml");
    expect(steps).toMatch(/npm run repository -- "\$GITHUB_REPOSITORY"\n\s+- run: npm publish --dry-run/);
  });

  it("publishes with provenance, from the tag of the version", () => {
    expect(JSON.parse(manifest).publishConfig).toMatchObject({ provenance: true, access: "public" });
    const release = read(".github/workflows/release.yml");
    expect(release).toContain("id-token: write");
    expect(release).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
    expect(release).toMatch(/npm publish --provenance/);
  });
});
