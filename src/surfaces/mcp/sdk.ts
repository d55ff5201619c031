type Sdk = typeof import("@modelcontextprotocol/server");

let loaded: Promise<Sdk> | undefined;

/** The package of the protocol, an optional peer. Throws an Error that says how to install it. */
export function loadSdk(): Promise<Sdk> {
  loaded ??= import("@modelcontextprotocol/server").catch((cause: unknown) => {
    loaded = undefined;
    throw new Error(
      "[form-backend] MCP needs a package that is not installed: npm install @modelcontextprotocol/server",
      {
        cause,
      },
    );
  });
  return loaded;
}

export type { Sdk };
