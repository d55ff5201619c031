import { z } from "zod";
import { Origin } from "../../lib/wire.ts";

/** Options of `mcp`. */
export interface McpOptions {
  /** Leaves out every tool that changes or sends something. Default false. */
  readOnly?: boolean;
  /** Returns true for the tools to offer, by name. Default: all that the credential's scopes allow. */
  tools?: (name: string) => boolean;
  /** Origins of pages that may call it from a browser, such as `https://agent.example.com`. Default: that of `baseUrl` alone. */
  allowedOrigins?: string[];
  /** Added to the instructions that agents get, such as what your forms are for. */
  instructions?: string;
  /** The server's name, for programs. Default `form-backend`, and with a `brand.name` of your own that one in small letters. */
  name?: string;
  /** The server's name, for people. Default: `brand.name`. */
  title?: string;
}

const Options = z.strictObject({
  readOnly: z.boolean().default(false),
  tools: z
    .custom<(name: string) => boolean>((value) => typeof value === "function", "must be a function")
    .default(() => () => true),
  allowedOrigins: z.array(Origin).default([]),
  instructions: z.string().max(4_000).default(""),
  name: z.string().min(1).max(100).optional(),
  title: z.string().min(1).max(100).optional(),
});

export type McpSettings = z.output<typeof Options>;

/** Checks the options and adds the defaults. Throws a TypeError that names the option. */
export function settingsOf(options: McpOptions): McpSettings {
  const parsed = Options.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const at = [...(issue?.path ?? []), ...unknown].join(".");
  const fault = unknown.length > 0 ? "is not an option" : issue?.message;
  throw new TypeError(`[form-backend] mcp: ${at === "" ? "the options" : `\`${at}\``} ${fault}`);
}
