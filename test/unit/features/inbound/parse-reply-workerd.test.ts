import { describe, expect, it } from "vitest";
import { parseReply } from "../../../../src/features/inbound/parse-reply.workerd.ts";

describe("the new text of a mail on Cloudflare Workers", () => {
  it.each([
    ["nothing quoted", "Thank you!\n\nAnn", "Thank you!\n\nAnn"],
    [
      "a quote below its line",
      "Yes.\n\nOn Thu, 26 Nov 2026 at 09:00, Acme <r@in.acme.test> wrote:\n\n> At nine.\n>\n> Bye",
      "Yes.",
    ],
    [
      "a line that is broken",
      "Ja.\n\nAm 26.11.2026 um 09:00 Uhr hat Acme\nAcme <r@in.acme.test> geschrieben:\n> Um neun.\n",
      "Ja.",
    ],
    ["a signature", "Yes.\n-- \nAnn\n", "Yes."],
    ["answers between quotes", "> When?\nAt nine.\n> Where?\nHere.", "> When?\nAt nine.\n> Where?\nHere."],
    ["a sentence with a colon far above", "Two things:\none\n\n> old", "Two things:\none"],
    ["a quote alone", "> old", ""],
  ])("%s", async (_, text, fresh) => {
    expect(await parseReply(text)).toBe(fresh);
  });

  it("reads each line once", async () => {
    const text = `On 1 ${"Op schreef ".repeat(150)}\n`.repeat(40);
    expect(await parseReply(text)).toBe(text.trim());
  });
});
