import { expect, it, vi } from "vitest";
import { holdSession } from "../../../../src/drivers/storage/_sql/session.ts";

it("starts once, however many open it, and ends it once", async () => {
  const start = vi.fn(async () => "session");
  const end = vi.fn(async () => {});
  const { open, current, close } = holdSession("test", start, end);
  expect(current).toThrow("[form-backend] the test store is not open: await open() first");
  await Promise.all([open(), open()]);
  await open();
  expect([current(), start.mock.calls.length]).toEqual(["session", 1]);
  await close();
  await close();
  expect(end.mock.calls).toEqual([["session"]]);
  expect(current).toThrow("not open");
});

it("starts anew after a failure, and after it was closed", async () => {
  const start = vi.fn(async () => "again").mockRejectedValueOnce(new Error("down"));
  const { open, current, close } = holdSession("test", start, async () => {});
  await expect(open()).rejects.toThrow("down");
  await open();
  await close();
  await open();
  expect([current(), start.mock.calls.length]).toEqual(["again", 3]);
});

it("closed after a failure, ends nothing", async () => {
  const end = vi.fn(async () => {});
  const { open, close } = holdSession("test", () => Promise.reject(new Error("down")), end);
  await Promise.allSettled([open(), close()]);
  expect(end).not.toHaveBeenCalled();
});

it("closed while it starts, ends what was started and stays closed", async () => {
  let started = (_: string): void => {};
  const end = vi.fn(async () => {});
  const { open, current, close } = holdSession(
    "test",
    () => new Promise<string>((resolve) => (started = resolve)),
    end,
  );
  const opening = open();
  const closing = close();
  started("late");
  await Promise.all([opening, closing]);
  expect(end.mock.calls).toEqual([["late"]]);
  expect(current).toThrow("not open");
});
