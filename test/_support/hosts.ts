import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "vitest";
import { adapterSuite, type HostOptions, inboxSuite, type RunningHost } from "../../src/surfaces/testing/index.ts";
import { hostCases } from "./host-cases.ts";
import { notRun } from "./not-run.ts";
import { passes } from "./passes.ts";

/** Set by every host under test before the backend runs. */
export const COOKIES = ["session=1", "theme=dark"];
export const OWN = { ownPath: "/own", cookies: COOKIES };

export const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "");

/** A Node server over a listener, on a free port. */
export async function listening(
  listener: RequestListener,
): Promise<{ url: string; close(): Promise<void>; server: Server }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Every case of the suite, and those of `_cases.ts`, against one host; see `runCases`. */
export function conforms(
  name: string,
  create: (options: HostOptions) => Promise<RunningHost>,
  without: Readonly<Record<string, string>> = {},
): void {
  describe(name, () => runCases([...adapterSuite, ...inboxSuite, ...hostCases], create, without));
}

/** `without` gives reasons for cases, by name, that the host itself makes impossible; a name that is no case's is a mistake. */
export function runCases(
  cases: typeof adapterSuite,
  create: (options: HostOptions) => Promise<RunningHost>,
  without: Readonly<Record<string, string>>,
): void {
  for (const left of Object.keys(without)) {
    if (!cases.some((c) => c.name === left)) throw new Error(`there is no case "${left}" to leave out`);
  }
  for (const c of cases) {
    const reason = without[c.name];
    if (reason) it.skip(`${c.name}: not here, because ${reason}`, () => {});
    else it(c.name, () => passes(c.run(create)), 60_000);
  }
}

/** Conformance of a host whose package may not be installed: then it says so, and fails where services are required. */
export async function conformsWith<T>(
  module: string,
  name: string,
  create: (host: T, options: HostOptions) => Promise<RunningHost>,
  without: Readonly<Record<string, string>> = {},
): Promise<void> {
  const host = (await import(module).catch(() => null)) as (T & { default?: T }) | null;
  if (host) return conforms(name, (options) => create(host.default ?? host, options), without);
  notRun(`${name}: the package "${module}" is not installed`);
}
