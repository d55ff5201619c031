/** Stands in the manifest until `npm run repository -- owner/name` puts the address of the repository there. */
const PLACEHOLDER = "OWNER/form-backend";

/** The manifest's text with the repository's address in the place of the placeholder or of an earlier address. */
export function withRepository(manifest, repository) {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || repository === PLACEHOLDER)
    throw new Error(`"${repository}" is not owner/name, such as octocat/form-backend`);
  const { before } = addressOf(manifest);
  return manifest.replaceAll(`github.com/${before}`, `github.com/${repository}`);
}

/** The README of `examples/cloudflare` with the button that deploys it from the repository, in place of an earlier one. */
export function withDeployButton(readme, repository) {
  const url = `https://deploy.workers.cloudflare.com/?url=https://github.com/${repository}/tree/main/examples/cloudflare`;
  const button = `[![Deploy to Cloudflare](https://deploy.workers.cloudflare.com/button)](${url})`;
  return readme.replace(/<!-- deploy -->(\n\[!\[.*)?/, `<!-- deploy -->\n${button}`);
}

/** Why this state can't be published; empty if it can. A dry run accepts a version without a day. */
export function faultsOf({ manifest, changelog, dryRun }) {
  const { version } = JSON.parse(manifest);
  const [, heading = ""] = /^## (.+)$/m.exec(changelog) ?? [];
  const [, named, day] = /^(\S+) – (\d{4}-\d{2}-\d{2}|unreleased)$/.exec(heading) ?? [];
  const dated = named === version && (dryRun || day !== "unreleased");
  return [
    ...(dated ? [] : [`CHANGELOG.md begins with "${heading}"; before a release it says "${version} – YYYY-MM-DD".`]),
    ...(manifest.includes(PLACEHOLDER)
      ? [`package.json still has ${PLACEHOLDER}. Run: npm run repository -- owner/name`]
      : []),
  ];
}

/** README as npm shows it, where a relative link leads nowhere: pages and pictures of this version's tag. */
export function absolute(readme, manifest) {
  const { pages, files } = addressOf(manifest);
  return readme
    .replace(/(!\[[^\]]*\]\()(?!https?:|#)([^)]+\))/g, `$1${files}$2`)
    .replace(/(\]\()(?!https?:|mailto:|#)([^)]+\))/g, `$1${pages}$2`)
    .replace(/((?:src|srcset)=")(?!https?:)/g, `$1${files}`);
}

/** The way back. */
export function relative(readme, manifest) {
  const { pages, files } = addressOf(manifest);
  return readme.replaceAll(pages, "").replaceAll(files, "");
}

/** The manifest names a real repository. */
export const isNamed = (manifest) => !manifest.includes(PLACEHOLDER);

function addressOf(manifest) {
  const { repository, version } = JSON.parse(manifest);
  const [, name] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
  return {
    before: name,
    pages: `https://github.com/${name}/blob/v${version}/`,
    files: `https://raw.githubusercontent.com/${name}/v${version}/`,
  };
}
