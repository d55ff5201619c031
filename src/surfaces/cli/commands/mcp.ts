import type { Client } from "../../client/index.ts";
import { type CommonOptions, contextOf } from "../context.ts";
import type { Register } from "../declare.ts";

/** `mcp`: the backend for an agent that starts a program. */
export const mcpCommands: Register = (program, { http, action }) => {
  http(program.command("mcp").description("Serve MCP on standard input and output, for agents that start a program."))
    .option("--read-only", "offer only tools that read")
    .action(
      action(async ({ io }, options: CommonOptions & { readOnly?: boolean }) => {
        // Loaded here, because its package is optional.
        const { agentHeader, serveMcp } = await import("../../mcp/stdio.ts");
        const send = io.fetch ?? fetch;
        const asAgent = (request: Request): Promise<Response> => {
          request.headers.set(agentHeader.name, agentHeader.value);
          return send(request);
        };
        // An agent that is told to wait does better than one that hears nothing.
        const client = contextOf({ ...io, fetch: asAgent }, options).client(0) as unknown as Calls;
        await serveMcp({
          call: (name, input, more) => client[name](input, more),
          readOnly: options.readOnly ?? false,
          signal: io.signal,
          say: (message) => io.err(`${message}\n`),
        });
      }),
    );
};

type Calls = { readonly [K in keyof Client]: (input: object, options: object) => Promise<unknown> };
