import { expect, it, vi } from "vitest";
import type * as Sdk from "../../../../src/surfaces/mcp/sdk.ts";
import { rpc } from "./_rpc.ts";

const failing = vi.hoisted(() => ({ isOn: true }));

vi.mock("../../../../src/surfaces/mcp/sdk.ts", async (original) => {
  const { loadSdk } = await original<typeof Sdk>();
  return { loadSdk: () => (failing.isOn ? Promise.reject(new Error("Cannot find module")) : loadSdk()) };
});

it("loads the package again after a load that failed", async () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const b = rpc({ logger });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await b.send(list)).status).toBe(500);
  failing.isOn = false;
  expect((await b.send(list)).status).toBe(200);
});
