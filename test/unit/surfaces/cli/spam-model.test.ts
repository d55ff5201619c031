import { expect, it } from "vitest";
import { connected, parsed } from "../../../_support/terminal.ts";

it("shows what marks have taught, and forgets it once somebody agrees", async () => {
  const questions: string[] = [];
  const answers = ["n", "y"];
  const { cli, backend } = connected({
    tty: { in: true, out: true, err: true },
    ask: async (question) => {
      questions.push(question);
      return answers.shift() ?? "";
    },
  });
  const form = await backend.forms.create({ name: "Contact" });
  for (const spam of [true, false]) {
    const { id } = await backend.submit(form.id, { fields: { text: "Hello" } });
    await backend.submissions.update(form.id, id, { spam });
  }
  expect((await cli("spam-model", "show")).out).toMatch(/spam +1\nham +1\nactive +false\n/);
  expect((await cli("spam-model", "forget")).code).toBe(1);
  expect(questions).toEqual([expect.stringContaining("Forget what your team has marked")]);
  expect(parsed((await cli("spam-model", "show", "--team", "default", "--json")).out)).toMatchObject([
    { spam: 1, ham: 1 },
  ]);
  expect(parsed((await cli("spam-model", "forget", "--json")).out)).toEqual([{ forgotten: true }]);
  expect(await backend.spamModel.get()).toMatchObject({ spam: 0, ham: 0 });
});

it("asks nobody without a terminal", async () => {
  const { cli } = connected();
  const refused = await cli("spam-model", "forget", "--team", "default");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("--yes");
  expect((await cli("spam-model", "forget", "--yes")).code).toBe(0);
});
