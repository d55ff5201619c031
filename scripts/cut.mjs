const HEADING = /^## (\S+) – unreleased$/m;
const DATED = /^## (\S+) – \d{4}-\d{2}-\d{2}$/gm;
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The files of a release, made of those of the tree: the changelog's first heading gets its day, and every file that names
 * the version the new one. Without `version`, it is the one in that heading. Throws what keeps it from being one.
 */
export function cut({ files, version: asked, day }) {
  const changelog = files["CHANGELOG.md"];
  const [, first = ""] = /^## (.+)$/m.exec(changelog) ?? [];
  const [heading, named] = HEADING.exec(changelog) ?? [];
  if (!heading || first !== heading.slice(3))
    throw new Error(`CHANGELOG.md begins with "${first}"; a release is made of a heading "VERSION – unreleased"`);
  const version = asked ?? named;
  if (!VERSION.test(version)) throw new Error(`"${version}" is not a version, such as 1.2.3 or 1.2.3-beta.1`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !(Date.parse(day) > 0)) throw new Error(`"${day}" is not a day, YYYY-MM-DD`);
  const last = [...changelog.matchAll(DATED)][0]?.[1];
  if (last && !isLater(version, last)) throw new Error(`${version} is not later than ${last}, the last release`);
  const [, notes = ""] = /^## .+\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  if (notes.trim() === "") throw new Error(`CHANGELOG.md says nothing about ${version}`);

  const { version: before } = JSON.parse(files["package.json"]);
  /** Puts the new version in place of the old one, `count` times. */
  const withVersion = (file, from, to, count) => {
    const parts = files[file].split(from);
    if (parts.length <= count) throw new Error(`${file} does not have ${from} where the version is expected`);
    return (
      parts.slice(0, count + 1).join(to) +
      parts
        .slice(count + 1)
        .map((part) => from + part)
        .join("")
    );
  };
  const member = [`"version": "${before}"`, `"version": "${version}"`];
  const constant = [`VERSION = "${before}"`, `VERSION = "${version}"`];
  return {
    version,
    notes: notes.trim(),
    files: {
      "CHANGELOG.md": changelog.replace(heading, `## ${version} – ${day}`),
      "package.json": withVersion("package.json", ...member, 1),
      // The lock names the package twice, at its beginning: the file and the root.
      "package-lock.json": withVersion("package-lock.json", ...member, 2),
      "src/surfaces/mcp/server.ts": withVersion("src/surfaces/mcp/server.ts", ...constant, 1),
    },
  };
}

/** Files that name the version. */
export const FILES = ["CHANGELOG.md", "package.json", "package-lock.json", "src/surfaces/mcp/server.ts"];

/** Compares major, minor and patch; a pre-release is earlier than its release. */
function isLater(version, last) {
  const [a, b] = [version, last].map((text) => VERSION.exec(text)?.slice(1, 4).map(Number) ?? []);
  const at = a.findIndex((part, i) => part !== b[i]);
  if (at >= 0) return a[at] > b[at];
  return version !== last && last.includes("-") && (!version.includes("-") || version > last);
}
