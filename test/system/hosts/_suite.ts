import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { adapterSuite, type HostOptions, inboxSuite, type RunningHost } from "../../../src/surfaces/testing/index.ts";
import { COOKIES, pathOf, runCases } from "../../_support/hosts.ts";
import { type HostProcess, startHost } from "./_remote.ts";

/** How to start the host that serves a mount path; `base` is the path that all of its own addresses lie under. */
export interface Mount {
  readonly base?: string;
  prepare?(): Promise<void>;
  readonly start: Omit<Parameters<typeof startHost>[0], "path">;
}

/**
 * Builds a host, and takes the package out of the project's `node_modules` after that: what was built must bring all of it
 * along. It is put back for the next build, and at the end.
 */
export function builtWithout(dir: string): (build: () => Promise<void>) => Promise<void> {
  const [at, away] = [join(dir, "node_modules/form-backend"), join(dir, "node_modules/.form-backend-away")];
  const back = async (): Promise<void> => {
    if (existsSync(away)) await rename(away, at);
  };
  afterAll(back);
  return async (build) => {
    await back();
    await build();
    await rename(at, away);
  };
}

/** The conformance suite against hosts in processes of their own, each of which serves one or more mount paths. */
export function conformsAsProcess(
  name: string,
  mounts: Readonly<Record<string, Mount>>,
  without: Readonly<Record<string, string>> = {},
): (mount: string) => HostProcess {
  const running = new Map<Mount, HostProcess>();
  beforeAll(async () => {
    for (const mount of new Set(Object.values(mounts))) {
      await mount.prepare?.();
      running.set(mount, await startHost({ ...mount.start, path: `${mount.base ?? ""}/own` }));
    }
  }, 900_000);
  afterAll(async () => {
    await Promise.all([...running.values()].map((host) => host.close("SIGKILL")));
  });
  const at = (path: string): HostProcess => {
    const host = mounts[path] && running.get(mounts[path]);
    if (!host) throw new Error(`${name}: nothing is mounted at "${path}"`);
    return host;
  };
  const create = async ({ backend, options, preParsed }: HostOptions): Promise<RunningHost> => {
    const path = pathOf(backend.baseUrl);
    const host = at(path);
    const remote = await host.backend({ ...options, baseUrl: backend.baseUrl }, preParsed);
    const ownPath = `${mounts[path]?.base ?? ""}/own`;
    return { url: host.url, ownPath, cookies: COOKIES, remote, close: async () => {} };
  };
  runCases([...adapterSuite, ...inboxSuite], create, without);
  return at;
}
