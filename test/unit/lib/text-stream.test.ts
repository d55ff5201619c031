import { expect, it, vi } from "vitest";
import { streamOf } from "../../../src/lib/text-stream.ts";

async function* texts(): AsyncGenerator<string> {
  yield "a";
  yield "b";
}

it("a stream that is aborted and then read or cancelled is over once", async () => {
  const aborting = new AbortController();
  const done = vi.fn();
  const stream = streamOf(texts(), done, aborting.signal);
  const reader = stream.getReader();
  await reader.read();
  aborting.abort();
  expect(done).toHaveBeenCalledTimes(1);
  await expect(reader.read()).rejects.toThrow();
  expect(done).toHaveBeenCalledTimes(1);
  const late = streamOf(texts(), done, aborting.signal);
  expect(done).toHaveBeenCalledTimes(2);
  await late.cancel();
  expect(done).toHaveBeenCalledTimes(2);
});
