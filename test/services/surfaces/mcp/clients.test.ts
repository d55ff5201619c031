import { describe, expect, it } from "vitest";
import { tools } from "../../../../src/surfaces/mcp/tools.ts";
import { connect, type Era, type HostName, jsonIn, running } from "../../../_support/mcp.ts";

const eras: Era[] = ["auto", "pinned", "legacy", "old"];
const hosts: HostName[] = ["node", "express"];

describe("an agent sets up a form and reads its submissions", { timeout: 60_000 }, () => {
  for (const host of hosts) {
    for (const era of eras) {
      it(`${era}, on ${host}`, async () => {
        const b = await running({ host });
        const agent = await connect(b.url, b.key, era);
        expect(agent.version()).toBe(era === "auto" || era === "pinned" ? "2026-07-28" : "2025-11-25");
        expect(agent.instructions()?.split("\n")).toHaveLength(5);
        expect((await agent.list()).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
        const made = await agent.call("create_form", { name: "Contact" });
        expect(made.isError).toBeFalsy();
        const form_id = made.structuredContent.id;
        expect(jsonIn(made)).toEqual({ value: made.structuredContent, fence: null });
        await b.post(form_id, { email: "ann@example.com" });
        const listed = await agent.call("list_submissions", { form_id });
        expect(listed.structuredContent.data[0].untrusted.fields).toEqual([{ key: "email", value: "ann@example.com" }]);
        const { value, fence } = jsonIn(listed);
        expect(value).toEqual(listed.structuredContent);
        expect(fence).toMatch(/^untrusted-submission-[0-9a-f]{24}$/);
      });
    }
  }
});
