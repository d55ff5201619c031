import { expect, it } from "vitest";
import { connect, running, textIn } from "../../../_support/mcp.ts";
import { worldOf } from "../../../_support/mcp-world.ts";

it("an agent answers a submission once it has a confirmation, and only where a person may write to", async () => {
  const b = await running();
  const { form_id, submission_id } = await worldOf(b);
  const agent = await connect(b.url, b.key);
  const answer = { form_id, submission_id, text: "We call you today." };
  const mails = () => b.mails.filter(({ text }) => text?.includes("We call you today."));

  const asked = await agent.call("reply_to_submission", answer);
  expect(textIn(asked)).toMatch(/`confirm` (is required|was not given)/);
  const wrong = await agent.call("reply_to_submission", { ...answer, confirm: "yes" });
  expect(textIn(wrong)).toContain("`confirm` does not match");
  const elsewhere = { ...answer, to: ["stranger@elsewhere.example"], confirm: submission_id };
  expect(textIn(await agent.call("reply_to_submission", elsewhere))).toMatch(/^invalid_parameter/);
  const reader = await connect(b.url, await b.keyWith(["submissions:read"]));
  expect(textIn(await reader.call("reply_to_submission", { ...answer, confirm: submission_id }))).toMatch(
    /^insufficient_scope/,
  );
  await b.tick();
  expect(mails()).toEqual([]);

  const { structuredContent, isError } = await agent.call("reply_to_submission", { ...answer, confirm: submission_id });
  expect(isError).not.toBe(true);
  expect(structuredContent).toMatchObject({
    submission_id,
    status: "queued",
    untrusted: { to: ["ann@example.com"], cc: [] },
  });
  expect(JSON.stringify(structuredContent)).not.toContain("We call you today.");
  await b.tick();
  expect(mails().map(({ to }) => to.address)).toEqual(["ann@example.com"]);
});
