import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The version that this documentation is about. */
export const version: string = manifest.version;

/** The address of the sources, which `npm run repository` wrote into package.json. */
export const repository: string = manifest.repository.url.replace(/^git\+|\.git$/g, "");
