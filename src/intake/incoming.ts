import { createHash } from "node:crypto";
import { ApiError, type ErrorCode } from "../errors.ts";
import { SAMPLE_BYTES } from "../files/sniff.ts";
import type { Plan } from "../teams/plans.ts";

/** What the files of one post have used up. */
export interface Tally {
  count: number;
  bytes: number;
}

/** A file that arrives, under the limits of a plan: its head first, and then everything from the start. */
export interface Incoming {
  /** The first bytes, at least `SAMPLE_BYTES` where the file has them. Throws what `body` errors with. */
  head(): Promise<Uint8Array>;
  /** The whole file. Errors with `plan_restricted`, `too_many_files` or `payload_too_large`, or as its source does. */
  body(onChunk?: (chunk: Uint8Array) => void): ReadableStream<Uint8Array>;
  /** What made `body` err; a store may have wrapped it. */
  readonly fault: unknown;
  /** SHA-256 of what was read. */
  digest(): string;
}

/** Counts bytes as they come and refuses the file on the first one beyond a limit. */
export function incoming(key: string, chunks: AsyncIterator<Uint8Array>, plan: Plan, tally: Tally): Incoming {
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
    get fault() {
      return fault;
    },
    digest: () => hash.digest("base64url"),
  };

  /** The next chunk that holds anything, null at the end. */
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
    const { files, max_files, max_file_size, max_total_file_size } = plan;
    if (size === 0) {
      tally.count++;
      if (!files) throw new ApiError("plan_restricted", { param: key, message: "This form does not accept files." });
      if (max_files !== null && tally.count > max_files)
        throw refusal("too_many_files", key, `is one too many: at most ${max_files} are accepted`);
    }
    size += bytes;
    tally.bytes += bytes;
    if (max_file_size !== null && size > max_file_size)
      throw refusal("payload_too_large", key, `is larger than ${amount(max_file_size)}`);
    if (max_total_file_size !== null && tally.bytes > max_total_file_size)
      throw refusal("payload_too_large", key, `makes the files larger than ${amount(max_total_file_size)} together`);
  }
}

/** A file that is not taken, said at its field. */
export function refusal(code: ErrorCode, key: string, what: string): ApiError {
  const message = `The file in “${key}” ${what}.`;
  // Without a prototype, so that a field named `__proto__` is a field and nothing else.
  const fields: Record<string, { message: string; rule: string }> = Object.create(null);
  fields[key] = { message, rule: "file" };
  return new ApiError(code, { param: key, message, fields });
}

function amount(bytes: number): string {
  const [unit, name] = bytes >= 1024 * 1024 ? [1024 * 1024, "MB"] : bytes >= 1024 ? [1024, "KB"] : [1, "bytes"];
  return `${Math.floor((bytes / unit) * 10) / 10} ${name}`;
}
