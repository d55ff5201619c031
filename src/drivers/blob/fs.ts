import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DAY_MS } from "../../lib/clock.ts";
import { fileName } from "./_file-name.ts";
import type { BlobDriver } from "./types.ts";

const READ_BYTES = 128 * 1024;
const ABANDONED_MS = DAY_MS;

/**
 * Stores each blob as a file in `dir`, which is created if missing. A blob appears under its name only when it is complete and
 * on disk. The stream of `get` keeps a file open until it is read to the end or cancelled.
 *
 * @example createFormBackend({ baseUrl, blob: fsBlob({ dir: "./uploads" }) })
 */
export function fsBlob(options: { dir: string }): BlobDriver {
  const dir: unknown = options?.dir;
  // An empty one would be the directory that the process was started in.
  if (typeof dir !== "string" || dir === "") throw new TypeError("[form-backend] fsBlob: `dir` is missing.");
  const root = resolve(dir);
  // Inside `dir`, so that the rename stays on one file system.
  const partial = join(root, ".partial");
  const place = (key: string): string => join(root, fileName(key));
  let swept = false;

  return {
    name: "fs",
    async put(key, body) {
      const temporary = join(partial, randomUUID());
      try {
        await mkdir(partial, { recursive: true });
        if (!swept) {
          swept = true;
          await removeAbandoned(partial);
        }
        const size = await writeWhole(temporary, body);
        await rename(temporary, place(key));
        await syncDirectory(root);
        return { size };
      } catch (error) {
        if (!body.locked) await body.cancel(error).catch(() => {});
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async get(key) {
      const file = await open(place(key), "r").catch(nullWhenAbsent);
      return file && readFrom(file);
    },
    async remove(key) {
      await rm(place(key), { force: true });
    },
    async close() {},
  };
}

async function writeWhole(path: string, body: ReadableStream<Uint8Array>): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of body) {
      await file.writeFile(chunk);
      size += chunk.byteLength;
    }
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

function readFrom(file: FileHandle): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { bytesRead, buffer } = await file.read(new Uint8Array(READ_BYTES), 0, READ_BYTES, null);
          if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        } catch (error) {
          await file.close();
          throw error;
        }
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

/** The rename is durable only when the directory is; Windows has no such call and needs none. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}

/** Removes files that a process left behind when it died during a put. */
async function removeAbandoned(partial: string): Promise<void> {
  for (const name of await readdir(partial)) {
    const path = join(partial, name);
    const file = await stat(path).catch(nullWhenAbsent);
    if (file && Date.now() - file.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
