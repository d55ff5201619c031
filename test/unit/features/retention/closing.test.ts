import { expect, it, vi } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";

const HOUR = 3600 * 1000;

/** A backend whose hourly cleanup waits for the store until `proceed`. `order` names what ended when. */
async function sweeping() {
  const clock = testClock(Date.now());
  const storage = memoryStorage();
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const order: string[] = [];
  let proceed = (): void => {};
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const backend = createBackend({
    clock,
    baseUrl: "http://localhost/forms",
    secret: "x".repeat(32),
    logger,
    storage: {
      ...storage,
      async page(collection, query) {
        if (collection !== "drafts") return storage.page(collection, query);
        begin();
        await new Promise<void>((resolve) => (proceed = resolve));
        if (order.includes("closed")) throw new Error("the store is closed");
        order.push("swept");
        return storage.page(collection, query);
      },
      async close() {
        order.push("closed");
        await storage.close();
      },
    },
  });
  await backend.ready();
  clock.set(clock.now() + HOUR);
  await begun;
  return { backend, logger, order, proceed: () => proceed() };
}

it("close() waits for a cleanup that is running", async () => {
  const { backend, logger, order, proceed } = await sweeping();
  const closed = backend.close();
  setTimeout(proceed, 20);
  await closed;
  expect(order).toEqual(["swept", "closed"]);
  expect(logger.warn).not.toHaveBeenCalledWith(expect.stringContaining("cleanup"));
});

it("a cleanup that outlasts the grace does not announce another", async () => {
  const { backend, logger, order, proceed } = await sweeping();
  await backend.close({ graceMs: 5 });
  proceed();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(order).toEqual(["closed"]);
  expect(logger.warn).not.toHaveBeenCalledWith(expect.stringContaining("cleanup"));
});
