import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCommitter } from "../../../src/core/commit.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import type { Write } from "../../../src/drivers/storage/types.ts";

const MB = 1024 * 1024;
const write = (id: string): Write[] => [{ op: "put", collection: "marks", id, value: {} }];

describe("what waits to be committed", () => {
  it("may have 64 MB and not a byte more, until a part of it is taken", async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    const { commit } = createCommitter({ ...memoryStorage(), commit: () => held });
    const first = commit(write("first"), MB);
    await turn();
    const waiting = Array.from({ length: 64 }, (_, i) => commit(write(String(i)), MB));
    await expect(commit(write("more"), 1)).rejects.toMatchObject({ code: "unavailable" });
    go();
    await Promise.all([first, ...waiting]);
    await commit(write("later"), 64 * MB);
  });

  it("is tried item by item after a fault, to the end where not two in a row fail", async () => {
    const tried: string[] = [];
    const { commit } = createCommitter({
      ...memoryStorage(),
      async commit(writes) {
        const ids = writes.map(({ id }) => id);
        tried.push(ids.join());
        if (ids.some((id) => id.startsWith("bad"))) throw new Error("no");
      },
    });
    const ids = ["bad1", "a", "bad2", "b", "bad3", "bad4", "c"];
    const results = await Promise.allSettled(ids.map((id) => commit(write(id), 100)));
    expect(tried).toEqual([ids.join(), "bad1", "a", "bad2", "b", "bad3", "bad4"]);
    expect(results.flatMap(({ status }, at) => (status === "fulfilled" ? [ids[at]] : []))).toEqual(["a", "b"]);
  });
});
