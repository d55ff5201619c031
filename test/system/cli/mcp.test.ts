import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { running } from "../../_support/mcp.ts";
import { CLI, command } from "./_command.ts";

describe("form-backend mcp", () => {
  for (const mode of ["auto", "legacy"] as const) {
    it(`serves the official client on standard input and output: ${mode}`, async () => {
      const b = await running();
      const { id: form_id } = await b.forms.create({
        name: "Contact",
        settings: { fields: { ssn: { agents: "omit" } } },
      });
      await b.post(form_id, { name: "Ann", ssn: "123-45" });
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      const env = { PATH: process.env["PATH"] ?? "", FORM_BACKEND_URL: b.baseUrl, FORM_BACKEND_KEY: b.key };
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp"], env, stderr: "pipe" }),
      );
      onTestFinished(() => client.close());
      expect((await client.listTools()).tools).toHaveLength(36);
      const { structuredContent } = await client.callTool({ name: "list_submissions", arguments: { form_id } });
      const { data } = structuredContent as { data: { untrusted: { fields: object[] } }[] };
      expect(data[0]?.untrusted.fields).toEqual([{ key: "name", value: "Ann" }]);
    });
  }

  it("ends with 3 for a refused key, 64 without variables, and says nothing on the output", async () => {
    const b = await running();
    const env = { FORM_BACKEND_URL: b.baseUrl, FORM_BACKEND_KEY: "fb_live_wrong" };
    expect(await command(["mcp"], { env })).toMatchObject({ code: 3, out: "" });
    expect(await command(["mcp"], { env: { FORM_BACKEND_URL: b.baseUrl } })).toMatchObject({ code: 64, out: "" });
  });
});
