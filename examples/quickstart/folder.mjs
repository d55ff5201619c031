// @ts-check
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Keeps items as files in a directory, so that they survive restarts.
 * @param {string} dir
 * @param {string} extension
 */
export async function openFolder(dir, extension) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return {
    /** @param {string | Uint8Array} content */
    async add(content) {
      // Ids sort by time. Whole or not at all: a name appears only once its file is complete.
      const id = `${Date.now()}-${randomUUID()}`;
      await writeFile(join(dir, `${id}.part`), content, { mode: 0o600 });
      await rename(join(dir, `${id}.part`), join(dir, id + extension));
    },
    /** The newest first. */
    async ids(limit = Number.POSITIVE_INFINITY) {
      const names = (await readdir(dir)).filter((name) => name.endsWith(extension));
      return names
        .map((name) => name.slice(0, -extension.length))
        .sort()
        .reverse()
        .slice(0, limit);
    },
    /** @param {string} id One of `ids()`. */
    read: (id) => readFile(join(dir, id + extension)),
  };
}
