import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { type AgentOptions, Agent as HttpsAgent } from "node:https";
import { isIP, type Socket } from "node:net";

/** A receiver's `Keep-Alive: timeout=` is shortened by this, as Node does: the last moment before it would be a race. */
const BEFORE_ITS_END_MS = 1_000;

/** The open connections to one host and port. */
interface Host {
  open: number;
  readonly idle: Kept[];
  readonly waiting: { readonly request: ClientRequest; readonly connect: () => void }[];
}

interface Kept {
  readonly socket: Socket;
  /** How long it may be idle, by its latest response. */
  idleMs: number;
  /** On the clock of `performance.now()`. */
  until: number;
}

/** What a request tells its agent. */
interface Place {
  readonly host: string;
  readonly port: number | string;
}

export interface SocketsOptions {
  /** Options of `net.connect` and `tls.connect`. */
  readonly connection: AgentOptions;
  readonly perHost: number;
  readonly idleMs: number;
}

/**
 * Agents that keep connections, for requests that differ in scheme, host and port only. Node's own agents copy and compare all
 * options several times for each request, and set a socket's options and timers again each time it becomes free: more than a
 * third of what a call costs.
 */
export function createSockets({ connection, perHost, idleMs }: SocketsOptions) {
  const hosts = new Map<string, Host>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  return {
    http: keeping(new HttpAgent({ keepAlive: true })),
    https: keeping(new HttpsAgent({ keepAlive: true })),
    /** Closes idle connections, and the others as they become free. */
    close() {
      closed = true;
      clearTimeout(timer);
      for (const { idle } of hosts.values()) for (const { socket } of idle) socket.destroy();
    },
  };

  /** `addRequest` is the method that requests call, of every kind of agent. */
  function keeping<A extends HttpAgent>(agent: A): A {
    return Object.assign(agent, {
      addRequest(request: ClientRequest, place: Place): void {
        const name = `${agent instanceof HttpsAgent ? "https" : "http"} ${place.host} ${place.port}`;
        const host = hosts.get(name) ?? { open: 0, idle: [], waiting: [] };
        hosts.set(name, host);
        const kept = idleOf(host);
        const connect = (): void => open(agent, name, host, place, request);
        if (kept) {
          request.reusedSocket = true;
          kept.socket.ref();
          give(kept, request);
        } else if (host.open < perHost) connect();
        else host.waiting.push({ request, connect });
      },
    });
  }

  /** The connection that was used last: the receiver is the least likely to have closed it. */
  function idleOf({ idle }: Host): Kept | undefined {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      kept.socket.off("data", spoiled);
      if (kept.socket.writable && kept.until > performance.now()) return kept;
      kept.socket.destroy();
    }
    return undefined;
  }

  function open(agent: HttpAgent, name: string, host: Host, place: Place, request: ClientRequest): void {
    const options = {
      ...connection,
      host: place.host,
      port: Number(place.port),
      // An address is no name to ask for in TLS.
      servername: isIP(place.host) ? "" : place.host,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 1_000,
      // Node's name of the TLS sessions that may be resumed.
      _agentKey: name,
    };
    const socket = agent.createConnection(options) as Socket;
    const kept: Kept = { socket, idleMs, until: 0 };
    host.open++;
    // Nobody else listens while it is idle.
    socket.on("error", () => {});
    socket.on("free", () => freed(host, kept));
    socket.on("close", () => {
      host.open--;
      const at = host.idle.indexOf(kept);
      if (at !== -1) host.idle.splice(at, 1);
      if (!closed) nextOf(host)?.connect();
      if (host.open === 0) hosts.delete(name);
    });
    give(kept, request);
  }

  function give(kept: Kept, request: ClientRequest): void {
    request.once("response", (response) => (kept.idleMs = idleAfter(response, idleMs)));
    request.onSocket(kept.socket);
  }

  function freed(host: Host, kept: Kept): void {
    const { socket } = kept;
    // A request that was stopped early frees a connection whose address nobody has checked.
    if (closed || socket.connecting || !socket.writable || kept.idleMs <= 0) {
      socket.destroy();
      return;
    }
    const next = nextOf(host);
    if (next) {
      give(kept, next.request);
      return;
    }
    socket.unref();
    socket.on("data", spoiled);
    kept.until = performance.now() + kept.idleMs;
    host.idle.push(kept);
    timer ??= setTimeout(closeIdle, kept.idleMs).unref();
  }

  /** The first request that still wants a connection. */
  function nextOf({ waiting }: Host): Host["waiting"][number] | undefined {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (!next.request.destroyed) return next;
      // Without a connection, its end would never be told.
      next.request.emit("close");
    }
    return undefined;
  }

  /** One timer for all. Under load it simply fires, which is cheaper than one for each connection. */
  function closeIdle(): void {
    const now = performance.now();
    let earliest = Infinity;
    for (const { idle } of hosts.values()) {
      for (const { socket, until } of idle) {
        if (until <= now) socket.destroy();
        else earliest = Math.min(earliest, until);
      }
    }
    timer = earliest === Infinity ? undefined : setTimeout(closeIdle, earliest - now).unref();
  }
}

/** Ends an idle connection on which bytes arrive: they may be endless, and would be taken for the answer to the next request. */
function spoiled(this: Socket): void {
  this.destroy();
}

function idleAfter({ rawHeaders }: IncomingMessage, idleMs: number): number {
  const at = rawHeaders.findIndex(
    (text, i) => i % 2 === 0 && text.length === 10 && text.toLowerCase() === "keep-alive",
  );
  const seconds = at === -1 ? undefined : /^timeout=(\d+)/.exec(rawHeaders[at + 1] as string)?.[1];
  return seconds === undefined ? idleMs : Math.min(idleMs, Number(seconds) * 1_000 - BEFORE_ITS_END_MS);
}
