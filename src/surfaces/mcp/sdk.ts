type Sdk = typeof import("@modelcontextprotocol/server");

let loaded: Promise<Sdk> | undefined;

/** The package of the protocol, an optional peer. Throws an Error that says how to install it. */
export function loadSdk(): Promise<Sdk> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Sdk> {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return await import("@modelcontextprotocol/server");
  } catch (cause) {
    loaded = undefined;
    throw new Error(
      "[form-backend] MCP needs a package that is not installed: npm install @modelcontextprotocol/server",
      {
        cause,
      },
    );
  }
}

export type { Sdk };
