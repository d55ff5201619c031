import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { tools } from "../../src/surfaces/mcp/tools.ts";
import { installFiles, run } from "../_support/install.ts";
import { type HostName, running } from "../_support/mcp.ts";

/** The inspector needs a newer Node than the library, so one is installed beside it. */
const packages = { "@modelcontextprotocol/inspector": "2.12.0", node: "24" };
const hosts: HostName[] = ["node", "express"];
const wanted = (process.env["HOSTS"] ?? "").toLowerCase().split(",");

if (wanted.some((part) => "inspector".includes(part)))
  describe("the command line of the MCP inspector", () => {
    let dir = "";
    beforeAll(async () => {
      const manifest = JSON.stringify({ private: true, dependencies: packages });
      const installed = await installFiles("inspector", { "package.json": manifest });
      expect(installed, "the package registry can't be reached").not.toBeNull();
      dir = installed?.dir ?? "";
    });

    for (const host of hosts) {
      it(`lists and calls the tools, on ${host}`, async () => {
        const { url, key, post } = await running({ host });
        const inspect = async (...args: string[]) => {
          const cli = ["node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", url];
          const all = [...cli, "--transport", "http", "--format", "json", "--header", `Authorization: Bearer ${key}`];
          const ran = await run(dir, join(dir, "node_modules/.bin/node"), [...all, ...args]);
          // Notes come before or after the line with the result.
          const line = ran.output.split("\n").find((text) => text.startsWith('{"result":'));
          expect(line, ran.output).toBeDefined();
          const { result } = JSON.parse(line ?? "");
          expect(ran.ok, ran.output).toBe(result.isError !== true);
          return result;
        };
        const call = (name: string, ...args: string[]) =>
          inspect("--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg]));

        // `--strict` fails if other clients can't read a tool's schema.
        const listed = await inspect("--method", "tools/list", "--strict");
        expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual(tools.map(({ name }) => name));
        const form_id = (await call("create_form", "name=Contact")).structuredContent.id;
        await post(form_id, { email: "ann@example.com" });
        const read = await call("list_submissions", `form_id=${form_id}`);
        expect(read.structuredContent.data[0].untrusted.fields).toEqual([{ key: "email", value: "ann@example.com" }]);
        const wrong = await call("get_form", "form_id=none");
        expect(wrong.isError).toBe(true);
      });
    }
  });
