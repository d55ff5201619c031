import { json } from "node:stream/consumers";
import type { Miniflare } from "miniflare";
import { describe } from "vitest";
import type { Submission } from "../../../../src/model/submissions.ts";
import {
  adapterSuite,
  type BackendUnderTest,
  type HostOptions,
  inboxSuite,
  type RunningHost,
} from "../../../../src/surfaces/testing/index.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { listening, runCases } from "../../../_support/hosts.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

interface Report {
  readonly name: string;
  readonly begun: number;
  readonly ended: number;
  readonly stored: Submission[];
}

const code = await bundleWorker({ file: "test/services/surfaces/cloudflare/_suite-site.ts" });

/** The reports of the cases' objects, by their names. */
const told = new Map<string, { seen: { begun: number; ended: number }; stored: Submission[] }>();
const control = await listening(async (req, res) => {
  const { name, begun, ended, stored } = (await json(req)) as Report;
  const known = told.get(name);
  if (known) {
    // Reports may overtake each other.
    known.seen.begun = Math.max(known.seen.begun, begun);
    known.seen.ended = Math.max(known.seen.ended, ended);
    if (stored.length > known.stored.length) known.stored.splice(0, known.stored.length, ...stored);
  }
  res.end();
});
atEndOfFile(() => control.close());

let running: { readonly options: string; readonly workerd: Miniflare; readonly url: string } | undefined;
const stop = async (): Promise<void> => running?.workerd.dispose().catch(() => {});
atEndOfFile(stop);

/** One runtime for all cases with the same options. */
async function runtimeFor(options: object): Promise<string> {
  const wanted = JSON.stringify(options);
  if (running?.options === wanted) return running.url;
  await stop();
  const workerd = startWorkerd(code, {
    host: "127.0.0.1",
    port: 0,
    durableObjects: { FORMS: { className: "Forms", useSQLite: true } },
    // A header of a host that is none is a complaint of its server.
    handleRuntimeStdio: () => {},
    bindings: { CONTROL: control.url, OPTIONS: options },
  } as never);
  running = { options: wanted, workerd, url: (await workerd.ready).origin };
  return running.url;
}

let cases = 0;
async function create({ backend, options }: HostOptions): Promise<RunningHost> {
  const { trustProxy } = options;
  const given = {
    baseUrl: backend.baseUrl,
    inbox: "inbox" in options,
    ...(trustProxy !== undefined && { trustProxy }),
  };
  const url = await runtimeFor(given);
  const call = async (call: string, ...args: unknown[]): Promise<never> => {
    const init = { method: "POST", headers: { "x-test-command": "1" }, body: JSON.stringify({ call, args }) };
    return ((await (await fetch(url, init)).json()) as { value: never }).value;
  };
  const name = `case-${++cases}`;
  const known = { seen: { begun: 0, ended: 0 }, stored: [] };
  told.set(name, known);
  const remote: BackendUnderTest = {
    key: await call("start", name),
    forms: { create: (input) => call("create", input), update: (id, patch) => call("update", id, patch) },
    ...known,
  };
  return { url, ownPath: "/own", remote, close: async () => void told.delete(name) };
}

/** Differences of the server in workerd, which ends sockets in its own way; on Cloudflare's network it is not this one that visitors talk to. */
const CUT = "workerd may cut the connection of a body that nobody reads to its end";
const WITHOUT: Record<string, string> = {
  "a connection that asks for its end gets the answer first": "workerd ends it without a header that says so",
  "a client that expects 100 Continue gets it": "workerd sends none",
  ...Object.fromEntries(
    ["payload_too_large", "form_not_found"].flatMap((code) =>
      ["close", "keep-alive"].map((how) => [
        `an upload of 50 MB that is refused gets its answer (${code}, ${how})`,
        CUT,
      ]),
    ),
  ),
};

describe("formBackendObject over sockets of workerd", () => {
  runCases([...adapterSuite, ...inboxSuite], create, WITHOUT);
});
