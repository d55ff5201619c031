import { describe, expect, it } from "vitest";
import { createGate } from "../../../src/lib/gate.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a gate", () => {
  it("lets in as many as it has places, and no key more than its share", async () => {
    const gate = createGate(3);
    const entered: string[] = [];
    const leave: (() => void)[] = [];
    const enter = (key: string) =>
      gate.enter(key, { share: 2 }).then((out) => {
        entered.push(key);
        if (out) leave.push(out);
      });
    for (const key of ["a", "a", "a", "a", "b", "c"]) void enter(key);
    await settled();
    expect(entered).toEqual(["a", "a", "b"]);
    leave[2]?.();
    await settled();
    expect(entered).toEqual(["a", "a", "b", "c"]);
    leave[0]?.();
    leave[0]?.();
    await settled();
    expect(entered).toEqual(["a", "a", "b", "c", "a"]);
  });

  it("gives places to those who wait in turn, whoever asked most", async () => {
    const gate = createGate(1);
    const entered: string[] = [];
    const running = ["a", "a", "a", "a", "b", "b", "c"].map(async (key, at) => {
      const leave = await gate.enter(key);
      entered.push(`${key}${at}`);
      await settled();
      leave?.();
    });
    await Promise.all(running);
    expect(entered).toEqual(["a0", "a1", "b4", "c6", "a2", "b5", "a3"]);
  });

  it("turns away who would be too many to wait, and forgets who gave up", async () => {
    const gate = createGate(1);
    const leave = await gate.enter("a");
    const patience = new AbortController();
    const waiting = gate.enter("a", { waiting: 1, signal: patience.signal });
    expect(await gate.enter("a", { waiting: 1 })).toBeNull();
    patience.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const next = gate.enter("a", { waiting: 1 });
    leave?.();
    expect(await next).toBeTypeOf("function");
  });
});
