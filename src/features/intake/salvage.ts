import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import type { FieldCollector } from "./fields.ts";
import { type BodySource, parsePost } from "./parse.ts";
import type { Uploads } from "./uploads.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 3_000;
/** Bodies at once: each may use one MB. */
const MAX_AT_ONCE = 64;

const runningOf = perBackend(() => ({ count: 0 }));

/**
 * Reads the visitor's input from a post that can't be accepted now, so that the error page can carry it along: fields into
 * `fields`; of files only their number. Stops after 3 s or 1 MB; never throws. Returns the file inputs with their number of
 * files.
 */
export async function salvage(
  core: Core,
  source: BodySource,
  fields: FieldCollector,
): Promise<ReadonlyMap<string, number>> {
  const running = runningOf(core);
  const inputs = new Map<string, number>();
  if (running.count >= MAX_AT_ONCE) return inputs;
  running.count++;
  try {
    await parsePost(bounded(source), fields, noted(inputs));
  } catch {
    // The part received so far is in `fields`, which knows that it is incomplete.
  } finally {
    running.count--;
  }
  return inputs;
}

function bounded(source: BodySource): BodySource {
  const stream = (): AsyncIterable<Uint8Array> | null => {
    const chunks = source.stream();
    return chunks && upTo(chunks);
  };
  return {
    ...source,
    stream,
    async bytes() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream() ?? []) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

/** Chunks within the bounds. Throws beyond them. */
async function* upTo(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("too late")), MAX_MS);
  });
  let size = 0;
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), late]);
      if (step.done) return;
      size += step.value.length;
      if (size > MAX_BYTES) throw new Error("too large");
      yield step.value;
    }
  } finally {
    clearTimeout(timer);
    late.catch(() => {});
    // Not awaited: if the sender has stalled, it never settles.
    void iterator.return?.().catch(() => {});
  }
}

/** Takes note of files and drops them. */
const noted = (inputs: Map<string, number>): Uploads => ({
  list: [],
  keys: [],
  fingerprint: () => "",
  keep: (commit) => commit(),
  inputs,
  maxFiles: null,
  hasBegun: () => false,
  async take({ key, content }) {
    const before = inputs.get(key) ?? 0;
    inputs.set(key, before);
    for await (const chunk of content) if (chunk.length > 0) inputs.set(key, before + 1);
  },
  async claim() {},
  async scan() {},
  async close() {},
});
