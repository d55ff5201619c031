import { randomUUID } from "node:crypto";
import type { DurableObjectStorageLike } from "../storage/_durable-object.ts";
import { fileName } from "./_file-name.ts";
import type { BlobDriver } from "./types.ts";

/** A row of the object's SQLite has at most 2 MB. */
const PART_BYTES = 1024 * 1024;
const MAX_BYTES = 1024 * 1024;

/**
 * Keeps small files in the SQLite of a Durable Object, in parts. Its space is the object's, so uploads are limited to 1 MB each;
 * `r2Blob` is for larger ones.
 */
export function durableObjectBlob(
  storage: DurableObjectStorageLike,
  { prefix = "fb_" }: { readonly prefix?: string } = {},
): BlobDriver {
  const { sql } = storage;
  const blobs = `"${prefix}object_blobs"`;
  const parts = `"${prefix}object_blob_parts"`;
  let isOpen = false;

  function open(): void {
    if (isOpen) return;
    storage.transactionSync(() => {
      run(`CREATE TABLE IF NOT EXISTS ${blobs} (key TEXT PRIMARY KEY, id TEXT NOT NULL)`);
      run(
        `CREATE TABLE IF NOT EXISTS ${parts} (id TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (id, part))`,
      );
      // An object is the only process of its store, so what has no name now was left by one that ended.
      run(`DELETE FROM ${parts} WHERE id NOT IN (SELECT id FROM ${blobs})`);
    });
    isOpen = true;
  }
  const run = (query: string, ...values: unknown[]): void => void sql.exec(query, ...values).toArray();
  const idOf = (key: string): string | undefined => {
    const [row] = sql.exec(`SELECT id FROM ${blobs} WHERE key = ?`, fileName(key)).toArray();
    return row && String(row["id"]);
  };
  const forget = (id: string | undefined): void => {
    if (id !== undefined) run(`DELETE FROM ${parts} WHERE id = ?`, id);
  };

  return {
    name: "durable-object",
    maxBytes: MAX_BYTES,
    async put(key, body) {
      open();
      const id = randomUUID();
      let part = 0;
      let size = 0;
      const write = (bytes: Uint8Array): void =>
        run(`INSERT INTO ${parts} (id, part, bytes) VALUES (?, ?, ?)`, id, part++, new Uint8Array(bytes).buffer);
      try {
        let held: Uint8Array[] = [];
        let holds = 0;
        for await (const chunk of body) {
          // A copy, because the sender may use its buffer again; `slice` of a Buffer makes none.
          held.push(new Uint8Array(chunk));
          holds += chunk.byteLength;
          size += chunk.byteLength;
          if (holds < PART_BYTES) continue;
          const bytes = Buffer.concat(held);
          for (let from = 0; from < bytes.length; from += PART_BYTES) write(bytes.subarray(from, from + PART_BYTES));
          held = [];
          holds = 0;
        }
        if (holds > 0) write(Buffer.concat(held));
        storage.transactionSync(() => {
          const before = idOf(key);
          run(
            `INSERT INTO ${blobs} (key, id) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET id = excluded.id`,
            fileName(key),
            id,
          );
          forget(before);
        });
      } catch (error) {
        forget(id);
        throw error;
      }
      await storage.sync();
      return { size };
    },
    async get(key) {
      open();
      const id = idOf(key);
      if (id === undefined) return null;
      let part = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          const [row] = sql.exec(`SELECT bytes FROM ${parts} WHERE id = ? AND part = ?`, id, part++).toArray();
          if (row) controller.enqueue(new Uint8Array(row["bytes"] as ArrayBuffer));
          else if (idOf(key) === id) controller.close();
          else controller.error(new Error("[form-backend] the file was replaced or removed while it was read"));
        },
      });
    },
    async remove(key) {
      open();
      storage.transactionSync(() => {
        forget(idOf(key));
        run(`DELETE FROM ${blobs} WHERE key = ?`, fileName(key));
      });
      await storage.sync();
    },
    async close() {},
  };
}
