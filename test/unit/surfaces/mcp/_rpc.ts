import { expect, onTestFinished } from "vitest";
import { type McpOptions, mcp } from "../../../../src/surfaces/mcp/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";
import type { Result } from "../../../_support/mcp.ts";

export interface Rpc extends Harness {
  /** Sends one message to `/mcp`, as a client of 2025 does. */
  send(message: object | string, more?: { key?: string | null; headers?: Record<string, string> }): Promise<Answer>;
  /** Calls a tool. */
  tool(name: string, args?: object, key?: string): Promise<Result>;
}

/** A backend with an MCP server, without a socket. */
export function rpc({ mcpOptions, ...options }: TestBackendOptions & { mcpOptions?: McpOptions } = {}): Rpc {
  const b = harness({ rateLimit: false, mcp: mcp(mcpOptions), ...options });
  onTestFinished(() => b.close());
  const send: Rpc["send"] = (message, { key = b.key, headers = {} } = {}) =>
    b.call("POST", "/mcp", {
      key,
      body: typeof message === "string" ? message : JSON.stringify(message),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
    });
  return Object.assign(b, {
    send,
    async tool(name: string, args: object = {}, key = b.key) {
      const answer = await send(
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
        { key },
      );
      expect(answer.status).toBe(200);
      const { result, error } = messageIn(answer);
      if (error) throw new Error(`${error.code} ${error.message}`);
      return result as Result;
    },
  });
}

/** The message of an answer, which may be a stream of one event. */
export function messageIn({ text, json }: Answer): { result?: unknown; error?: { code: number; message: string } } {
  if (json) return json;
  const [, data = ""] = /^data: (\{.*)$/m.exec(text) ?? [];
  return JSON.parse(data);
}
