import { createHash } from "node:crypto";
import type { Plan } from "../../core/options/plans.ts";
import type { ApiError, ErrorCode } from "../../errors.ts";
import { told } from "../../texts/locales/_told.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { SAMPLE_BYTES } from "../files/sniff.ts";

/** Totals of the files of one post. */
export interface Tally {
  count: number;
  bytes: number;
}

/** The name of the file's input, and its label for people. */
export interface FileField {
  readonly key: string;
  readonly field: string;
}

/** A file that arrives, under the limits of a plan: its head first, and then everything from the start. */
export interface Incoming {
  /** The first bytes, at least `SAMPLE_BYTES` if the file has them. Throws the error of `body`. */
  head(): Promise<Uint8Array>;
  /** The whole file. Errors with `plan_restricted`, `too_many_files` or `payload_too_large`, or as its source does. */
  body(onChunk?: (chunk: Uint8Array) => void): ReadableStream<Uint8Array>;
  /** The error of `body`; a store may have wrapped it. */
  fault(): unknown;
  /** SHA-256 of the bytes read. */
  digest(): string;
}

/** Counts bytes as they come and refuses the file on the first one beyond a limit. */
export function incoming(
  { key, field }: FileField,
  chunks: AsyncIterator<Uint8Array>,
  plan: Plan,
  tally: Tally,
): Incoming {
  const sample: Uint8Array[] = [];
  const hash = createHash("sha256");
  let size = 0;
  let fault: unknown;

  return {
    async head() {
      while (size < SAMPLE_BYTES) {
        const chunk = await next();
        if (!chunk) break;
        sample.push(chunk);
      }
      return sample.length === 1 ? (sample[0] as Uint8Array) : Buffer.concat(sample);
    },
    body: (onChunk = () => {}) =>
      new ReadableStream(
        {
          async pull(controller) {
            const chunk = sample.shift() ?? (await next());
            if (!chunk) return controller.close();
            onChunk(chunk);
            controller.enqueue(chunk);
          },
        },
        { highWaterMark: 0 },
      ),
    fault: () => fault,
    digest: () => hash.digest("base64url"),
  };

  /** The next chunk that is not empty, null at the end. */
  async function next(): Promise<Uint8Array | null> {
    try {
      for (;;) {
        const step = await chunks.next();
        if (step.done) return null;
        if (step.value.length === 0) continue;
        count(step.value.length);
        hash.update(step.value);
        return step.value;
      }
    } catch (error) {
      fault = error;
      throw error;
    }
  }

  function count(bytes: number): void {
    const isNew = size === 0;
    size += bytes;
    countFile({ key, field }, plan, tally, { isNew, size, bytes });
  }
}

/** Counts bytes of a file, of which there are `size` by now. Throws `plan_restricted`, `too_many_files`, `payload_too_large`. */
export function countFile(
  { key, field }: FileField,
  { files, max_files, max_file_size, max_total_file_size }: Plan,
  tally: Tally,
  { isNew, size, bytes }: { readonly isNew: boolean; readonly size: number; readonly bytes: number },
): void {
  if (isNew) {
    tally.count++;
    if (!files) throw told("plan_restricted", ({ errors }) => ({ message: errors.plan_restricted() }), { param: key });
    if (max_files !== null && tally.count > max_files)
      throw refusal("too_many_files", key, (words) => words.files.too_many({ field, count: max_files }));
  }
  tally.bytes += bytes;
  if (max_file_size !== null && size > max_file_size)
    throw refusal("payload_too_large", key, (words) =>
      words.files.too_large({ field, size: words.size(max_file_size, downwards) }),
    );
  if (max_total_file_size !== null && tally.bytes > max_total_file_size)
    throw refusal("payload_too_large", key, (words) =>
      words.files.too_large_together({ field, size: words.size(max_total_file_size, downwards) }),
    );
}

/** The error for a refused file, with the name of its field. */
export const refusal = (code: ErrorCode, key: string, say: (words: Words) => string): ApiError =>
  told(
    code,
    (words) => {
      const message = say(words);
      // Without a prototype, so a field named `__proto__` is an ordinary field.
      const fields: Record<string, { message: string; rule: string }> = Object.create(null);
      fields[key] = { message, rule: "file" };
      return { message, fields };
    },
    { param: key },
  );

/** A limit must not read as more than it is. */
const downwards = (amount: number): number => Math.floor(amount * 10) / 10;
