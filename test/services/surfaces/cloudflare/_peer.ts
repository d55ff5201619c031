import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Miniflare } from "miniflare";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

/** What a server of the test has received. */
export interface Peer {
  readonly url: string;
  readonly mails: { readonly to: string; readonly id: string; readonly replyTo?: string }[];
  readonly hooks: { readonly id: string; readonly body: string }[];
  /** The answer to the next webhooks. */
  status: number;
  /** Webhooks that came, whatever the answer was. */
  tries: number;
}

export async function startPeer(): Promise<Peer> {
  const peer: { -readonly [K in keyof Peer]: Peer[K] } = { url: "", mails: [], hooks: [], status: 200, tries: 0 };
  const server = createServer(async (req, res) => {
    // A runtime that ends breaks off what it sends.
    const body = await text(req).catch(() => null);
    if (body === null) return;
    if (req.url === "/mail") peer.mails.push(JSON.parse(body) as Peer["mails"][number]);
    else {
      peer.tries++;
      if (peer.status === 200) peer.hooks.push({ id: String(req.headers["webhook-id"]), body });
    }
    res.writeHead(req.url === "/mail" ? 200 : peer.status).end("ok");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEndOfFile(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return peer;
}

/** Members of the site's class, over RPC. */
interface SiteObject {
  everything(): Promise<{ submissions: number; due: number }>;
  begun(): Promise<number>;
  evict(): Promise<void>;
  ring(): Promise<number | null>;
}

/** The site of `_site.ts` in workerd. */
export interface Site {
  readonly workerd: Miniflare;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A call in process, by the Worker's `backendOf`. */
  call<T>(name: string, ...args: unknown[]): Promise<{ value: T; error?: Record<string, unknown> }>;
  /** The object of a team. */
  object(team?: string): SiteObject;
}

let code: Promise<string> | undefined;

export async function startSite(options: Parameters<typeof startWorkerd>[1], team = "forms"): Promise<Site> {
  code ??= bundleWorker({ file: "test/services/surfaces/cloudflare/_site.ts" }, { mcp: true });
  const workerd = startWorkerd(await code, {
    durableObjects: { FORMS: { className: "Forms", useSQLite: true } },
    ...options,
  } as never);
  atEndOfFile(() => workerd.dispose().catch(() => {}));
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> =>
    (await workerd.dispatchFetch(`http://site.test${path}`, {
      redirect: "manual",
      ...init,
      headers: { "x-team": team, ...(init.headers as Record<string, string> | undefined) },
    } as never)) as unknown as Response;
  return {
    workerd,
    fetch,
    async call(name, ...args) {
      const response = await fetch("/rpc", { method: "POST", body: JSON.stringify({ call: name, args }) });
      return (await response.json()) as never;
    },
    object(of = team) {
      const call = async (name: string): Promise<never> => {
        const init = { method: "POST", headers: { "x-team": of }, body: JSON.stringify({ call: name }) };
        const response = await fetch("/object", init);
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return (JSON.parse(text) as { value: never }).value;
      };
      const names = ["everything", "begun", "evict", "ring"] as const;
      return Object.fromEntries(names.map((name) => [name, () => call(name)])) as unknown as SiteObject;
    },
  };
}
