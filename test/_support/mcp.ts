import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import express from "express";
import { onTestFinished } from "vitest";
import { formBackend as expressAdapter } from "../../adapters/express.ts";
import { formBackend as nodeAdapter } from "../../adapters/node.ts";
import type { Scope } from "../../src/index.ts";
import { type McpOptions, mcp } from "../../src/surfaces/mcp/index.ts";
import type { TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { type Harness, harness } from "./backend.ts";

export type HostName = "node" | "express";

export interface Running extends Harness {
  /** The address of the MCP server. */
  readonly url: string;
}

/** A backend with an MCP server behind a real socket. */
export async function running(
  options: TestBackendOptions & { mcpOptions?: McpOptions; host?: HostName; keyless?: boolean } = {},
): Promise<Running> {
  const { mcpOptions, host = "node", keyless = false, ...rest } = options;
  let answer: Parameters<typeof createServer>[1];
  const server: Server = createServer((req, res) => answer?.(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const backend = harness({ baseUrl: `${origin}/forms`, rateLimit: false, mcp: mcp(mcpOptions), ...rest });
  const site: NonNullable<typeof answer> =
    host === "node" ? nodeAdapter(backend) : express().use("/forms", expressAdapter(backend));
  answer = (req, res) => {
    // For clients that can send no credential.
    if (keyless && req.headers.authorization === undefined) {
      req.headers.authorization = `Bearer ${backend.key}`;
      req.rawHeaders.push("authorization", req.headers.authorization);
    }
    site(req, res);
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await backend.close();
  });
  return Object.assign(backend, { url: `${backend.baseUrl}/mcp` });
}

export interface Result {
  readonly isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly structuredContent?: any;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** A connected client: lists and calls tools. */
export interface Agent {
  list(): Promise<
    { name: string; description: string; inputSchema: object; outputSchema?: object; annotations?: object }[]
  >;
  call(name: string, args?: object, signal?: AbortSignal): Promise<Result>;
  instructions(): string | undefined;
  version(): string | undefined;
}

export type Era = "auto" | "pinned" | "legacy" | "old";
const info = { name: "test", version: "1" };

const modes = {
  auto: { mode: "auto" },
  pinned: { mode: { pin: "2026-07-28" } },
  legacy: { mode: "legacy" },
} as const;

/** The official client, in each of its modes, or that of the first SDK. */
export async function connect(
  url: string,
  token: string,
  era: Era = "auto",
  onElicit?: (message: string) => { action: string; content?: object },
): Promise<Agent> {
  const headers = { authorization: `Bearer ${token}` };
  if (era === "old") {
    const client = new OldClient(info);
    await client.connect(new OldTransport(new URL(url), { requestInit: { headers } }) as never);
    onTestFinished(() => client.close());
    return {
      list: async () => (await client.listTools()).tools as never,
      call: async (name, args = {}, signal) =>
        (await client.callTool({ name, arguments: args as never }, undefined, { ...(signal && { signal }) })) as never,
      instructions: () => client.getInstructions(),
      version: () => "2025-11-25",
    };
  }
  const client = new Client(info, {
    versionNegotiation: modes[era],
    ...(onElicit && { capabilities: { elicitation: { form: {} } } }),
  });
  if (onElicit) client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params.message) as never);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return {
    list: async () => (await client.listTools()).tools as never,
    call: async (name, args = {}, signal) =>
      (await client.callTool({ name, arguments: args as never }, { ...(signal && { signal }) })) as never,
    instructions: () => client.getInstructions(),
    version: () => client.getNegotiatedProtocolVersion(),
  };
}

export const ALL: Scope[] = ["forms:read", "forms:write", "submissions:read", "submissions:write"];

/** The text of a result. */
export const textIn = ({ content }: Result): string => content.map(({ text = "" }) => text).join("");

/** The JSON in the text of a result, and the name of its fence; null without one. */
export function jsonIn(result: Result): { value: unknown; fence: string | null } {
  const text = textIn(result);
  const fenced = /<(untrusted-submission-[0-9a-f]+)>\n([\s\S]*)\n<\/\1>$/.exec(text);
  return { value: JSON.parse(fenced?.[2] ?? text), fence: fenced?.[1] ?? null };
}
