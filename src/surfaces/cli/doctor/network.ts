import { isIP } from "node:net";
import { addressPolicy } from "../../../lib/net-guard.ts";
import type { Findings } from "../../../lib/sender-dns/finding.ts";
import { type Answer, ask } from "./ask.ts";
import type { Checker } from "./checker.ts";
import { findClock } from "./clock.ts";

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;
/** Response headers that proxies add. */
const PROXIES = ["via", "cf-ray", "x-amz-cf-id", "x-served-by", "x-vercel-id", "fly-request-id", "x-cache"];

/** The backend as it is seen over the network. */
export interface Reached {
  /** True if the URL leads to this machine. */
  readonly local: boolean;
  /** The response header of a proxy, if there is one. */
  readonly proxy: string | null;
}

/** `baseUrl` over the network, and the server's clock. Null if there is no form backend. */
export async function checkUrl(checker: Checker, url: string): Promise<Reached | null> {
  const { io, check } = checker;
  let reached: Reached | null = null;
  let clock: [there: number, here: number] | undefined;
  await check("baseUrl", async (find) => {
    const before = io.now();
    const answer = await ask(io, `${url}/v1/health`);
    const time = healthTime(answer, url, find);
    if (time === null || "reason" in answer) return;
    clock = [time, (before + io.now()) / 2];
    const { hostname } = new URL(url);
    const proxy = PROXIES.find((name) => answer.headers.has(name)) ?? null;
    reached = { local: LOOPBACK.test(hostname), proxy };
    await checkOutside(checker, url, find);
  });
  const [there, here] = clock ?? [];
  if (there !== undefined && here !== undefined) {
    await check("server's clock", (find) => findClock(find, "The server's clock", there, here));
  }
  return reached;
}

/** The server's time in epoch ms; null, with a finding, if this is no form backend that works. */
function healthTime(answer: Answer, url: string, find: Findings): number | null {
  if ("reason" in answer) {
    find.failed(`${url} can't be reached: ${answer.reason}`, answer.todo);
    return null;
  }
  const { status, headers, json } = answer;
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null) {
    find.failed(
      `${url} redirects to ${location}: browsers drop the fields of a post that is redirected.`,
      "Set baseUrl (FORM_BACKEND_URL for serve) to the final address, with https: and the right host.",
    );
    return null;
  }
  const { status: state, time, failing } = (json ?? {}) as { status?: unknown; time?: unknown; failing?: unknown };
  if (state === "unavailable") {
    find.failed(`The backend at ${url} responds but does not work: ${String(failing)}.`, "See the log of the server.");
    return null;
  }
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (status !== 200 || state !== "ok" || Number.isNaN(at)) {
    find.failed(
      `${url}/v1/health returns ${status} and is not a form backend.`,
      `Mount it below ${new URL(url).pathname}, before catch-all routes, and have the proxy pass the path on unchanged.`,
    );
    return null;
  }
  return at;
}

/** Tells a URL that works here from one that works for visitors. */
async function checkOutside({ dns }: Checker, url: string, find: Findings): Promise<void> {
  const { hostname, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (LOOPBACK.test(hostname)) {
    return find.warning(
      `${url} works only on this machine.`,
      "In production, set baseUrl (FORM_BACKEND_URL for serve) to the address that visitors use.",
    );
  }
  const addresses = isIP(host) ? [host] : await dns.addresses(host);
  if (addresses.length === 0) {
    return find.failed(
      `DNS does not know ${host}, so visitors can't reach it.`,
      `Add an A or AAAA record for ${host}.`,
    );
  }
  const inside = addresses.filter((address) => !addressPolicy().allows(address));
  if (inside.length > 0) {
    return find.failed(
      `${host} resolves to ${inside[0]}, which only your own network can reach.`,
      "Publish its public address in DNS, or ask a public name server with --dns 1.1.1.1.",
    );
  }
  if (protocol === "http:") {
    return find.warning(`${url} is not encrypted, and browsers warn about such forms.`, "Use https:.");
  }
  find.ok(`${url} responds, and ${host} is public.`);
}

/** The document that MCP clients read at the root of the host, outside of the backend's own path (RFC 9728, 3.1). */
export async function checkMcp({ io, check }: Checker, url: string): Promise<void> {
  await check("MCP metadata", async (find) => {
    const server = await ask(io, `${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    if ("reason" in server) return find.failed(`${url}/mcp can't be reached: ${server.reason}`, server.todo);
    if (server.status === 404) return find.skipped("The backend has no MCP server.");
    const { origin, pathname } = new URL(`${url}/mcp`);
    const root = `${origin}/.well-known/oauth-protected-resource${pathname}`;
    const own = `${url}/.well-known/oauth-protected-resource/mcp`;
    for (const [address, todo] of [
      [own, "Have the proxy pass /.well-known below the backend's path on to the backend."],
      [
        root,
        "Serve protectedResourceMetadata(backend) from form-backend/mcp there: some MCP clients look only at the root.",
      ],
    ] as const) {
      const answer = await ask(io, address);
      const found = "reason" in answer ? null : (answer.json as { resource?: unknown } | null);
      if ("reason" in answer || answer.status !== 200 || !found) {
        return find.failed(`${address} has no metadata of the MCP server.`, todo);
      }
      if (found.resource !== `${url}/mcp`) {
        return find.failed(
          `${address} names the resource ${String(found.resource)}, and clients expect exactly ${url}/mcp.`,
          "Set baseUrl to the address that clients use.",
        );
      }
    }
    find.ok(`${root} names ${url}/mcp.`);
  });
}
