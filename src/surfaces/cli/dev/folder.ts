import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Items as files of JSON in a folder, the newest first. */
export interface Folder<T> {
  add(item: T): Promise<void>;
  newest(limit: number): Promise<{ readonly id: string; readonly item: T }[]>;
  /** One item; null if there is none. */
  get(id: string): Promise<T | null>;
}

const ID = /^\d{13}-[0-9a-f-]{36}$/;

export async function openFolder<T>(dir: string): Promise<Folder<T>> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const read = async (id: string): Promise<T> => JSON.parse(await readFile(join(dir, `${id}.json`), "utf8")) as T;
  return {
    add: (item) => writeWhole(join(dir, `${Date.now()}-${randomUUID()}.json`), item),
    async newest(limit) {
      const ids = (await readdir(dir)).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
      const latest = ids
        .filter((id) => ID.test(id))
        .sort()
        .reverse()
        .slice(0, limit);
      return Promise.all(latest.map(async (id) => ({ id, item: await read(id) })));
    },
    // Only names of this form reach the file system.
    get: async (id) => (ID.test(id) ? read(id).catch(() => null) : null),
  };
}

/** Writes JSON to a file that appears whole, for the owner alone. */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(value, null, 2), { mode: 0o600 });
  await rename(`${path}.part`, path);
}
