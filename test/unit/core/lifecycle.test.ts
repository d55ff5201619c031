import { expect, it } from "vitest";
import { memoryBlob } from "../../../src/drivers/blob/memory.ts";
import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { harness } from "../../_support/backend.ts";

it.each(["mailer", "blob"] as const)(
  "a %s that can't be closed keeps no other part open, and its error is thrown",
  async (name) => {
    const closed: string[] = [];
    const closing = <T extends { close(): Promise<void> }>(driver: T, of: string): T => ({
      ...driver,
      async close() {
        if (of === name) throw new Error(`${of}: already closed`);
        closed.push(of);
      },
    });
    const b = harness({
      storage: closing(memoryStorage(), "storage"),
      mailer: closing(memoryMailer(), "mailer"),
      blob: closing(memoryBlob(), "blob"),
    });
    await b.ready();
    await expect(b.close()).rejects.toThrow(`${name}: already closed`);
    expect(closed).toEqual([name === "mailer" ? "blob" : "mailer", "storage"]);
    await expect(b.close()).rejects.toThrow(`${name}: already closed`);
  },
);
