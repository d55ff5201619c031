import { expect, test } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { unlessFailed } from "../../../../src/features/mail/failed.ts";
import { TemplateError } from "../../../../src/lib/template.ts";

const core = {} as Core;

test("templates that failed with a submission are not rendered again, for no recipient and no retry", async () => {
  let rendered = 0;
  const fails = async () => {
    rendered++;
    throw new TemplateError("makes too long a mail");
  };
  for (let n = 0; n < 10; n++) await expect(unlessFailed(core, "form 1 post 1", fails)).rejects.toThrow("too long");
  expect(rendered).toBe(1);
  await expect(unlessFailed(core, "form 2 post 1", fails)).rejects.toThrow("too long");
  expect(rendered).toBe(2);
});

test("what succeeds, and what fails for another reason, is tried each time", async () => {
  let rendered = 0;
  for (let n = 0; n < 3; n++) {
    expect(await unlessFailed(core, "fine", async () => ++rendered)).toBe(n + 1);
    await expect(unlessFailed(core, "down", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
  }
});

test("a thousand errors are kept, the oldest make room", async () => {
  let rendered = 0;
  const fail = (key: number) =>
    unlessFailed(core, `many ${key}`, async () => {
      rendered++;
      throw new TemplateError("fails");
    }).catch(() => {});
  for (let n = 0; n < 1_001; n++) await fail(n);
  await fail(1_000);
  expect(rendered).toBe(1_001);
  await fail(0);
  expect(rendered).toBe(1_002);
});
