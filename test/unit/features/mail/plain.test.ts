import { expect, test } from "vitest";
import { fieldLines, letterText } from "../../../../src/features/mail/plain.ts";

test.each([[" "], ["\n"], ["\t"], ["\u00a0"]])("a value with a long run of %j takes no time", (space) => {
  const value = `a${space.repeat(400_000)}b`;
  const text = letterText(["Hello \n", fieldLines([{ key: "message", value }])], ["Footer"]);
  expect([text.startsWith("Hello\n\nmessage:"), text.endsWith("b\n\n-- \nFooter\n")]).toEqual([true, true]);
});
