import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Context } from "../context.ts";
import { Failure } from "../failure.ts";
import { type Filters, filtersOf } from "../filters.ts";
import { findForm } from "../find.ts";
import { progress } from "../progress.ts";
import { safeText } from "../text.ts";

interface Options extends Filters {
  readonly format: "csv" | "json" | "ndjson";
  readonly output?: string;
  readonly force?: boolean;
}

/** Writes an export to a file, which appears only when it is complete, or to standard output. */
export async function exportTo({ io, json, client, say }: Context, name: string, options: Options): Promise<void> {
  const api = client();
  const filters = filtersOf(options);
  const target = options.output === undefined ? null : resolve(io.cwd, options.output);
  if (target !== null && !options.force && (await exists(target))) {
    throw new Failure(`${options.output} exists. Choose another name, or overwrite it with --force.`);
  }
  const { id } = await findForm(api, name);
  // With `--json`, output is a line of JSON for each, as everywhere.
  const format = json ? "ndjson" : options.format;
  const { body } = await api.exportSubmissions({ form_id: id, ...filters, format }, { signal: io.signal });
  if (!body) throw new Failure("The server sent no export.");
  const shown = progress(io, "exported");
  const counted = shown.counting(Readable.fromWeb(body as ReadableStream<Uint8Array>));
  try {
    if (target === null) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      for await (const part of counted) {
        const text = decoder.decode(part, { stream: true });
        // A program gets every byte; a terminal would obey what a visitor wrote.
        await io.out(io.tty.out ? safeText(text) : text);
      }
      return;
    }
    const partial = `${target}.part`;
    try {
      // Submissions are personal data.
      await pipeline(counted, createWriteStream(partial, { mode: 0o600 }), { signal: io.signal });
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  } finally {
    shown.end();
  }
  say(`Written to ${options.output}.`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
